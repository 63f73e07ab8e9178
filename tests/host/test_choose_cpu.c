/* SPDX-License-Identifier: MIT */
/* Choices that were measured on CPUs, see bench/NOTES.md: on cores as they were then,
 * these problems go to what was the fastest. */
#include "choose.h"
#include "devices.h"
#include "suites.h"

#include <string.h>

static struct choice c;

START_TEST(long_packed_rows_on_a_cpu_go_to_a_loop_a_core)
{
    for (size_t cols = 256; cols <= 70000; cols += 97) {
        clsm_problem given;
        struct problem p;
        clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_F32, 4096, cols);
        ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
        EXPECT(clsm_choose(&p, &cpu, NULL, &c) == CLSM_OK, "%s", clsm_last_message());
        enum geometry geometry = clsm_variants[c.ranked[0].config.variant].geometry;
        EXPECT(geometry == ROW_RUN_PER_ITEM, "cols %zu", cols);
    }
}
END_TEST

/* A list for each lane of a vector costs more than it saves in the shortest rows alone.
 */
START_TEST(the_largest_of_two_columns_are_found_by_one_list_a_row_on_a_cpu)
{
    static const struct {
        size_t cols, k;
        enum geometry geometry;
    } rows[] = {{2, 1, ROW_PER_ITEM},        {8, 3, ROW_RUN_PER_ITEM},
                {12, 8, ROW_RUN_PER_ITEM},   {20, 2, ROW_RUN_PER_ITEM},
                {1000, 1, ROW_RUN_PER_ITEM}, {10000, 4, ROW_RUN_PER_ITEM}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        clsm_problem given;
        struct problem p;
        clsm_problem_init(&given, CLSM_TOPK, CLSM_F32, 50000, rows[i].cols);
        given.k = rows[i].k;
        ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
        ck_assert_int_eq(clsm_choose(&p, &cpu, NULL, &c), CLSM_OK);
        EXPECT(clsm_variants[c.ranked[0].config.variant].geometry == rows[i].geometry,
               "k %zu of %zu", rows[i].k, rows[i].cols);
    }
}
END_TEST

/* Of longer ones half is not read where a row is taken by itself. */
START_TEST(short_causal_rows_are_taken_in_blocks_on_a_cpu)
{
    static const struct {
        size_t cols;
        const char *variant;
    } rows[] = {{7, "lines"}, {64, "lines"}, {128, "lines"}, {352, "fused"}};
    struct traits wide = cpu;
    wide.vector_width = 16;
    for (size_t i = 0; i < COUNT(rows); i++) {
        clsm_problem given;
        struct problem p;
        clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_F32, 1000 * rows[i].cols,
                          rows[i].cols);
        given.queries = rows[i].cols;
        given.flags = CLSM_CAUSAL;
        ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
        ck_assert_int_eq(clsm_choose(&p, &wide, NULL, &c), CLSM_OK);
        ck_assert_str_eq(clsm_variants[c.ranked[0].config.variant].name,
                         rows[i].variant);
    }
}
END_TEST

/* A work-group for each row of one column took 42 s for a million of them. */
START_TEST(work_items_without_elements_cost_time_on_a_cpu)
{
    clsm_problem given;
    struct problem p;
    struct config item, group;
    bool exact;
    clsm_problem_init(&given, CLSM_TOPK, CLSM_F32, 1247614, 1);
    given.k = 1;
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    ck_assert_int_eq(clsm_config_parse("item:WG=64", &item, &exact), CLSM_OK);
    ck_assert_int_eq(clsm_config_parse("online:WG=1024,BLOCK=4", &group, &exact),
                     CLSM_OK);
    EXPECT(clsm_estimate(&group, &p, &cpu) > 100 * clsm_estimate(&item, &p, &cpu),
           "%g s", clsm_estimate(&group, &p, &cpu));
}
END_TEST

START_TEST(gradients_in_memory_go_to_vectors_of_the_device_s_width)
{
    clsm_problem given;
    struct problem p;
    clsm_problem_init(&given, CLSM_SOFTMAX_BACKWARD, CLSM_F32, 4096, 4096);
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    ck_assert_int_eq(clsm_choose(&p, &cpu, NULL, &c), CLSM_OK);
    ck_assert_uint_eq(clsm_config_value(&c.ranked[0].config, PARAM_VEC, 1),
                      cpu.vector_width);
}
END_TEST

/* On two cores with vectors of 16. */
START_TEST(vectors_are_as_long_as_was_measured_fastest)
{
    static const struct {
        clsm_op op;
        clsm_type type;
        size_t rows, cols, k; /* 1: not top-k */
        const char *config;
    } cases[] = {
        {CLSM_FINISH_SOFTMAX, CLSM_F32, 153909, 7, 1, "lines:VEC=8"},
        {CLSM_FINISH_SOFTMAX, CLSM_F32, 242335, 3, 1, "transposed:VEC=16"},
        {CLSM_FINISH_SOFTMAX, CLSM_F16, 559027, 4, 1, "transposed:VEC=16"},
        {CLSM_FINISH_LOG_SOFTMAX, CLSM_BF16, 172781, 6, 1, "transposed:VEC=16"},
        {CLSM_FINISH_LOG_SOFTMAX, CLSM_BF16, 38470, 28, 1, "lines:VEC=16"},
        {CLSM_LOG_SOFTMAX_BACKWARD, CLSM_F32, 1000, 500, 1, "fused:VEC=16"},
        {CLSM_FINISH_SOFTMAX, CLSM_F32, 300000, 10, 1, "lines:VEC=16"},
        {CLSM_TOPK, CLSM_F16, 31396, 88, 8, "wide:VEC=8"},
        {CLSM_TOPK, CLSM_F32, 1880, 229, 11, "wide:VEC=8"},
        {CLSM_TOPK, CLSM_BF16, 734, 3176, 16, "wide:VEC=16"},
    };
    struct traits t = cpu;
    t.compute_units = 2;
    t.vector_width = 16;
    for (size_t i = 0; i < COUNT(cases); i++) {
        clsm_problem given;
        struct problem p;
        char config[64];
        clsm_problem_init(&given, cases[i].op, cases[i].type, cases[i].rows,
                          cases[i].cols);
        given.k = cases[i].k;
        ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
        ck_assert_int_eq(clsm_choose(&p, &t, NULL, &c), CLSM_OK);
        clsm_config_text(&c.ranked[0].config, config, sizeof config);
        EXPECT(strcmp(config, cases[i].config) == 0, "%s of %zu: %s, expected %s",
               clsm_op_name(cases[i].op), cases[i].cols, config, cases[i].config);
    }
}
END_TEST

/* Measured on 2 and on 16 cores, see bench/NOTES.md. */
START_TEST(a_cpu_takes_the_mapping_that_was_measured_fastest)
{
    static const struct {
        unsigned cores;
        clsm_op op;
        clsm_type type;
        size_t rows, cols;
        const char *config;
    } cases[] = {
        /* all cores wake for a second launch, which costs more than it saves */
        {16, CLSM_LOG_SUM_EXP, CLSM_F32, 1, 60000, "fused:VEC=16"},
        {16, CLSM_SOFTMAX, CLSM_BF16, 3, 60000, "fused:VEC=16"},
        {16, CLSM_SOFTMAX, CLSM_F32, 1, 250000, "wide_split:VEC=16"},
        {16, CLSM_FINISH_SOFTMAX, CLSM_F32, 1, 250000, "wide_split:VEC=16"},
        {2, CLSM_STATISTICS, CLSM_F32, 1, 60000, "fused:VEC=16"},
        /* but for rows that fill a core's cache, where each has one */
        {16, CLSM_SOFTMAX, CLSM_BF16, 1, 350000, "wide_split:VEC=16"},
        {16, CLSM_SOFTMAX, CLSM_BF16, 2, 350000, "wide_split:VEC=16"},
        {16, CLSM_SOFTMAX, CLSM_F32, 8, 350000, "wide_split:VEC=16"},
        {2, CLSM_SOFTMAX, CLSM_F16, 1, 350000, "wide_split:VEC=16"},
        {16, CLSM_SOFTMAX, CLSM_BF16, 8, 262144, "fused:VEC=16"},
        {16, CLSM_SOFTMAX, CLSM_F32, 4, 128256, "fused:VEC=16"},
        {16, CLSM_LOG_SUM_EXP, CLSM_F32, 1, 262144, "fused:VEC=16"},
        /* whichever mapping it is, a launch wakes them */
        {16, CLSM_SOFTMAX, CLSM_F32, 1, 128, "lines:VEC=16"},
        {16, CLSM_SOFTMAX, CLSM_F32, 256, 64, "lines:VEC=16"},
        /* no reduction that others' rows would have to hide */
        {2, CLSM_FINISH_SOFTMAX, CLSM_F32, 60494, 13, "lines:VEC=16"},
        {2, CLSM_FINISH_LOG_SOFTMAX, CLSM_BF16, 52428, 30, "lines:VEC=16"},
        {2, CLSM_LOG_SOFTMAX, CLSM_F32, 60494, 13, "transposed:VEC=16"},
        /* two tiles of 16 x 16 fill the registers */
        {2, CLSM_SOFTMAX_BACKWARD, CLSM_F32, 52428, 10, "transposed:VEC=8"},
        {2, CLSM_SOFTMAX_BACKWARD, CLSM_BF16, 104857, 10, "transposed:VEC=16"},
        {2, CLSM_SOFTMAX_BACKWARD, CLSM_F32, 26214, 20, "lines:VEC=16"},
        /* a long row for both cores, unless its 16 bits are only read, or each has rows
         */
        {2, CLSM_CROSS_ENTROPY, CLSM_F32, 1, 900000, "wide_split:VEC=16"},
        {2, CLSM_LOG_SOFTMAX, CLSM_BF16, 1, 900000, "wide_split:VEC=16"},
        {2, CLSM_CROSS_ENTROPY_LOSS, CLSM_BF16, 1, 900000, "fused:VEC=16"},
        {2, CLSM_CROSS_ENTROPY_LOSS, CLSM_F32, 1, 900000, "wide_split:VEC=16"},
        {2, CLSM_LOG_SUM_EXP, CLSM_F32, 1, 300000, "fused:VEC=16"},
        {2, CLSM_LOG_SOFTMAX, CLSM_F32, 5, 150000, "fused:VEC=16"},
        /* code for each vector of a row, up to a KiB of f32 */
        {2, CLSM_SOFTMAX, CLSM_F32, 65793, 255, "lines:VEC=16"},
        {2, CLSM_SOFTMAX, CLSM_F32, 52265, 321, "fused:VEC=16"},
        {2, CLSM_SOFTMAX, CLSM_BF16, 52265, 321, "lines:VEC=16"},
        {2, CLSM_LOG_SUM_EXP, CLSM_F32, 11428, 350, "fused:VEC=16"},
        {2, CLSM_MERGE_STATISTICS, CLSM_F32, 13333, 300, "fused:VEC=16"},
        {2, CLSM_FINISH_SOFTMAX, CLSM_BF16, 300000, 3, "transposed:VEC=16"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct traits t = cpu;
        clsm_problem given;
        struct problem p;
        char config[64];
        t.compute_units = cases[i].cores;
        t.vector_width = t.lanes = 16; /* PoCL 5 has subgroups */
        t.bits |= TRAIT_LANES | TRAIT_SWAP;
        t.lanes_by = LANES_INTEL;
        clsm_problem_init(&given, cases[i].op, cases[i].type, cases[i].rows,
                          cases[i].cols);
        ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
        ck_assert_int_eq(clsm_choose(&p, &t, NULL, &c), CLSM_OK);
        clsm_config_text(&c.ranked[0].config, config, sizeof config);
        EXPECT(strcmp(config, cases[i].config) == 0, "case %zu: %s", i, config);
    }
}
END_TEST

/* On two cores with vectors of 8. */
START_TEST(neighbours_come_by_two_native_vectors_but_for_targets)
{
    static const struct {
        clsm_op op;
        size_t inner, lanes;
    } cases[] = {{CLSM_SOFTMAX, 65536, 16},
                 {CLSM_SOFTMAX_BACKWARD, 65536, 16},
                 {CLSM_CROSS_ENTROPY, 65536, 8},
                 {CLSM_SOFTMAX, 8, 8}};
    struct traits t = cpu;
    t.vector_width = 8;
    t.compute_units = 2;
    for (size_t i = 0; i < COUNT(cases); i++) {
        clsm_problem given;
        struct problem p;
        clsm_problem_init(&given, cases[i].op, CLSM_F32, 16, 21);
        given.inner = cases[i].inner;
        ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
        ck_assert_int_eq(clsm_choose(&p, &t, NULL, &c), CLSM_OK);
        EXPECT(clsm_config_value(&c.ranked[0].config, PARAM_VEC, 1) == cases[i].lanes,
               "case %zu", i);
    }
}
END_TEST

Suite *choose_cpu_suite(void)
{
    Suite *suite = suite_create("choose_cpu");
    TCase *t = tcase_create("choose_cpu");
    tcase_add_test(t, long_packed_rows_on_a_cpu_go_to_a_loop_a_core);
    tcase_add_test(t, the_largest_of_two_columns_are_found_by_one_list_a_row_on_a_cpu);
    tcase_add_test(t, short_causal_rows_are_taken_in_blocks_on_a_cpu);
    tcase_add_test(t, work_items_without_elements_cost_time_on_a_cpu);
    tcase_add_test(t, gradients_in_memory_go_to_vectors_of_the_device_s_width);
    tcase_add_test(t, vectors_are_as_long_as_was_measured_fastest);
    tcase_add_test(t, a_cpu_takes_the_mapping_that_was_measured_fastest);
    tcase_add_test(t, neighbours_come_by_two_native_vectors_but_for_targets);
    suite_add_tcase(suite, t);
    return suite;
}
