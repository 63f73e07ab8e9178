/* SPDX-License-Identifier: MIT */
/*
 * Facts about clsm_check(), which every device test trusts: the last value within the
 * header's bound passes and the next one of the type fails, on either side. The bound
 * is computed here anew from the header's words.
 */
#include "convert.h"
#include "suites.h"

#include <math.h>
#include <stdint.h>

enum { COLS = 3 };

static const double x[COLS] = {0.5, -1.0, -7.25};
static clsm_problem problem;
static double y[COLS]; /* room for any type */
static clsm_report report;

static void set_up(void)
{
    clsm_problem_init(&problem, CLSM_SOFTMAX, CLSM_F64, 1, COLS);
    report = (clsm_report){.struct_bytes = sizeof report};
}

static void check(void)
{
    ck_assert_int_eq(clsm_check(&problem, x, y, &report), CLSM_OK);
    ck_assert_uint_eq(report.checked, COLS);
    ck_assert_int_eq(report.pass, report.failed == 0);
    ck_assert_int_eq(report.pass, report.worst <= 1);
}

static long double want_of(size_t c)
{
    long double sum = 0;
    for (size_t k = 0; k < COLS; k++)
        sum += expl((long double)x[k] - x[0]);
    long double log_y = (long double)x[c] - x[0] - logl(sum);
    return problem.op == CLSM_SOFTMAX ? expl(log_y) : log_y;
}

/* (8 + 2 D) units of the arithmetic's precision, or an ulp of a 16-bit output. */
static long double bound_of(size_t c)
{
    long double want = want_of(c);
    if (problem.y_type == CLSM_F16 || problem.y_type == CLSM_BF16)
        return clsm_element_ulp(problem.y_type, (double)want);
    long double distance = problem.op == CLSM_SOFTMAX ? fabsl((long double)x[c] - x[0])
                                                      : fabsl(logl(fabsl(want)));
    long double unit = problem.x_type == CLSM_F64 ? 0x1p-53L : 0x1p-24L;
    bool narrowed = problem.x_type == CLSM_F64 && problem.y_type == CLSM_F32;
    return (8 + 2 * distance) * unit * fabsl(want) +
           (narrowed ? clsm_element_ulp(CLSM_F32, (double)want) / 2 : 0);
}

/* The next number of y's type, away from zero or towards it. */
static double step(double v, int away)
{
    union {
        uint64_t bits;
        double f64;
        float f32;
        uint16_t u16;
    } u = {0};
    clsm_element_set(problem.y_type, &u, 0, v);
    if (problem.y_type == CLSM_F64)
        u.bits += (uint64_t)(int64_t)away;
    else if (problem.y_type == CLSM_F32)
        u.bits = (uint32_t)u.bits + (uint32_t)away;
    else
        u.u16 = (uint16_t)(u.u16 + away);
    return clsm_element_get(problem.y_type, &u, 0);
}

static void fill_rounded(void)
{
    for (size_t c = 0; c < COLS; c++)
        clsm_element_set(problem.y_type, y, c, (double)want_of(c));
}

static void passes_up_to_the_bound(size_t c, int away)
{
    double v = (double)want_of(c);
    clsm_element_set(problem.y_type, y, c, v);
    v = clsm_element_get(problem.y_type, y, c);
    while (fabsl(step(v, away) - want_of(c)) <= bound_of(c))
        v = step(v, away);
    clsm_element_set(problem.y_type, y, c, v);
    check();
    ck_assert_msg(report.pass, "%.17g refused, want %.17Lg, bound %Lg", v, want_of(c),
                  bound_of(c));
    clsm_element_set(problem.y_type, y, c, step(v, away));
    check();
    ck_assert_msg(!report.pass, "%.17g passed, want %.17Lg, bound %Lg", step(v, away),
                  want_of(c), bound_of(c));
    ck_assert_uint_eq(report.failed, 1);
    ck_assert_uint_eq(report.worst_col, c);
    ck_assert_double_eq(report.got, step(v, away));
}

/* _i: operation and output type */
START_TEST(an_element_may_move_by_the_bound_and_no_further)
{
    problem.op = (clsm_op)(_i / 4);
    problem.y_type = (clsm_type)(_i % 4);
    for (size_t c = 0; c < COLS; c++)
        for (int away = -1; away <= 1; away += 2) {
            fill_rounded();
            passes_up_to_the_bound(c, away);
        }
}
END_TEST

/* The same where x is f32 and so is the arithmetic. */
START_TEST(f32_arithmetic_has_the_wider_bound)
{
    float narrow[COLS];
    clsm_problem_init(&problem, CLSM_SOFTMAX, CLSM_F32, 1, COLS);
    for (size_t c = 0; c < COLS; c++)
        narrow[c] = (float)x[c];
    fill_rounded();
    double v = (double)want_of(2);
    while (fabsl(step(v, 1) - want_of(2)) <= bound_of(2))
        v = step(v, 1);
    clsm_element_set(CLSM_F32, y, 2, v);
    ck_assert_int_eq(clsm_check(&problem, narrow, y, &report), CLSM_OK);
    ck_assert(report.pass);
    clsm_element_set(CLSM_F32, y, 2, step(v, 1));
    ck_assert_int_eq(clsm_check(&problem, narrow, y, &report), CLSM_OK);
    ck_assert(!report.pass);
    ck_assert_double_gt(report.max_ulp, 8);
}
END_TEST

START_TEST(an_exact_result_has_no_error)
{
    fill_rounded();
    check();
    ck_assert(report.pass);
    ck_assert_double_le(report.max_ulp, 0.5);
    ck_assert_double_le(report.worst, 0.1);
}
END_TEST

Suite *check_suite(void)
{
    Suite *suite = suite_create("check");
    TCase *c = tcase_create("check");
    tcase_add_checked_fixture(c, set_up, NULL);
    tcase_add_loop_test(c, an_element_may_move_by_the_bound_and_no_further, 0, 8);
    tcase_add_test(c, f32_arithmetic_has_the_wider_bound);
    tcase_add_test(c, an_exact_result_has_no_error);
    suite_add_tcase(suite, c);
    return suite;
}
