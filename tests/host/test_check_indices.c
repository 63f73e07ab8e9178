/* SPDX-License-Identifier: MIT */
/* Facts about how clsm_check_args() judges the columns of the k largest: exactly,
 * except where rounding of a form may have made two logits equal. */
#include "suites.h"

#include <math.h>
#include <stdint.h>

enum { COLS = 6, K = 4 };

static clsm_problem problem;
static float x[COLS];
static float y[K];
static int32_t indices[K];
static clsm_report report;

static void make(const float *row)
{
    double want[K], columns[K];
    const clsm_host_args in = {.struct_bytes = sizeof in, .x = x};
    const clsm_host_args out = {
        .struct_bytes = sizeof out, .y = want, .operand = {[CLSM_INDICES] = columns}};
    memcpy(x, row, sizeof x);
    ck_assert_int_eq(clsm_reference_args(&problem, &in, &out), CLSM_OK);
    for (int j = 0; j < K; j++) {
        y[j] = (float)want[j];
        indices[j] = (int32_t)columns[j];
    }
}

static void set_up(void)
{
    clsm_problem_init(&problem, CLSM_TOPK, CLSM_F32, 1, COLS);
    problem.k = K;
    make((const float[]){1, 5, 3, 5, -INFINITY, 2});
}

static bool passes(void)
{
    const clsm_host_args got = {.struct_bytes = sizeof got,
                                .x = x,
                                .y = y,
                                .operand = {[CLSM_INDICES] = indices}};
    report = (clsm_report){.struct_bytes = sizeof report};
    ck_assert_int_eq(clsm_check_args(&problem, &got, &report), CLSM_OK);
    return report.pass;
}

static void is_found_at(size_t place)
{
    ck_assert_msg(!passes(), "column %d passes at place %zu", indices[place], place);
    ck_assert_int_eq(report.worst_operand, CLSM_INDICES);
    ck_assert_uint_eq(report.worst_col, place);
    ck_assert_double_eq(report.got, indices[place]);
}

START_TEST(the_columns_in_order_pass)
{
    const int32_t want[] = {1, 3, 2, 5};
    ck_assert_mem_eq(indices, want, sizeof want);
    ck_assert(passes());
    ck_assert_uint_eq(report.checked, 2 * K);
}
END_TEST

START_TEST(another_column_is_found)
{
    const int32_t others[] = {0, 4, 5, -1, -2, COLS, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < COUNT(others); i++) {
        indices[2] = others[i];
        is_found_at(2);
    }
}
END_TEST

START_TEST(a_column_that_comes_twice_is_found)
{
    indices[1] = 1;
    is_found_at(1);
}
END_TEST

START_TEST(of_equal_elements_the_lower_column_comes_first)
{
    indices[0] = 3, indices[1] = 1;
    is_found_at(0);
}
END_TEST

START_TEST(of_equal_elements_at_the_end_the_lower_column_is_listed)
{
    make((const float[]){9, 8, 7, 2, 2, 2});
    ck_assert_int_eq(indices[3], 3);
    indices[3] = 4;
    is_found_at(3);
}
END_TEST

START_TEST(a_column_at_a_free_place_is_found)
{
    make((const float[]){1, 2, -INFINITY, -INFINITY, -INFINITY, 3});
    ck_assert_int_eq(indices[3], -1);
    ck_assert(passes());
    indices[3] = 2;
    is_found_at(3);
    indices[3] = 0;
    is_found_at(3);
}
END_TEST

START_TEST(infinities_keep_their_order)
{
    problem.nonfinite = CLSM_NONFINITE_LIMIT;
    make((const float[]){INFINITY, 0, INFINITY, 1, 1, 0});
    ck_assert(passes());
    indices[0] = 2, indices[1] = 0;
    is_found_at(0);
}
END_TEST

/* Logits 5 and 5 (1 + 2^-23) times a third may round to the same number. */
START_TEST(columns_that_rounding_made_equal_may_change_places)
{
    make((const float[]){0, 5, 0, nextafterf(5, 6), 1, 2});
    int32_t first = indices[0], second = indices[1];
    ck_assert(first == 3 && second == 1);
    indices[0] = second, indices[1] = first;
    is_found_at(0); /* as they are, they differ */
    problem.scale = 1.0 / 3;
    make(x);
    indices[0] = second, indices[1] = first;
    ck_assert(passes());
    indices[2] = 4, indices[3] = 5; /* these are far apart */
    is_found_at(2);
}
END_TEST

Suite *check_indices_suite(void)
{
    Suite *suite = suite_create("check_indices");
    TCase *c = tcase_create("check_indices");
    tcase_add_checked_fixture(c, set_up, NULL);
    tcase_add_test(c, the_columns_in_order_pass);
    tcase_add_test(c, another_column_is_found);
    tcase_add_test(c, a_column_that_comes_twice_is_found);
    tcase_add_test(c, of_equal_elements_the_lower_column_comes_first);
    tcase_add_test(c, of_equal_elements_at_the_end_the_lower_column_is_listed);
    tcase_add_test(c, a_column_at_a_free_place_is_found);
    tcase_add_test(c, infinities_keep_their_order);
    tcase_add_test(c, columns_that_rounding_made_equal_may_change_places);
    suite_add_tcase(suite, c);
    return suite;
}
