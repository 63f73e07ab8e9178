/* SPDX-License-Identifier: MIT */
/* Choices that were measured on an H200, see bench/NOTES.md: on a GPU like it these
 * problems go to what was the fastest. */
#include "choose.h"
#include "devices.h"
#include "suites.h"

#include <string.h>

static struct choice c;

/* The variant's name. */
static const char *chosen_on_h200(const clsm_problem *given)
{
    struct traits h200 = gpu;
    struct problem p;
    h200.bits |= TRAIT_PTX | TRAIT_NV_OPTIONS;
    ck_assert_int_eq(clsm_problem_check(given, &p), CLSM_OK);
    ck_assert_int_eq(clsm_choose(&p, &h200, NULL, &c), CLSM_OK);
    return clsm_variants[c.ranked[0].config.variant].name;
}

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
        char config[64];
        clsm_problem_init(&given, m->op, m->type, m->rows, m->cols);
        given.inner = m->inner;
        given.k = m->k ? m->k : given.k;
        chosen_on_h200(&given);
        clsm_config_text(&c.ranked[0].config, config, sizeof config);
        EXPECT(strcmp(config, m->config) == 0, "%s, %zu x %zu x %zu: %s, expected %s",
               clsm_op_name(m->op), m->rows, m->cols, m->inner, config, m->config);
    }
}

/* Measured on an H200, see bench/NOTES.md. */
START_TEST(a_gpu_takes_the_mapping_that_was_measured_fastest)
{
    static const struct {
        clsm_op op;
        clsm_type type;
        size_t rows, cols;
        const char *variant;
    } cases[] = {
        /* each pack's numbers lie as many rows apart as the pack has */
        {CLSM_DEFERRED_SOFTMAX, CLSM_BF16, 4644481, 1, "staged"},
        {CLSM_STATISTICS, CLSM_F16, 8419009, 4, "staged"},
        {CLSM_SOFTMAX, CLSM_F32, 1763152, 2, "packed"},
        /* few rows: told without a pause, or not shared at all */
        {CLSM_LOG_SUM_EXP, CLSM_F16, 4, 269888, "ahead"},
        {CLSM_STATISTICS, CLSM_F32, 78, 9643, "registers"},
        {CLSM_FINISH_SOFTMAX, CLSM_F32, 1989, 2240, "registers"},
        {CLSM_CROSS_ENTROPY, CLSM_F16, 257751, 98, "staged"},
        /* few long rows: parts that wait are not told ahead */
        {CLSM_LOG_SUM_EXP, CLSM_BF16, 1, 3000000, "joined"},
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_BF16, 1, 3000000, "joined"},
        {CLSM_SOFTMAX, CLSM_F32, 1, 1400000, "joined"},
        {CLSM_SOFTMAX, CLSM_F32, 8, 1400000, "ahead"},
        {CLSM_CROSS_ENTROPY, CLSM_F32, 1, 1400000, "joined"},
        {CLSM_CROSS_ENTROPY, CLSM_BF16, 2, 3000000, "joined"},
        {CLSM_FINISH_SOFTMAX, CLSM_F16, 2, 3000000, "split"},
        /* merges hold two parts of a row */
        {CLSM_MERGE_STATISTICS, CLSM_F32, 1008, 26000, "ahead"},
        {CLSM_MERGE_STATISTICS, CLSM_F32, 4000, 26000, "joined"},
        {CLSM_MERGE_STATISTICS, CLSM_F16, 150, 24000, "ahead"},
        /* a row in parts is ahead of a row that fills the registers */
        {CLSM_SOFTMAX_BACKWARD, CLSM_BF16, 2016, 26000, "ahead"},
        /* more columns than all units hold, and a target */
        {CLSM_CROSS_ENTROPY, CLSM_F32, 1, 3000000, "split"},
        {CLSM_CROSS_ENTROPY, CLSM_F32, 8, 16777216, "split"},
        /* a row or two for each unit: reading them twice takes longer */
        {CLSM_CROSS_ENTROPY, CLSM_BF16, 264, 19000, "registers"},
        {CLSM_LOG_SOFTMAX, CLSM_BF16, 264, 23000, "registers"},
        {CLSM_SOFTMAX, CLSM_BF16, 264, 19000, "registers"},
        /* rows of odd lengths move as single halves, which takes longer from local
           memory */
        {CLSM_CROSS_ENTROPY, CLSM_BF16, 536871, 250, "staged"},
        {CLSM_CROSS_ENTROPY, CLSM_BF16, 536871, 251, "cluster"},
        /* in line, parts of rows that wait for others are ahead of whole rows */
        {CLSM_SOFTMAX, CLSM_BF16, 64, 32000, "ahead"},
        {CLSM_SOFTMAX, CLSM_F32, 1, 32000, "ahead"},
        {CLSM_LOG_SOFTMAX, CLSM_BF16, 7491204, 4, "staged"},
        /* finishing is one launch, reading and merging are two */
        {CLSM_FINISH_SOFTMAX, CLSM_F16, 20, 32128, "split"},
        {CLSM_MERGE_STATISTICS, CLSM_F32, 2, 476661, "ahead"},
        /* rows to a work-item each are scattered over memory */
        {CLSM_TOPK, CLSM_BF16, 334998, 320, "cluster"},
        /* reducing counts, and the unit that has the most groups */
        {CLSM_FINISH_SOFTMAX, CLSM_F32, 238403, 29, "staged"},
        {CLSM_MERGE_STATISTICS, CLSM_F32, 133, 22592, "ahead"},
        {CLSM_SOFTMAX, CLSM_BF16, 601874, 223, "staged"},
        /* few long rows that are only read: waiting costs less than being ahead */
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_BF16, 64, 381632, "joined"},
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_F32, 199, 45312, "joined"},
        {CLSM_LOG_SUM_EXP, CLSM_BF16, 500, 32768, "joined"},
        /* what is given needs no reduction, so that a work-item has a row to itself */
        {CLSM_FINISH_SOFTMAX, CLSM_F32, 600000, 4, "spatial"},
        {CLSM_FINISH_SOFTMAX, CLSM_F16, 2332265, 1, "packed"},
        /* lanes of one set where nothing is written */
        {CLSM_LOG_SUM_EXP, CLSM_BF16, 19384, 1731, "cluster"},
        {CLSM_STATISTICS, CLSM_F32, 12905, 1300, "cluster"},
        /* one number a row, or two */
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_F32, 8388608, 1, "spatial"},
        {CLSM_STATISTICS, CLSM_F32, 8388608, 1, "staged"},
        {CLSM_LOG_SOFTMAX_BACKWARD, CLSM_BF16, 136, 25858, "ahead"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        clsm_problem given;
        clsm_problem_init(&given, cases[i].op, cases[i].type, cases[i].rows,
                          cases[i].cols);
        ck_assert_str_eq(chosen_on_h200(&given), cases[i].variant);
    }
}
END_TEST

/* Measured too: how many neighbours a work-item takes, by registers and by what a
 * softmax takes for itself. */
START_TEST(classes_of_pixels_go_to_tiles_that_were_measured_fastest)
{
    static const struct {
        clsm_op op;
        size_t rows, cols, inner;
        const char *variant;
        unsigned tile;
    } cases[] = {
        {CLSM_LOG_SOFTMAX, 16, 2, 1048576, "spatial", 512},
        {CLSM_CROSS_ENTROPY, 16, 2, 1048576, "spatial", 256},
        {CLSM_CROSS_ENTROPY_LOSS, 16, 2, 1048576, "spatial", 256},
        {CLSM_CROSS_ENTROPY, 64, 10, 65536, "spatial", 256},
        {CLSM_CROSS_ENTROPY, 51, 5, 262144, "spatial", 256},
        {CLSM_CROSS_ENTROPY, 8, 64, 65536, "spatial", 64},
        {CLSM_LOG_SOFTMAX, 8, 150, 65536, "strided", 64},
        {CLSM_CROSS_ENTROPY, 8, 150, 65536, "strided", 64},
        {CLSM_CROSS_ENTROPY, 8, 21, 262144, "spatial", 128},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        clsm_problem given;
        clsm_problem_init(&given, cases[i].op, CLSM_BF16, cases[i].rows, cases[i].cols);
        given.inner = cases[i].inner;
        ck_assert_str_eq(chosen_on_h200(&given), cases[i].variant);
        ck_assert_uint_eq(clsm_config_tile(&c.ranked[0].config), cases[i].tile);
    }
}
END_TEST

/* Measured too: columns of few elements lie side by side, so that a tile of them is
 * read in whole lines; what few lanes write side by side is scattered; and what writes
 * numbers alone takes its columns in turns. */
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

/* Measured too: a list of more than three takes longer than to find a maximum and a
 * sum. */
START_TEST(a_long_list_is_made_where_rows_are_looped_over)
{
    static const struct {
        size_t rows, cols, k;
        const char *variant;
    } cases[] = {
        {2418, 479, 3, "cluster"},      {1450, 2038, 4, "group"},
        {21100, 1100, 1, "cluster"},    {43974, 1088, 6, "strided"},
        {6132, 735, 7, "subgroup"},     {8978, 256, 9, "staged"},
        {98, 5688, 10, "registers"},    {221, 7737, 16, "group"},
        {4995, 15680, 14, "registers"}, {1709, 34752, 10, "online"},
        {212530, 436, 13, "cluster"},   {111848, 150, 4, "staged"},
        {524288, 16, 8, "spatial"},     {149, 28330, 6, "registers"},
        {8000, 300, 16, "strided"},     {3050, 270, 13, "subgroup"},
        {128, 128, 8, "staged"},        {2500, 160, 14, "staged"},
        {22369, 6000, 1, "registers"},  {16384, 8192, 2, "registers"},
        {15252, 8800, 3, "registers"},  {300, 52000, 1, "registers"},
        {2581, 52000, 3, "online"},     {16384, 8192, 8, "registers"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        clsm_problem given;
        clsm_problem_init(&given, CLSM_TOPK, CLSM_BF16, cases[i].rows, cases[i].cols);
        given.k = cases[i].k;
        ck_assert_str_eq(chosen_on_h200(&given), cases[i].variant);
    }
}
END_TEST

START_TEST(records_of_short_rows_are_of_those_that_are_read_in_full)
{
    static const struct {
        size_t rows, cols;
        unsigned flags;
        const char *variant;
    } cases[] = {
        {131072, 1024, 0, "registers"},
        {131072, 1024, CLSM_CAUSAL, "cluster"},
        {1024, 131072, CLSM_CAUSAL, "ahead"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        clsm_problem given;
        clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_BF16, cases[i].rows,
                          cases[i].cols);
        given.flags = cases[i].flags;
        ck_assert_str_eq(chosen_on_h200(&given), cases[i].variant);
    }
}
END_TEST

/* Registers follow the bytes under way in softmax rows with a scale at most. */
START_TEST(records_of_softmax_alone_serve_nothing_else)
{
    static const struct {
        clsm_op op;
        float scale;
        unsigned operands;
        clsm_nonfinite nonfinite;
        unsigned wg;
    } cases[] = {
        {CLSM_SOFTMAX, 1, 0, CLSM_NONFINITE_DEFAULT, 256},
        {CLSM_SOFTMAX, 0.5F, 0, CLSM_NONFINITE_DEFAULT, 256},
        {CLSM_SOFTMAX, -0.5F, 0, CLSM_NONFINITE_DEFAULT, 128},
        {CLSM_SOFTMAX, 1, CLSM_BIT(CLSM_LSE), CLSM_NONFINITE_DEFAULT, 128},
        {CLSM_SOFTMAX, 1, 0, CLSM_NONFINITE_LIMIT, 128},
        {CLSM_LOG_SOFTMAX, 1, 0, CLSM_NONFINITE_DEFAULT, 64},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        clsm_problem given;
        clsm_problem_init(&given, cases[i].op, CLSM_F32, 16384, 4096);
        given.scale = cases[i].scale;
        given.operands = cases[i].operands;
        given.nonfinite = cases[i].nonfinite;
        ck_assert_str_eq(chosen_on_h200(&given), "registers");
        ck_assert_uint_eq(clsm_config_wg(&c.ranked[0].config), cases[i].wg);
    }
}
END_TEST

/* Measured too, each in a range of rows: one to eight rows for each unit, or so few
 * short ones that a launch is short. */
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
        {CLSM_TOPK, CLSM_BF16, 400, 16384, 1, 8, "registers:WG=128"},
        {CLSM_TOPK, CLSM_F16, 1263, 12238, 1, 8, "online:WG=256,BLOCK=8"},
        {CLSM_TOPK, CLSM_F32, 1000, 8192, 1, 8, "online:WG=256,BLOCK=8"},
        {CLSM_TOPK, CLSM_F32, 900, 600, 1, 16, "cluster:CLUSTER=32,WG=64"},
        {CLSM_TOPK, CLSM_F32, 500, 600, 1, 16, "registers:WG=64"},
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

Suite *choose_gpu_suite(void)
{
    Suite *suite = suite_create("choose_gpu");
    TCase *t = tcase_create("choose_gpu");
    tcase_add_test(t, a_gpu_takes_the_mapping_that_was_measured_fastest);
    tcase_add_test(t, classes_of_pixels_go_to_tiles_that_were_measured_fastest);
    tcase_add_test(t, middle_axes_go_to_what_was_measured_fastest);
    tcase_add_test(t, a_long_list_is_made_where_rows_are_looped_over);
    tcase_add_test(t, records_of_short_rows_are_of_those_that_are_read_in_full);
    tcase_add_test(t, records_of_softmax_alone_serve_nothing_else);
    tcase_add_test(t, some_rows_go_to_what_was_measured_for_so_many);
    suite_add_tcase(suite, t);
    return suite;
}
