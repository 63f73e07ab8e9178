/* SPDX-License-Identifier: MIT */
/* The registers that NVIDIA's compiler is told to take, where it is told, for rows that
 * are held, blocks and tiles: few enough for many work-groups, so many that few spill.
 */
#include "choose.h"
#include "devices.h"
#include "suites.h"

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
                {CLSM_CROSS_ENTROPY_LOSS, 21, "spatial:WG=64,TILE=128", 0},
                {CLSM_SOFTMAX, 8192, "registers:WG=128", 128},
                {CLSM_SOFTMAX, 10087, "registers:WG=128", 72},
                {CLSM_LOG_SUM_EXP, 10087, "registers:WG=128", 64},
                {CLSM_LOG_SUM_EXP, 20000, "registers:WG=256", 64},
                {CLSM_LOG_SUM_EXP, 32768, "registers:WG=256", 72},
                {CLSM_LOG_SUM_EXP, 131072, "joined:WG=128,HOLD=16", 72}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct traits t = gpu;
        clsm_problem given;
        struct problem p;
        struct config config;
        bool exact;
        clsm_problem_init(&given, rows[i].op, CLSM_BF16, 100000, rows[i].cols);
        ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
        ck_assert_int_eq(clsm_config_parse(rows[i].config, &config, &exact), CLSM_OK);
        ck_assert_uint_eq(clsm_config_registers(&config, &p, &t), 0);
        t.bits |= TRAIT_NV_OPTIONS;
        ck_assert_uint_eq(clsm_config_registers(&config, &p, &t), rows[i].registers);
    }
}
END_TEST

Suite *registers_suite(void)
{
    Suite *suite = suite_create("registers");
    TCase *t = tcase_create("registers");
    tcase_add_test(t, work_items_have_the_registers_that_they_need_and_no_more);
    suite_add_tcase(suite, t);
    return suite;
}
