/* SPDX-License-Identifier: MIT */
/* Facts about the k largest and about temperature 0: the order of equal elements, of
 * NaN and infinities, and the places that stay free. */
#include "sample.h"
#include "suites.h"

#include <math.h>

enum { MAX_K = 8 };

static clsm_problem problem;
static double y[MAX_K], softmax[MAX_K], indices[MAX_K];

static void set_up(void)
{
    clsm_problem_init(&problem, CLSM_TOPK, CLSM_F64, 1, 4);
}

static void run(const double *x, size_t cols, size_t k)
{
    const clsm_host_args in = {.struct_bytes = sizeof in, .x = x};
    clsm_host_args out = {
        .struct_bytes = sizeof out, .y = y, .operand = {[CLSM_INDICES] = indices}};
    problem.cols = cols;
    problem.k = k;
    problem.op = CLSM_TOPK;
    ck_assert_msg(clsm_reference_args(&problem, &in, &out) == CLSM_OK, "%s",
                  clsm_last_message());
    problem.op = CLSM_SOFTMAX;
    problem.k = 1;
    ck_assert_int_eq(clsm_reference(&problem, x, softmax), CLSM_OK);
}

/* The columns in this order, each with its probability; -1 with `free`. */
static void order_is(size_t k, const int *columns, double free)
{
    for (size_t j = 0; j < k; j++) {
        double want = columns[j] < 0 ? free : softmax[columns[j]];
        ck_assert_msg(indices[j] == columns[j], "place %zu: column %g, expected %d", j,
                      indices[j], columns[j]);
        ck_assert_msg(y[j] == want || (isnan(y[j]) && isnan(want)),
                      "place %zu: %g, expected %g", j, y[j], want);
    }
}

START_TEST(the_largest_come_first_and_equal_ones_by_column)
{
    run((double[]){1, 3, 2, 3, 0, 2}, 6, 5);
    order_is(5, (int[]){1, 3, 2, 5, 0}, 0);
    run((double[]){7, 7, 7, 7}, 4, 3);
    order_is(3, (int[]){0, 1, 2}, 0);
    run((double[]){1, 2, 3, 4}, 4, 1);
    order_is(1, (int[]){3}, 0);
    run((double[]){-0.0, 0.0, -0.0}, 3, 2);
    order_is(2, (int[]){0, 1}, 0);
}
END_TEST

START_TEST(places_past_the_columns_are_free)
{
    run((double[]){1, 3}, 2, 5);
    order_is(5, (int[]){1, 0, -1, -1, -1}, 0);
}
END_TEST

START_TEST(minus_infinity_is_not_listed)
{
    run((double[]){-INFINITY, 3, -INFINITY, 4}, 4, 4);
    order_is(4, (int[]){3, 1, -1, -1}, 0);
}
END_TEST

START_TEST(nan_sorts_as_plus_infinity)
{
    run((double[]){1, NAN, 5, NAN}, 4, 3);
    order_is(3, (int[]){1, 3, 2}, NAN);
    run((double[]){1, INFINITY, NAN, INFINITY}, 4, 4);
    order_is(4, (int[]){1, 2, 3, 0}, NAN);
}
END_TEST

START_TEST(rows_that_the_policy_decides_keep_their_order)
{
    problem.nonfinite = _i ? CLSM_NONFINITE_LIMIT : CLSM_NONFINITE_DEFAULT;
    run((double[]){1, INFINITY, 5, INFINITY}, 4, 3);
    order_is(3, (int[]){1, 3, 2}, 0);
    ck_assert(_i ? y[0] == 0.5 && y[2] == 0 : isnan(y[0]) && isnan(y[2]));
    run((double[]){-INFINITY, -INFINITY}, 2, 2); /* nothing to list */
    order_is(2, (int[]){-1, -1}, _i ? 0 : NAN);
}
END_TEST

START_TEST(a_row_without_columns_lists_nothing)
{
    problem.nonfinite = CLSM_NONFINITE_LIMIT;
    run(NULL, 0, 2);
    order_is(2, (int[]){-1, -1}, 0);
}
END_TEST

START_TEST(masked_columns_are_not_listed)
{
    static unsigned char seen[] = {1, 0, 1, 0};
    const double x[] = {1, 9, 2, 8};
    const clsm_host_args in = {
        .struct_bytes = sizeof in, .x = x, .operand = {[CLSM_MASK] = seen}};
    const clsm_host_args out = {
        .struct_bytes = sizeof out, .y = y, .operand = {[CLSM_INDICES] = indices}};
    problem.k = 3;
    problem.mask_type = CLSM_MASK_BOOL;
    ck_assert_int_eq(clsm_reference_args(&problem, &in, &out), CLSM_OK);
    ck_assert(indices[0] == 2 && indices[1] == 0 && indices[2] == -1);
    ck_assert_double_eq(y[2], 0);
}
END_TEST

START_TEST(a_probability_is_of_all_columns_and_not_of_those_listed)
{
    run((double[]){0, 0, 0, 0}, 4, 2);
    ck_assert_double_eq(y[0], 0.25);
    ck_assert_double_eq(y[1], 0.25);
}
END_TEST

START_TEST(temperature_0_puts_all_mass_on_the_first_maximum)
{
    problem.temperature = 0;
    run((double[]){1, 3, 2, 3}, 4, 3);
    ck_assert(softmax[1] == 1 && softmax[0] == 0 && softmax[2] == 0 && softmax[3] == 0);
    order_is(3, (int[]){1, 3, 2}, 0);
    problem.scale = -1; /* which still counts */
    run((double[]){1, 3, 1, 3}, 4, 1);
    order_is(1, (int[]){0}, 0);
    ck_assert_double_eq(softmax[0], 1);
}
END_TEST

START_TEST(temperature_0_has_the_results_of_a_single_element)
{
    const clsm_op ops[] = {CLSM_SOFTMAX, CLSM_LOG_SOFTMAX, CLSM_DEFERRED_SOFTMAX};
    const double want[][2] = {{1, 0}, {0, -INFINITY}, {1, 0}};
    const double x[] = {1, 3, 2, 3};
    for (size_t i = 0; i < COUNT(ops); i++) {
        double max, sum, lse;
        const clsm_host_args in = {.struct_bytes = sizeof in, .x = x};
        const clsm_host_args out = {
            .struct_bytes = sizeof out,
            .y = y,
            .operand = {[CLSM_MAX] = &max, [CLSM_SUM] = &sum, [CLSM_LSE] = &lse}};
        problem.op = ops[i];
        problem.temperature = 0;
        problem.operands = CLSM_STATISTICS_BITS;
        ck_assert_int_eq(clsm_reference_args(&problem, &in, &out), CLSM_OK);
        for (size_t c = 0; c < 4; c++)
            ck_assert_double_eq(y[c], want[i][c != 1]);
        ck_assert_double_eq(max, 3);
        ck_assert_double_eq(sum, 1);
        ck_assert_double_eq(lse, 3);
    }
}
END_TEST

START_TEST(temperature_0_follows_the_policy_where_no_maximum_is_finite)
{
    problem.temperature = 0;
    problem.nonfinite = _i ? CLSM_NONFINITE_LIMIT : CLSM_NONFINITE_DEFAULT;
    run((double[]){1, INFINITY, INFINITY, 0}, 4, 1);
    ck_assert(_i ? softmax[1] == 1 && softmax[2] == 0 : isnan(softmax[1]));
    run((double[]){1, NAN, 2, 0}, 4, 1);
    ck_assert(isnan(softmax[0]) && isnan(softmax[2]));
    run((double[]){-INFINITY, -INFINITY}, 2, 1);
    ck_assert(_i ? softmax[0] == 0 : isnan(softmax[0]));
}
END_TEST

START_TEST(each_softmax_may_have_temperature_0_of_its_own)
{
    static double temperatures[] = {0, 2};
    const double x[] = {1, 3, 3, 1, 3, 3};
    double out_y[6];
    const clsm_host_args in = {.struct_bytes = sizeof in,
                               .x = x,
                               .operand = {[CLSM_TEMPERATURE] = temperatures}};
    const clsm_host_args out = {.struct_bytes = sizeof out, .y = out_y};
    clsm_problem_init(&problem, CLSM_SOFTMAX, CLSM_F64, 2, 3);
    problem.operands = CLSM_BIT(CLSM_TEMPERATURE);
    ck_assert_int_eq(clsm_reference_args(&problem, &in, &out), CLSM_OK);
    ck_assert(out_y[0] == 0 && out_y[1] == 1 && out_y[2] == 0);
    ck_assert_double_eq_tol(out_y[3], 1 / (1 + 2 * exp(1)), 1e-15);
}
END_TEST

Suite *topk_suite(void)
{
    Suite *suite = suite_create("topk");
    TCase *c = tcase_create("topk");
    tcase_add_checked_fixture(c, set_up, NULL);
    tcase_add_test(c, the_largest_come_first_and_equal_ones_by_column);
    tcase_add_test(c, places_past_the_columns_are_free);
    tcase_add_test(c, minus_infinity_is_not_listed);
    tcase_add_test(c, nan_sorts_as_plus_infinity);
    tcase_add_loop_test(c, rows_that_the_policy_decides_keep_their_order, 0, 2);
    tcase_add_test(c, a_row_without_columns_lists_nothing);
    tcase_add_test(c, masked_columns_are_not_listed);
    tcase_add_test(c, a_probability_is_of_all_columns_and_not_of_those_listed);
    tcase_add_test(c, temperature_0_puts_all_mass_on_the_first_maximum);
    tcase_add_test(c, temperature_0_has_the_results_of_a_single_element);
    tcase_add_loop_test(c, temperature_0_follows_the_policy_where_no_maximum_is_finite,
                        0, 2);
    tcase_add_test(c, each_softmax_may_have_temperature_0_of_its_own);
    suite_add_tcase(suite, c);
    return suite;
}
