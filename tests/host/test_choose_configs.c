/* SPDX-License-Identifier: MIT */
/* Choices that were measured on an H200, see bench/NOTES.md, with their parameters: on
 * a GPU like it these problems go to what was the fastest. */
#include "choose.h"
#include "devices.h"
#include "suites.h"

#include <string.h>

static struct choice c;

/* A problem and the configuration that it goes to. */
struct measured {
    clsm_op op;
    clsm_type type;
    size_t rows, cols, inner;
    size_t k; /* 0: not top-k */
    const char *config;
};

static void expect_configs(const struct measured *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct measured *m = &cases[i];
        clsm_problem given;
        struct problem p;
        char config[64];
        clsm_problem_init(&given, m->op, m->type, m->rows, m->cols);
        given.inner = m->inner;
        given.k = m->k ? m->k : given.k;
        ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
        ck_assert_int_eq(clsm_choose(&p, &h200, NULL, &c), CLSM_OK);
        clsm_config_text(&c.ranked[0].config, config, sizeof config);
        EXPECT(strcmp(config, m->config) == 0, "%s, %zu x %zu x %zu: %s, expected %s",
               clsm_op_name(m->op), m->rows, m->cols, m->inner, config, m->config);
    }
}

/* Columns of few elements lie side by side, so that a tile of them is read in whole
 * lines; what few lanes write side by side is scattered; and what writes numbers alone
 * takes its columns in turns. */
START_TEST(middle_axes_go_to_what_was_measured_fastest)
{
    static const struct measured cases[] = {
        {CLSM_SOFTMAX, CLSM_BF16, 26979, 106, 2, 0, "strided:WG=128,TILE=16"},
        {CLSM_SOFTMAX, CLSM_BF16, 167717, 49, 2, 0, "strided:WG=64,TILE=16"},
        {CLSM_LOG_SOFTMAX, CLSM_F32, 399071, 31, 3, 0, "strided:WG=64,TILE=16"},
        {CLSM_CROSS_ENTROPY, CLSM_BF16, 189435, 140, 3, 0, "strided:WG=64,TILE=16"},
        {CLSM_CROSS_ENTROPY, CLSM_BF16, 2250406, 2, 2, 0, "spatial:WG=64,TILE=128"},
        {CLSM_SOFTMAX_BACKWARD, CLSM_F32, 14645, 546, 5, 0, "strided:WG=512,TILE=16"},
        {CLSM_STATISTICS, CLSM_BF16, 69, 1454, 25, 0, "strided:WG=512,TILE=16"},
        {CLSM_LOG_SUM_EXP, CLSM_F32, 21845, 256, 3, 0, "strided:WG=128,TILE=16"},
        {CLSM_LOG_SUM_EXP, CLSM_BF16, 12409, 169, 64, 0, "spatial:WG=64,TILE=128"},
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_BF16, 163, 200, 4096, 0,
         "spatial:WG=64,TILE=128"},
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_F32, 64, 10, 65536, 0, "spatial:WG=64,TILE=64"},
        {CLSM_STATISTICS, CLSM_F32, 8, 400, 16384, 0, "spatial:WG=64,TILE=64"},
    };
    expect_configs(cases, COUNT(cases));
}
END_TEST

/* Each in a range of rows: one to eight rows for each unit, or so few short ones that a
 * launch is short. */
START_TEST(some_rows_go_to_what_was_measured_for_so_many)
{
    static const struct measured cases[] = {
        {CLSM_SOFTMAX, CLSM_F16, 160, 26000, 1, 0, "ahead:WG=128,HOLD=4"},
        {CLSM_SOFTMAX, CLSM_BF16, 264, 20000, 1, 0, "registers:WG=256"},
        {CLSM_SOFTMAX, CLSM_BF16, 264, 31360, 1, 0, "registers:WG=512"},
        {CLSM_SOFTMAX, CLSM_BF16, 350, 31360, 1, 0, "ahead:WG=128,HOLD=4"},
        {CLSM_SOFTMAX, CLSM_BF16, 500, 23000, 1, 0, "ahead:WG=128,HOLD=6"},
        {CLSM_SOFTMAX, CLSM_BF16, 500, 28000, 1, 0, "ahead:WG=128,HOLD=8"},
        {CLSM_SOFTMAX, CLSM_BF16, 5000, 23000, 1, 0, "registers:WG=256"},
        {CLSM_SOFTMAX, CLSM_F32, 1000, 4501, 1, 0, "registers:WG=128"},
        {CLSM_SOFTMAX, CLSM_F32, 1000, 5200, 1, 0, "registers:WG=256"},
        {CLSM_LOG_SOFTMAX, CLSM_F32, 600, 5001, 1, 0, "registers:WG=128"},
        {CLSM_CROSS_ENTROPY, CLSM_BF16, 180, 31360, 1, 0, "joined:WG=128,HOLD=8"},
        {CLSM_CROSS_ENTROPY, CLSM_BF16, 264, 31360, 1, 0, "registers:WG=512"},
        {CLSM_CROSS_ENTROPY, CLSM_BF16, 1000, 31360, 1, 0, "registers:WG=256"},
        {CLSM_CROSS_ENTROPY, CLSM_F16, 557, 40921, 1, 0, "ahead:WG=128,HOLD=8"},
        {CLSM_FINISH_SOFTMAX, CLSM_BF16, 257, 43237, 1, 0, "registers:WG=512"},
        {CLSM_FINISH_SOFTMAX, CLSM_BF16, 400, 43237, 1, 0, "split:WG=128,PACKS=4"},
        {CLSM_FINISH_SOFTMAX, CLSM_BF16, 347919, 117, 1, 0, "staged:CLUSTER=16,WG=64"},
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_BF16, 40, 400000, 1, 0, "joined:WG=128,HOLD=8"},
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_BF16, 16, 800000, 1, 0, "joined:WG=256,HOLD=8"},
        {CLSM_SOFTMAX_BACKWARD, CLSM_F16, 200000, 77, 1, 0, "staged:CLUSTER=8,WG=64"},
        {CLSM_LOG_SOFTMAX, CLSM_BF16, 337502, 1, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_CROSS_ENTROPY, CLSM_F32, 1000000, 1, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_CROSS_ENTROPY, CLSM_BF16, 9000, 150, 1, 0, "staged:CLUSTER=8,WG=64"},
        {CLSM_CROSS_ENTROPY, CLSM_BF16, 900000, 150, 1, 0, "staged:CLUSTER=4,WG=64"},
        {CLSM_STATISTICS, CLSM_F16, 22212, 235, 1, 0, "cluster:CLUSTER=8,WG=64"},
        {CLSM_LOG_SUM_EXP, CLSM_F16, 22212, 235, 1, 0, "staged:CLUSTER=4,WG=64"},
        {CLSM_TOPK, CLSM_BF16, 400, 16384, 1, 8, "registers:WG=256"},
        {CLSM_TOPK, CLSM_F16, 1263, 12238, 1, 8, "registers:WG=128"},
        {CLSM_TOPK, CLSM_F32, 1000, 8192, 1, 8, "registers:WG=256"},
        {CLSM_TOPK, CLSM_F32, 900, 600, 1, 16, "registers:WG=64"},
        {CLSM_TOPK, CLSM_F32, 500, 600, 1, 16, "registers:WG=64"},
        {CLSM_TOPK, CLSM_F16, 1175, 1216, 1, 12, "cluster:CLUSTER=32,WG=64"},
        {CLSM_TOPK, CLSM_F32, 61, 4544, 1, 16, "registers:WG=256"},
        {CLSM_TOPK, CLSM_F16, 96, 23838, 1, 10, "registers:WG=512"},
        {CLSM_TOPK, CLSM_F32, 146378, 512, 1, 4, "cluster:CLUSTER=16,WG=64"},
        {CLSM_STATISTICS, CLSM_F32, 3877, 3008, 1, 0, "registers:WG=128"},
        {CLSM_LOG_SUM_EXP, CLSM_BF16, 2021, 15212, 1, 0, "registers:WG=128"},
        /* held by four subgroups as fast as by eight, or faster */
        {CLSM_LOG_SOFTMAX, CLSM_BF16, 1259, 10981, 1, 0, "registers:WG=128"},
        {CLSM_LOG_SOFTMAX, CLSM_F16, 500, 8200, 1, 0, "registers:WG=128"},
        {CLSM_LOG_SOFTMAX, CLSM_BF16, 264, 10981, 1, 0, "registers:WG=256"},
        {CLSM_LOG_SOFTMAX, CLSM_F32, 900, 8000, 1, 0, "registers:WG=128"},
        {CLSM_SOFTMAX, CLSM_F32, 900, 4104, 1, 0, "registers:WG=128"},
        {CLSM_SOFTMAX, CLSM_F32, 900, 5750, 1, 0, "registers:WG=128"},
        {CLSM_SOFTMAX, CLSM_F32, 900, 6400, 1, 0, "registers:WG=256"},
    };
    expect_configs(cases, COUNT(cases));
}
END_TEST

/* Short rows, and some long ones: each went to what took 1.09 times as long and more
 * before the estimates and records of a GPU that is kept busy. */
START_TEST(short_rows_go_to_what_was_measured_fastest)
{
    static const struct measured cases[] = {
        /* by the estimate */
        {CLSM_CROSS_ENTROPY, CLSM_F32, 44594, 9, 1, 0, "staged:CLUSTER=1,WG=64"},
        {CLSM_CROSS_ENTROPY, CLSM_F32, 21505, 27, 1, 0, "staged:CLUSTER=2,WG=64"},
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_BF16, 3605837, 7, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_F16, 99676, 6, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_F16, 593214, 2, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_F16, 14832, 39, 1, 0, "staged:CLUSTER=2,WG=64"},
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_F32, 2849, 178, 1, 0, "staged:CLUSTER=16,WG=64"},
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_F32, 8268, 30, 1, 0, "staged:CLUSTER=2,WG=64"},
        {CLSM_DEFERRED_SOFTMAX, CLSM_F16, 7942, 76, 1, 0, "staged:CLUSTER=4,WG=64"},
        {CLSM_FINISH_LOG_SOFTMAX, CLSM_F16, 72145, 5, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_FINISH_LOG_SOFTMAX, CLSM_F32, 35443, 5, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_FINISH_LOG_SOFTMAX, CLSM_F32, 53071, 11, 1, 0, "staged:CLUSTER=1,WG=64"},
        {CLSM_FINISH_SOFTMAX, CLSM_F16, 15136, 30, 1, 0, "cluster:CLUSTER=4,WG=64"},
        {CLSM_FINISH_SOFTMAX, CLSM_F32, 44646, 4, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_FINISH_SOFTMAX, CLSM_F32, 76273, 8, 1, 0, "staged:CLUSTER=1,WG=64"},
        {CLSM_FINISH_SOFTMAX, CLSM_F32, 15354, 18, 1, 0, "cluster:CLUSTER=4,WG=64"},
        {CLSM_LOG_SOFTMAX, CLSM_BF16, 11331, 43, 1, 0, "staged:CLUSTER=2,WG=64"},
        {CLSM_LOG_SOFTMAX, CLSM_F16, 89893, 6, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_LOG_SOFTMAX, CLSM_F32, 23095, 26, 1, 0, "staged:CLUSTER=2,WG=64"},
        {CLSM_LOG_SOFTMAX, CLSM_F32, 24694, 11, 1, 0, "staged:CLUSTER=1,WG=64"},
        {CLSM_LOG_SOFTMAX, CLSM_F32, 598663, 1, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_LOG_SOFTMAX_BACKWARD, CLSM_BF16, 59553, 14, 1, 0,
         "staged:CLUSTER=1,WG=64"},
        {CLSM_LOG_SOFTMAX_BACKWARD, CLSM_F16, 27631, 8, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_LOG_SUM_EXP, CLSM_BF16, 14083, 82, 1, 0, "staged:CLUSTER=4,WG=64"},
        {CLSM_LOG_SUM_EXP, CLSM_BF16, 14999, 61, 1, 0, "staged:CLUSTER=2,WG=64"},
        {CLSM_LOG_SUM_EXP, CLSM_F32, 8426, 49, 1, 0, "staged:CLUSTER=4,WG=64"},
        {CLSM_MERGE_STATISTICS, CLSM_BF16, 74557, 4, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_MERGE_STATISTICS, CLSM_BF16, 29126, 13, 1, 0, "staged:CLUSTER=1,WG=64"},
        {CLSM_MERGE_STATISTICS, CLSM_F16, 26543, 10, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_SOFTMAX, CLSM_BF16, 56977, 16, 1, 0, "staged:CLUSTER=1,WG=64"},
        {CLSM_SOFTMAX, CLSM_F32, 103519, 12, 1, 0, "staged:CLUSTER=1,WG=64"},
        {CLSM_SOFTMAX_BACKWARD, CLSM_BF16, 34297, 9, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_SOFTMAX_BACKWARD, CLSM_F16, 73637, 4, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_SOFTMAX_BACKWARD, CLSM_F32, 24378, 5, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_SOFTMAX_BACKWARD, CLSM_F32, 13695, 7, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_STATISTICS, CLSM_BF16, 275207, 4, 1, 0, "staged:CLUSTER=1,WG=64"},
        {CLSM_TOPK, CLSM_F16, 12117, 104, 1, 2, "staged:CLUSTER=4,WG=64"},
        {CLSM_TOPK, CLSM_F16, 143784, 2, 1, 2, "spatial:WG=64,TILE=64"},
        {CLSM_TOPK, CLSM_F32, 372639, 18, 1, 6, "staged:CLUSTER=1,WG=64"},
        {CLSM_TOPK, CLSM_F32, 13734, 38, 1, 3, "staged:CLUSTER=4,WG=64"},
        {CLSM_TOPK, CLSM_F32, 192549, 3, 1, 3, "staged:CLUSTER=1,WG=64"},
        /* by records */
        {CLSM_DEFERRED_SOFTMAX, CLSM_F16, 69277, 4, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_DEFERRED_SOFTMAX, CLSM_BF16, 3349, 1984, 1, 0, "registers:WG=64"},
        {CLSM_DEFERRED_SOFTMAX, CLSM_BF16, 1336, 8353, 1, 0, "registers:WG=128"},
        {CLSM_DEFERRED_SOFTMAX, CLSM_F16, 3273, 4525, 1, 0, "registers:WG=64"},
        {CLSM_FINISH_SOFTMAX, CLSM_F16, 13435, 6, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_LOG_SOFTMAX_BACKWARD, CLSM_F32, 1041, 12043, 1, 0, "ahead:WG=128,HOLD=4"},
        {CLSM_LOG_SOFTMAX_BACKWARD, CLSM_F16, 74909, 115, 1, 0,
         "staged:CLUSTER=8,WG=64"},
        {CLSM_LOG_SUM_EXP, CLSM_F32, 2048, 32768, 1, 0, "joined:WG=128,HOLD=16"},
        {CLSM_SOFTMAX, CLSM_F32, 95, 700008, 1, 0, "ahead:WG=256,HOLD=8"},
        {CLSM_STATISTICS, CLSM_F32, 229332, 1, 1, 0, "staged:CLUSTER=1,WG=64"},
        {CLSM_STATISTICS, CLSM_F32, 757, 21248, 1, 0, "ahead:WG=128,HOLD=8"},
        {CLSM_MERGE_STATISTICS, CLSM_F16, 2494, 9472, 1, 0, "registers:WG=256"},
        {CLSM_TOPK, CLSM_F32, 337921, 1, 1, 1, "staged:CLUSTER=1,WG=64"},
        {CLSM_CROSS_ENTROPY, CLSM_F32, 7, 263498, 1, 0, "joined:WG=512,HOLD=8"},
        {CLSM_DEFERRED_SOFTMAX, CLSM_F16, 31717, 211, 1, 0, "staged:CLUSTER=8,WG=64"},
        {CLSM_FINISH_LOG_SOFTMAX, CLSM_BF16, 253, 92929, 1, 0, "split:WG=128,PACKS=4"},
        {CLSM_FINISH_SOFTMAX, CLSM_F16, 19292, 139, 1, 0, "cluster:CLUSTER=8,WG=64"},
        {CLSM_FINISH_SOFTMAX, CLSM_F32, 1090, 255, 1, 0, "cluster:CLUSTER=8,WG=64"},
        {CLSM_FINISH_SOFTMAX, CLSM_F32, 1200, 300, 1, 0, "cluster:CLUSTER=16,WG=64"},
        {CLSM_LOG_SOFTMAX, CLSM_F32, 8, 64, 1, 0, "staged:CLUSTER=8,WG=64"},
        {CLSM_LOG_SOFTMAX_BACKWARD, CLSM_F16, 212406, 1, 1, 0, "packed:WG=128"},
        {CLSM_SOFTMAX_BACKWARD, CLSM_F32, 188801, 1, 1, 0, "packed:WG=128"},
        {CLSM_SOFTMAX_BACKWARD, CLSM_F16, 1000000, 1, 1, 0, "packed:WG=128"},
        {CLSM_SOFTMAX_BACKWARD, CLSM_F16, 500000, 2, 1, 0, "packed:WG=128"},
        {CLSM_SOFTMAX_BACKWARD, CLSM_F32, 1677721, 40, 1, 0, "staged:CLUSTER=4,WG=64"},
        {CLSM_LOG_SOFTMAX_BACKWARD, CLSM_F32, 671088, 100, 1, 0,
         "cluster:CLUSTER=16,WG=64"},
        {CLSM_SOFTMAX_BACKWARD, CLSM_F32, 15503, 129, 1, 0, "cluster:CLUSTER=32,WG=64"},
        {CLSM_SOFTMAX_BACKWARD, CLSM_F32, 8928, 224, 1, 0, "registers:WG=64"},
        {CLSM_MERGE_STATISTICS, CLSM_F32, 300000, 5, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_MERGE_STATISTICS, CLSM_F32, 136363, 11, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_MERGE_STATISTICS, CLSM_F16, 90909, 11, 1, 0, "spatial:WG=64,TILE=64"},
        {CLSM_FINISH_LOG_SOFTMAX, CLSM_BF16, 163265, 147, 1, 0,
         "staged:CLUSTER=8,WG=64"},
        {CLSM_LOG_SUM_EXP, CLSM_BF16, 500, 256, 1, 0, "staged:CLUSTER=16,WG=64"},
        {CLSM_LOG_SUM_EXP, CLSM_F16, 76, 9605, 1, 0, "registers:WG=128"},
        {CLSM_LOG_SUM_EXP, CLSM_F32, 64, 64, 1, 0, "staged:CLUSTER=8,WG=64"},
        {CLSM_MERGE_STATISTICS, CLSM_BF16, 1791, 7040, 1, 0, "registers:WG=128"},
        {CLSM_MERGE_STATISTICS, CLSM_F16, 95757, 194, 1, 0, "cluster:CLUSTER=8,WG=64"},
        {CLSM_MERGE_STATISTICS, CLSM_F16, 119661, 28, 1, 0, "staged:CLUSTER=2,WG=64"},
        {CLSM_MERGE_STATISTICS, CLSM_F16, 5, 928960, 1, 0, "split:WG=256,PACKS=4"},
        {CLSM_MERGE_STATISTICS, CLSM_F32, 4686, 25, 1, 0, "strided:WG=64,TILE=16"},
        {CLSM_SOFTMAX, CLSM_BF16, 1, 256, 1, 0, "cluster:CLUSTER=32,WG=64"},
        {CLSM_SOFTMAX_BACKWARD, CLSM_F32, 375, 8780, 1, 0, "ahead:WG=128,HOLD=4"},
        {CLSM_SOFTMAX_BACKWARD, CLSM_F32, 1, 128, 1, 0, "cluster:CLUSTER=32,WG=64"},
        {CLSM_STATISTICS, CLSM_BF16, 923016, 118, 1, 0, "staged:CLUSTER=2,WG=64"},
        {CLSM_STATISTICS, CLSM_F32, 4, 901120, 1, 0, "split:WG=128,PACKS=4"},
        {CLSM_TOPK, CLSM_BF16, 2000, 250, 1, 4, "cluster:CLUSTER=32,WG=64"},
        {CLSM_TOPK, CLSM_BF16, 4, 100, 1, 1, "strided:WG=256,TILE=16"},
        {CLSM_TOPK, CLSM_F16, 7667, 61, 1, 3, "strided:WG=128,TILE=16"},
        {CLSM_TOPK, CLSM_F16, 73042, 7, 1, 4, "spatial:WG=64,TILE=64"},
        {CLSM_TOPK, CLSM_F32, 12836, 237, 1, 3, "cluster:CLUSTER=8,WG=64"},
        {CLSM_TOPK, CLSM_F32, 223728, 6, 1, 3, "spatial:WG=64,TILE=64"},
        {CLSM_TOPK, CLSM_F32, 15000, 270, 1, 16, "cluster:CLUSTER=32,WG=64"},
        {CLSM_TOPK, CLSM_F32, 9000, 500, 1, 12, "cluster:CLUSTER=32,WG=64"},
        {CLSM_TOPK, CLSM_F32, 44303, 9, 1, 8, "spatial:WG=64,TILE=64"},
        {CLSM_TOPK, CLSM_F32, 241516, 32, 1, 10, "staged:CLUSTER=1,WG=64"},
        {CLSM_TOPK, CLSM_F32, 5630229, 7, 1, 7, "staged:CLUSTER=1,WG=64"},
        {CLSM_TOPK, CLSM_BF16, 72277, 338, 1, 8, "cluster:CLUSTER=16,WG=64"},
        {CLSM_STATISTICS, CLSM_F16, 421715, 251, 1, 0, "cluster:CLUSTER=4,WG=64"},
        {CLSM_LOG_SOFTMAX_BACKWARD, CLSM_F16, 123945, 223, 1, 0,
         "cluster:CLUSTER=16,WG=64"},
        {CLSM_TOPK, CLSM_F32, 45124, 26, 1, 6, "staged:CLUSTER=1,WG=64"},
        {CLSM_TOPK, CLSM_F32, 6920, 38, 1, 4, "staged:CLUSTER=4,WG=64"},
    };
    expect_configs(cases, COUNT(cases));
}
END_TEST

Suite *choose_configs_suite(void)
{
    Suite *suite = suite_create("choose_configs");
    TCase *t = tcase_create("choose_configs");
    tcase_add_test(t, middle_axes_go_to_what_was_measured_fastest);
    tcase_add_test(t, some_rows_go_to_what_was_measured_for_so_many);
    tcase_add_test(t, short_rows_go_to_what_was_measured_fastest);
    suite_add_tcase(suite, t);
    return suite;
}
