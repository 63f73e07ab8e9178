/* SPDX-License-Identifier: MIT */
/* The registers that NVIDIA's compiler is told to take, where it is told, for rows that
 * are held, blocks and tiles: few enough for many work-groups, so many that few spill.
 */
#include "choose.h"
#include "devices.h"
#include "suites.h"

/* Where NVIDIA's compiler is told; elsewhere nothing is said. */
static unsigned registers_of(const clsm_problem *given, const char *text)
{
    struct traits t = gpu;
    struct problem p;
    struct config config;
    bool exact;
    ck_assert_int_eq(clsm_problem_check(given, &p), CLSM_OK);
    ck_assert_int_eq(clsm_config_parse(text, &config, &exact), CLSM_OK);
    ck_assert_uint_eq(clsm_config_registers(&config, &p, &t), 0);
    t.bits |= TRAIT_NV_OPTIONS;
    return clsm_config_registers(&config, &p, &t);
}

START_TEST(work_items_have_the_registers_that_they_need_and_no_more)
{
    static const struct {
        clsm_op op;
        size_t cols;
        const char *config;
        unsigned registers;
    } rows[] = {{CLSM_CROSS_ENTROPY, 250, "staged:CLUSTER=4,WG=64", 96},
                {CLSM_CROSS_ENTROPY, 200, "staged:CLUSTER=4,WG=64", 80},
                {CLSM_CROSS_ENTROPY, 250, "staged:CLUSTER=8,WG=64", 64},
                {CLSM_CROSS_ENTROPY, 190, "staged:CLUSTER=8,WG=64", 0},
                {CLSM_CROSS_ENTROPY_LOSS, 250, "staged:CLUSTER=4,WG=64", 0},
                {CLSM_SOFTMAX, 250, "staged:CLUSTER=4,WG=64", 0},
                {CLSM_SOFTMAX, 4096, "registers:WG=64", 144},
                {CLSM_SOFTMAX, 4096, "registers:WG=128", 72},
                {CLSM_SOFTMAX, 4096, "registers:WG=256", 32},
                {CLSM_SOFTMAX, 8192, "registers:WG=256", 64},
                {CLSM_SOFTMAX, 16384, "registers:WG=512", 40},
                {CLSM_SOFTMAX, 4421, "registers:WG=128", 52},
                {CLSM_SOFTMAX, 0, "registers:WG=64", 36},
                {CLSM_SOFTMAX, 1361, "registers:WG=64", 40},
                {CLSM_SOFTMAX, 1024, "registers:WG=64", 40},
                {CLSM_LOG_SOFTMAX, 4096, "registers:WG=128", 72},
                {CLSM_LOG_SOFTMAX, 8192, "registers:WG=256", 48},
                {CLSM_SOFTMAX_BACKWARD, 8192, "registers:WG=256", 64},
                {CLSM_SOFTMAX, 100000, "reverse:WG=1024,PACKS=4", 48},
                {CLSM_SOFTMAX, 100000, "reverse:WG=512,PACKS=4", 48},
                {CLSM_LOG_SUM_EXP, 4096, "registers:WG=64", 72},
                {CLSM_LOG_SUM_EXP, 4090, "registers:WG=64", 64},
                {CLSM_SOFTMAX, 32768, "ahead:WG=128,HOLD=8", 72},
                {CLSM_SOFTMAX, 50257, "ahead:WG=128,HOLD=8", 64},
                {CLSM_CROSS_ENTROPY, 21, "spatial:WG=64,TILE=128", 96},
                {CLSM_CROSS_ENTROPY, 10, "spatial:WG=64,TILE=128", 0},
                {CLSM_CROSS_ENTROPY, 2, "spatial:WG=64,TILE=256", 48},
                {CLSM_CROSS_ENTROPY, 2, "spatial:WG=64,TILE=128", 0},
                {CLSM_CROSS_ENTROPY, 3, "spatial:WG=64,TILE=256", 0},
                {CLSM_CROSS_ENTROPY_LOSS, 2, "spatial:WG=64,TILE=256", 0},
                {CLSM_CROSS_ENTROPY_LOSS, 21, "spatial:WG=64,TILE=128", 0},
                {CLSM_SOFTMAX, 8192, "registers:WG=128", 128},
                {CLSM_SOFTMAX, 10087, "registers:WG=128", 72},
                {CLSM_LOG_SUM_EXP, 10087, "registers:WG=128", 64},
                {CLSM_LOG_SUM_EXP, 20000, "registers:WG=256", 64},
                {CLSM_LOG_SUM_EXP, 32768, "registers:WG=256", 72},
                {CLSM_LOG_SUM_EXP, 131072, "joined:WG=128,HOLD=16", 72}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        clsm_problem given;
        clsm_problem_init(&given, rows[i].op, CLSM_BF16, 100000, rows[i].cols);
        ck_assert_uint_eq(registers_of(&given, rows[i].config), rows[i].registers);
    }
}
END_TEST

/* Masks, scales and bounds have values of their own beside what is held; what is only
 * read for a logarithm of its sum is ordered better with more. */
START_TEST(work_items_have_more_registers_where_forms_need_them)
{
    static const struct {
        clsm_op op;
        clsm_type type;
        size_t cols;
        float scale;
        unsigned operands, flags;
        clsm_mask_type mask;
        const char *config;
        unsigned registers;
    } rows[] = {
        {CLSM_LOG_SOFTMAX, CLSM_F32, 8192, .5F, 0, 0, 0, "registers:WG=128", 72},
        {CLSM_LOG_SOFTMAX, CLSM_F32, 8192, 1, 0, 0, 0, "registers:WG=128", 64},
        {CLSM_LOG_SOFTMAX, CLSM_F32, 2048, .5F, 0, 0, 0, "registers:WG=128", 72},
        {CLSM_LOG_SOFTMAX, CLSM_F32, 5700, .5F, 0, 0, 0, "registers:WG=256", 64},
        {CLSM_LOG_SOFTMAX, CLSM_F32, 12000, .5F, 0, 0, 0, "registers:WG=256", 72},
        {CLSM_LOG_SOFTMAX, CLSM_BF16, 8192, .5F, 0, 0, 0, "registers:WG=256", 48},
        {CLSM_LOG_SUM_EXP, CLSM_F32, 16384, .5F, 0, 0, 0, "registers:WG=256", 72},
        {CLSM_LOG_SUM_EXP, CLSM_F32, 4421, .5F, 0, 0, 0, "registers:WG=128", 64},
        {CLSM_STATISTICS, CLSM_F32, 16384, .5F, 0, 0, 0, "registers:WG=256", 64},
        {CLSM_LOG_SUM_EXP, CLSM_F32, 32768, 1, 0, 0, 0, "joined:WG=128,HOLD=16", 72},
        {CLSM_STATISTICS, CLSM_F32, 32768, 1, 0, 0, 0, "joined:WG=128,HOLD=16", 64},
        {CLSM_LOG_SUM_EXP, CLSM_BF16, 50257, 1, CLSM_BIT(CLSM_MASK), 0, CLSM_MASK_BOOL,
         "joined:WG=128,HOLD=16", 80},
        {CLSM_LOG_SOFTMAX, CLSM_F32, 8192, 1, CLSM_BIT(CLSM_MASK), 0, CLSM_MASK_F32,
         "registers:WG=128", 80},
        {CLSM_LOG_SOFTMAX, CLSM_F32, 50257, 1, CLSM_BIT(CLSM_MASK), 0, CLSM_MASK_F32,
         "settled:WG=128,HOLD=5", 64},
        {CLSM_FINISH_SOFTMAX, CLSM_BF16, 65536, 1, CLSM_BIT(CLSM_MASK), 0,
         CLSM_MASK_BOOL, "joined:WG=128,HOLD=8", 80},
        {CLSM_FINISH_SOFTMAX, CLSM_BF16, 1449, 1, CLSM_BIT(CLSM_MASK), 0,
         CLSM_MASK_BOOL, "registers:WG=64", 44},
        {CLSM_FINISH_SOFTMAX, CLSM_F32, 50257, 1, 0, CLSM_CAUSAL, 0,
         "ahead:WG=128,HOLD=8", 80},
        {CLSM_LOG_SOFTMAX, CLSM_BF16, 32768, 1, 0, CLSM_CAUSAL, 0,
         "ahead:WG=128,HOLD=8", 72},
        {CLSM_LOG_SOFTMAX, CLSM_BF16, 50257, 1, 0, CLSM_CAUSAL, 0,
         "ahead:WG=128,HOLD=8", 64},
        {CLSM_CROSS_ENTROPY, CLSM_F16, 2, 1, 0, 0, 0, "spatial:WG=64,TILE=256", 48},
        {CLSM_CROSS_ENTROPY, CLSM_F16, 2, 1, CLSM_BIT(CLSM_WEIGHTS), 0, 0,
         "spatial:WG=64,TILE=256", 0},
        {CLSM_SOFTMAX_BACKWARD, CLSM_F32, 2048, 1, 0, 0, 0, "registers:WG=256", 64},
        {CLSM_SOFTMAX_BACKWARD, CLSM_F32, 2047, 1, 0, 0, 0, "registers:WG=256", 48},
        {CLSM_SOFTMAX_BACKWARD, CLSM_BF16, 2048, 1, 0, 0, 0, "registers:WG=128", 72}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        clsm_problem given;
        clsm_problem_init(&given, rows[i].op, rows[i].type, 100000, rows[i].cols);
        given.scale = rows[i].scale;
        given.operands |= rows[i].operands;
        given.flags = rows[i].flags;
        given.mask_type = rows[i].mask;
        unsigned registers = registers_of(&given, rows[i].config);
        EXPECT(registers == rows[i].registers, "row %zu: %u registers", i, registers);
    }
}
END_TEST

/* Top-k: as many as spill nothing where rows are few, else fewer. */
START_TEST(work_items_that_keep_the_largest_have_registers_by_rows)
{
    static const struct {
        clsm_type type;
        size_t rows, cols;
        const char *config;
        unsigned registers;
    } rows[] = {{CLSM_BF16, 64, 50257, "registers:WG=512", 128},
                {CLSM_BF16, 132, 50257, "registers:WG=512", 128},
                {CLSM_BF16, 133, 50257, "registers:WG=512", 64},
                {CLSM_F64, 1024, 8192, "registers:WG=512", 128},
                {CLSM_F32, 64, 8192, "registers:WG=256", 80},
                {CLSM_F32, 8192, 8192, "registers:WG=256", 64},
                {CLSM_F32, 16384, 4096, "registers:WG=128", 56},
                {CLSM_BF16, 16384, 8192, "registers:WG=256", 40},
                {CLSM_BF16, 16384, 16384, "registers:WG=256", 80},
                {CLSM_BF16, 32768, 2048, "registers:WG=64", 64},
                {CLSM_F32, 64, 128256, "joined:WG=256,HOLD=8", 80}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        clsm_problem given;
        clsm_problem_init(&given, CLSM_TOPK, rows[i].type, rows[i].rows, rows[i].cols);
        given.k = 8;
        unsigned registers = registers_of(&given, rows[i].config);
        EXPECT(registers == rows[i].registers, "row %zu: %u registers", i, registers);
    }
}
END_TEST

Suite *registers_suite(void)
{
    Suite *suite = suite_create("registers");
    TCase *t = tcase_create("registers");
    tcase_add_test(t, work_items_have_the_registers_that_they_need_and_no_more);
    tcase_add_test(t, work_items_have_more_registers_where_forms_need_them);
    tcase_add_test(t, work_items_that_keep_the_largest_have_registers_by_rows);
    suite_add_tcase(suite, t);
    return suite;
}
