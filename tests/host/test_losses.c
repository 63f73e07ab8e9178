/* SPDX-License-Identifier: MIT */
/* Facts about cross-entropy's loss: the header's formula by hand, targets that do not
 * count, and rows without a finite loss. */
#include "suites.h"

#include <math.h>
#include <stdint.h>

enum { COLS = 4, MAX_ROWS = 8 };

static clsm_problem problem;
static int32_t targets[MAX_ROWS];
static double weights[COLS] = {0.5, 2, 0, 1.25};
static double loss[MAX_ROWS], y[MAX_ROWS * COLS], bad, lse[MAX_ROWS];

static void set_up(void)
{
    clsm_problem_init(&problem, CLSM_CROSS_ENTROPY, CLSM_F64, 1, COLS);
    problem.operands = CLSM_BIT(CLSM_BAD_TARGETS) | CLSM_BIT(CLSM_LSE);
    memset(targets, 0, sizeof targets);
}

static void run(const double *x)
{
    const clsm_host_args in = {
        .struct_bytes = sizeof in,
        .x = x,
        .operand = {[CLSM_TARGETS] = targets, [CLSM_WEIGHTS] = weights}};
    const clsm_host_args out = {
        .struct_bytes = sizeof out,
        .y = y,
        .operand = {[CLSM_LOSS] = loss, [CLSM_LSE] = lse, [CLSM_BAD_TARGETS] = &bad}};
    memset(y, 0x7f, sizeof y);
    memset(loss, 0x7f, sizeof loss);
    ck_assert_msg(clsm_reference_args(&problem, &in, &out) == CLSM_OK, "%s",
                  clsm_last_message());
}

static void is(double got, double want)
{
    bool same = isnan(want) ? isnan(got)
                            : got == want || fabs(got - want) <= 4e-15 * fabs(want);
    ck_assert_msg(same, "got %.17g, expected %.17g", got, want);
}

/* (1 - e) w[t] (lse - x[t]) + e / cols sum_c(w[c] (lse - x[c])) + z lse^2 */
static double formula(const double *x, size_t t)
{
    bool weighted = problem.operands & CLSM_BIT(CLSM_WEIGHTS);
    double sum = 0, rest = 0, e = problem.label_smoothing;
    for (size_t c = 0; c < COLS; c++)
        sum += exp(x[c]);
    for (size_t c = 0; c < COLS; c++)
        rest += (weighted ? weights[c] : 1) * (log(sum) - x[c]);
    return (1 - e) * (weighted ? weights[t] : 1) * (log(sum) - x[t]) + e / COLS * rest +
           problem.z_loss * log(sum) * log(sum);
}

START_TEST(a_loss_is_the_headers_formula)
{
    static const double x[COLS] = {0.5, -1, 2, 0.25};
    const double smoothing[] = {0, 0.1, 1}, z_loss[] = {0, 0.5};
    problem.operands |= _i % 2 ? CLSM_BIT(CLSM_WEIGHTS) : 0;
    problem.label_smoothing = smoothing[_i / 2 % 3];
    problem.z_loss = z_loss[_i / 6];
    for (int t = 0; t < COLS; t++) {
        targets[0] = t;
        problem.op = CLSM_CROSS_ENTROPY;
        run(x);
        is(loss[0], formula(x, (size_t)t));
        problem.op = CLSM_CROSS_ENTROPY_LOSS; /* the same as its y */
        run(x);
        is(y[0], formula(x, (size_t)t));
    }
}
END_TEST

START_TEST(a_sure_and_right_row_keeps_its_tiny_loss)
{
    static const double x[COLS] = {60, 0, 0, 0};
    run(x);
    is(loss[0], 3 * exp(-60));
    is(y[0], -3 * exp(-60)); /* p - 1 */
    is(y[1], exp(-60));
}
END_TEST

START_TEST(rows_whose_target_does_not_count_have_no_gradient)
{
    double x[5 * COLS];
    const int32_t all[] = {2, -100, COLS, -1, INT32_MAX};
    const double want[] = {0, 0, NAN, NAN, NAN};
    for (size_t i = 0; i < 5 * COLS; i++)
        x[i] = (double)(i % 7);
    memcpy(targets, all, sizeof all);
    problem.rows = 5;
    problem.z_loss = 0.25;
    problem.label_smoothing = 0.5;
    run(x);
    is(loss[0], formula(x, 2));
    for (size_t r = 1; r < 5; r++) {
        is(loss[r], want[r]);
        for (size_t c = 0; c < COLS; c++)
            is(y[r * COLS + c], 0);
        ck_assert(isfinite(lse[r])); /* the statistics do not mind */
    }
    is(bad, 3);
}
END_TEST

START_TEST(any_number_may_be_the_one_to_ignore)
{
    static const double x[2 * COLS] = {0};
    problem.rows = 2;
    problem.ignore_index = 3; /* a class as well: it is ignored all the same */
    targets[0] = 3, targets[1] = -100;
    run(x);
    is(loss[0], 0);
    is(loss[1], NAN);
    is(bad, 1);
    problem.ignore_index = INT64_MIN;
    run(x);
    is(loss[0], log(4));
}
END_TEST

START_TEST(targets_of_64_bits_are_not_cut)
{
    static const double x[2 * COLS] = {0};
    int64_t wide[] = {((int64_t)1 << 32) + 1, 1};
    memcpy(targets, wide, sizeof wide);
    problem.rows = 2;
    problem.target_type = CLSM_TARGET_I64;
    run(x);
    is(loss[0], NAN);
    is(loss[1], log(4));
    is(bad, 1);
}
END_TEST

START_TEST(without_columns_every_target_is_bad_unless_ignored)
{
    problem.rows = 3, problem.cols = 0;
    targets[1] = -100;
    run(NULL);
    is(loss[0], NAN);
    is(loss[1], 0);
    is(lse[0], -INFINITY);
    is(bad, 2);
}
END_TEST

START_TEST(without_rows_no_target_is_bad)
{
    problem.rows = 0;
    bad = 77;
    run(NULL);
    is(bad, 0);
}
END_TEST

START_TEST(rows_that_the_default_policy_breaks_have_a_loss_of_nan)
{
    static const double rows[][COLS] = {
        {NAN, 0, 1, 2},
        {1, INFINITY, 0, 0},
        {-INFINITY, -INFINITY, -INFINITY, -INFINITY},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        run(rows[i]);
        is(loss[0], NAN);
        for (size_t c = 0; c < COLS; c++)
            is(y[c], NAN);
    }
}
END_TEST

START_TEST(a_target_of_probability_0_has_an_infinite_loss)
{
    static const double x[COLS] = {-INFINITY, 1, 1, -INFINITY};
    run(x);
    is(loss[0], INFINITY);
    is(y[0], -1);
    is(y[1], 0.5);
    is(y[3], 0);
    targets[0] = 1; /* another one does not matter, */
    run(x);
    is(loss[0], log(2));
    problem.label_smoothing = 0.5; /* unless all classes count */
    run(x);
    is(loss[0], INFINITY);
}
END_TEST

/* A class weight of 0 takes nothing away from NaN, as a row that is all -inf shows too.
 */
START_TEST(broken_rows_that_count_have_no_gradient_but_nan)
{
    static const double x[3][COLS] = {{1, NAN, 2, 3},
                                      {1, INFINITY, 2, 3},
                                      {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};
    problem.operands |= CLSM_BIT(CLSM_WEIGHTS);
    problem.rows = 3;
    targets[0] = targets[1] = targets[2] = 2; /* of weight 0 */
    run(x[0]);
    for (size_t e = 0; e < 3 * COLS; e++)
        is(y[e], NAN);
    for (size_t r = 0; r < 3; r++)
        is(loss[r], NAN);
}
END_TEST

START_TEST(targets_and_weights_must_be_there)
{
    const double x[COLS] = {0};
    const clsm_host_args in = {.struct_bytes = sizeof in, .x = x};
    const clsm_host_args out = {.struct_bytes = sizeof out, .y = y};
    REFUSED(clsm_reference_args(&problem, &in, &out), CLSM_ERR_NULL,
            "operand targets is NULL", "");
    REFUSED(clsm_reference(&problem, x, y), CLSM_ERR_NULL, "operand targets is NULL",
            "");
}
END_TEST

Suite *losses_suite(void)
{
    Suite *suite = suite_create("losses");
    TCase *c = tcase_create("losses");
    tcase_add_checked_fixture(c, set_up, NULL);
    tcase_add_loop_test(c, a_loss_is_the_headers_formula, 0, 12);
    tcase_add_test(c, a_sure_and_right_row_keeps_its_tiny_loss);
    tcase_add_test(c, rows_whose_target_does_not_count_have_no_gradient);
    tcase_add_test(c, any_number_may_be_the_one_to_ignore);
    tcase_add_test(c, targets_of_64_bits_are_not_cut);
    tcase_add_test(c, without_columns_every_target_is_bad_unless_ignored);
    tcase_add_test(c, without_rows_no_target_is_bad);
    tcase_add_test(c, rows_that_the_default_policy_breaks_have_a_loss_of_nan);
    tcase_add_test(c, a_target_of_probability_0_has_an_infinite_loss);
    tcase_add_test(c, broken_rows_that_count_have_no_gradient_but_nan);
    tcase_add_test(c, targets_and_weights_must_be_there);
    suite_add_tcase(suite, c);
    return suite;
}
