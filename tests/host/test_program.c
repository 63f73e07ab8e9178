/* SPDX-License-Identifier: MIT */
/* What a program is built with. */
#include "devices.h"
#include "program.h"
#include "suites.h"

static const char *options_of(const clsm_problem *given, const char *text,
                              const struct traits *t)
{
    static struct build b;
    struct problem p;
    struct config config;
    bool exact;
    ck_assert_int_eq(clsm_problem_check(given, &p), CLSM_OK);
    ck_assert_int_eq(clsm_config_parse(text, &config, &exact), CLSM_OK);
    clsm_program_describe(&p, &config, t, &b);
    return b.options;
}

/* x is the last that leaves an NVIDIA GPU's cache where a row is written, but for who
 * reads that soon, and for rows that wait for instructions. */
START_TEST(x_stays_where_rows_are_written_that_nobody_reads_soon)
{
    enum { MASK = 1, SOON = 2 };
    static const struct {
        clsm_op op;
        clsm_type type;
        const char *config;
        int with;
        bool gpu, stays;
    } cases[] = {
        {CLSM_SOFTMAX, CLSM_F32, "registers:WG=256", 0, true, true},
        {CLSM_SOFTMAX, CLSM_F32, "registers:WG=256", SOON, true, false},
        {CLSM_SOFTMAX, CLSM_F32, "fused:VEC=8", 0, false, false},
        {CLSM_SOFTMAX_BACKWARD, CLSM_BF16, "ahead:WG=256,HOLD=4", 0, true, true},
        {CLSM_CROSS_ENTROPY, CLSM_BF16, "registers:WG=128", 0, true, true},
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_BF16, "registers:WG=128", 0, true, false},
        {CLSM_LOG_SUM_EXP, CLSM_F32, "joined:WG=128,HOLD=16", 0, true, false},
        {CLSM_SOFTMAX, CLSM_F32, "settled:WG=128,HOLD=5", MASK, true, true},
        {CLSM_SOFTMAX, CLSM_BF16, "settled:WG=128,HOLD=4", MASK, true, false},
        {CLSM_SOFTMAX, CLSM_BF16, "ahead:WG=128,HOLD=4", MASK, true, true}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        clsm_problem given;
        clsm_problem_init(&given, cases[i].op, cases[i].type, 4096, 32768);
        given.flags |= cases[i].with & SOON ? CLSM_READ_SOON : 0;
        given.mask_type = cases[i].with & MASK ? CLSM_MASK_F32 : CLSM_MASK_NONE;
        const char *options =
            options_of(&given, cases[i].config, cases[i].gpu ? &h200 : &cpu);
        ck_assert_msg((strstr(options, " -DSTAYS=1") != NULL) == cases[i].stays,
                      "%zu: %s", i, options);
    }
}
END_TEST

/* Room for a row's terms comes in few sizes, so that few programs are built; but what
 * there is serves all rows that fit. */
START_TEST(terms_are_held_as_far_as_there_is_room)
{
    static const struct {
        size_t cols;
        const char *options;
    } rows[] = {{700, " -DHOLD_COLS=1024 "},      {1025, " -DHOLD_COLS=1280 "},
                {200000, " -DHOLD_COLS=229376 "}, {229377, " -DHOLD_COLS=260864 "},
                {260864, " -DHOLD_COLS=260864 "}, {260865, " -DHOLD_COLS=0 "}};
    struct traits t = cpu;
    t.local_bytes = 1048576;
    for (size_t i = 0; i < COUNT(rows); i++) {
        clsm_problem given;
        clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_F32, 100, rows[i].cols);
        const char *options = options_of(&given, "fused:VEC=8", &t);
        ck_assert_msg(strstr(options, rows[i].options) != NULL, "%zu: %s", rows[i].cols,
                      options);
    }
}
END_TEST

Suite *program_suite(void)
{
    Suite *s = suite_create("program");
    TCase *tc = tcase_create("program");
    tcase_add_test(tc, x_stays_where_rows_are_written_that_nobody_reads_soon);
    tcase_add_test(tc, terms_are_held_as_far_as_there_is_room);
    suite_add_tcase(s, tc);
    return s;
}
