/* SPDX-License-Identifier: MIT */
/* Facts about clsm_check() where no bound helps: NaN and infinities, results that
 * overflow or underflow their type, layouts and bad arguments. */
#include "suites.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

enum { COLS = 3 };

static const double x[COLS] = {0.5, -1.0, -7.25};
static clsm_problem problem;
static double y[COLS];
static clsm_report report;

static void set_up(void)
{
    clsm_problem_init(&problem, CLSM_SOFTMAX, CLSM_F64, 1, COLS);
    report = (clsm_report){.struct_bytes = sizeof report};
}

/* Elements that the check refuses. */
static uint64_t failures(const void *in, const void *out)
{
    ck_assert_int_eq(clsm_check(&problem, in, out, &report), CLSM_OK);
    ck_assert_int_eq(report.pass, report.failed == 0);
    return report.failed;
}

START_TEST(nan_or_infinity_for_a_number_fails)
{
    const double others[] = {NAN, INFINITY, -INFINITY};
    ck_assert_int_eq(clsm_reference(&problem, x, y), CLSM_OK);
    ck_assert_uint_eq(failures(x, y), 0);
    for (size_t i = 0; i < COUNT(others); i++) {
        y[1] = others[i];
        ck_assert_uint_eq(failures(x, y), 1);
        ck_assert(isinf(report.worst) && report.worst_col == 1);
        ck_assert_mem_eq(&report.got, &others[i], sizeof(double));
    }
}
END_TEST

START_TEST(only_nan_passes_for_nan)
{
    static const double row[COLS] = {0, NAN, 0};
    const double others[] = {0, 1, INFINITY, -INFINITY};
    for (size_t c = 0; c < COLS; c++)
        y[c] = NAN;
    ck_assert_uint_eq(failures(row, y), 0);
    for (size_t i = 0; i < COUNT(others); i++) {
        y[1] = others[i];
        ck_assert_uint_eq(failures(row, y), 1);
    }
}
END_TEST

START_TEST(only_minus_infinity_passes_for_minus_infinity)
{
    static const double row[COLS] = {0, -INFINITY, 0};
    const double others[] = {-INFINITY, INFINITY, -1e300, NAN};
    problem.op = CLSM_LOG_SOFTMAX;
    y[0] = y[2] = -log(2);
    for (size_t i = 0; i < COUNT(others); i++) {
        y[1] = others[i];
        ck_assert_uint_eq(failures(row, y), i > 0);
    }
}
END_TEST

/* Equal shares of +inf: a third, within eight units of f64. */
START_TEST(where_the_policy_decides_the_bound_is_as_elsewhere)
{
    static const double row[COLS] = {INFINITY, INFINITY, INFINITY};
    problem.nonfinite = CLSM_NONFINITE_LIMIT;
    for (size_t c = 0; c < COLS; c++)
        y[c] = 1.0 / 3;
    ck_assert_uint_eq(failures(row, y), 0);
    y[1] = 1.0 / 3 * (1 + 7 * 0x1p-53);
    ck_assert_uint_eq(failures(row, y), 0);
    y[1] = 1.0 / 3 * (1 + 10 * 0x1p-53);
    ck_assert_uint_eq(failures(row, y), 1);
}
END_TEST

START_TEST(infinity_passes_where_the_type_overflows)
{
    static const double row[COLS] = {0, -70000, -65504};
    const uint16_t results[][2] = {{0xfc00, 0}, {0x7c00, 1}, {0xfbff, 1}, {0x7bff, 1}};
    uint16_t half[COLS] = {0, 0, 0xfbff};
    problem.op = CLSM_LOG_SOFTMAX;
    problem.y_type = CLSM_F16;
    for (size_t i = 0; i < COUNT(results); i++) {
        half[1] = results[i][0];
        ck_assert_uint_eq(failures(row, half), results[i][1]);
    }
}
END_TEST

START_TEST(an_f64_may_overflow_too)
{
    double p[2] = {0.5, 0.5}, dy[2] = {1.5e308, -1.5e308},
           dx[2] = {INFINITY, -INFINITY};
    clsm_host_args args = {.struct_bytes = sizeof args, .x = p, .y = dx};
    args.operand[CLSM_DY] = dy;
    clsm_problem_init(&problem, CLSM_SOFTMAX_BACKWARD, CLSM_F64, 1, 2);
    problem.grad_scale = 4;
    ck_assert_int_eq(clsm_check_args(&problem, &args, &report), CLSM_OK);
    ck_assert(report.pass);
    dx[0] = -INFINITY;
    ck_assert_int_eq(clsm_check_args(&problem, &args, &report), CLSM_OK);
    ck_assert(report.failed == 1);
}
END_TEST

/* A sink counts as an element does. */
START_TEST(sinks_that_are_not_finite_decide_rows)
{
    static const struct {
        clsm_nonfinite policy;
        float x, sink, want;
    } rows[] = {
        {CLSM_NONFINITE_DEFAULT, 1, INFINITY, NAN},
        {CLSM_NONFINITE_LIMIT, 1, INFINITY, 0},
        {CLSM_NONFINITE_LIMIT, INFINITY, INFINITY, 0.5f},
        {CLSM_NONFINITE_DEFAULT, 1, NAN, NAN},
        {CLSM_NONFINITE_LIMIT, -INFINITY, NAN, NAN},
        {CLSM_NONFINITE_LIMIT, 1, -INFINITY, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        float one = rows[i].x, got = rows[i].want, sink = rows[i].sink;
        clsm_host_args args = {.struct_bytes = sizeof args, .x = &one, .y = &got};
        args.operand[CLSM_SINKS] = &sink;
        clsm_problem_init(&problem, CLSM_SOFTMAX, CLSM_F32, 1, 1);
        problem.operands = CLSM_BIT(CLSM_SINKS);
        problem.nonfinite = rows[i].policy;
        ck_assert_int_eq(clsm_check_args(&problem, &args, &report), CLSM_OK);
        ck_assert_msg(report.pass, "row %zu: %g", i, report.expected);
    }
}
END_TEST

START_TEST(tiny_results_may_be_flushed_to_zero)
{
    float row[COLS] = {0, -100, -1}, out[COLS];
    double want[COLS];
    clsm_problem_init(&problem, CLSM_SOFTMAX, CLSM_F32, 1, COLS);
    ck_assert_int_eq(clsm_reference(&problem, row, want), CLSM_OK);
    ck_assert_double_lt(want[1], FLT_MIN);
    for (size_t c = 0; c < COLS; c++)
        out[c] = (float)want[c];
    ck_assert_uint_eq(failures(row, out), 0);
    out[1] = 0;
    ck_assert_uint_eq(failures(row, out), 0);
    out[1] = 2 * FLT_MIN;
    ck_assert_uint_eq(failures(row, out), 1);
}
END_TEST

START_TEST(what_is_tiny_in_f32_is_an_ordinary_f64)
{
    static const double row[COLS] = {0, -100, -1};
    ck_assert_int_eq(clsm_reference(&problem, row, y), CLSM_OK);
    ck_assert_uint_eq(failures(row, y), 0);
    y[1] = 0;
    ck_assert_uint_eq(failures(row, y), 1);
}
END_TEST

/* Logits a last bit of x apart are 22204 apart by this scale: exp() of that is 0, and
 * their rounding may still make them equal. */
START_TEST(what_rounding_can_tie_may_be_tied)
{
    const double row[COLS] = {1, 1 - DBL_EPSILON / 2, 0};
    problem.scale = 2e20;
    y[0] = y[1] = 0.5, y[2] = 0;
    ck_assert_uint_eq(failures(row, y), 0);
    y[2] = 0.5;
    ck_assert_uint_eq(failures(row, y), 1);
}
END_TEST

/* Neighbouring numbers of which a scale of 1/3 makes the same f32: which of them has
 * the 1 at temperature 0 is rounding's choice, but one of them has it. */
START_TEST(of_columns_that_rounding_ties_any_may_be_hot)
{
    static const clsm_op ops[] = {CLSM_SOFTMAX, CLSM_LOG_SOFTMAX,
                                  CLSM_DEFERRED_SOFTMAX};
    const float scale = (float)(1.0 / 3);
    float lower = 1.5f;
    while (lower * scale != nextafterf(lower, 2) * scale)
        lower = nextafterf(lower, 2);
    const float in[COLS] = {lower, nextafterf(lower, 2), 0};
    for (size_t i = 0; i < COUNT(ops); i++) {
        clsm_problem_init(&problem, ops[i], CLSM_F32, 1, COLS);
        problem.temperature = 0;
        const float hot = ops[i] == CLSM_LOG_SOFTMAX ? 0 : 1;
        const float cold = ops[i] == CLSM_LOG_SOFTMAX ? -INFINITY : 0;
        for (unsigned heated = 0; heated < 8; heated++) {
            float out[COLS];
            for (size_t c = 0; c < COLS; c++)
                out[c] = heated >> c & 1 ? hot : cold;
            const clsm_host_args args = {
                .struct_bytes = sizeof args, .x = in, .y = out};
            for (int scaled = 0; scaled < 2; scaled++) {
                problem.scale = scaled ? scale : 1;
                ck_assert_int_eq(clsm_check_args(&problem, &args, &report), CLSM_OK);
                EXPECT(report.pass == (heated == 2 || (scaled && heated == 1)),
                       "%s, scaled %d: %x", clsm_op_name(ops[i]), scaled, heated);
            }
        }
    }
}
END_TEST

START_TEST(the_worst_element_is_found_in_any_layout)
{
    float in[2 * 12], out[2 * 12];
    double want[12];
    clsm_problem_init(&problem, CLSM_SOFTMAX, CLSM_F32, 2, 3);
    problem.inner = 2;
    problem.y_col_stride = 4, problem.y_row_stride = 12;
    for (int i = 0; i < 12; i++)
        in[i] = (float)(i * 5 % 7);
    ck_assert_int_eq(clsm_reference(&problem, in, want), CLSM_OK);
    for (int i = 0; i < 24; i++)
        out[i] = NAN; /* what lies between is not looked at */
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 2; i++)
                out[r * 12 + c * 4 + i] = (float)want[(r * 3 + c) * 2 + i];
    ck_assert_int_eq(clsm_check(&problem, in, out, &report), CLSM_OK);
    ck_assert(report.pass && report.checked == 12);
    out[1 * 12 + 2 * 4 + 1] *= 1.5f;
    ck_assert_int_eq(clsm_check(&problem, in, out, &report), CLSM_OK);
    ck_assert(report.failed == 1 && report.worst_row == 1);
    ck_assert(report.worst_col == 2 && report.worst_inner == 1);
    ck_assert_double_eq_tol(report.got, 1.5 * report.expected, 1e-6);
}
END_TEST

START_TEST(bad_arguments_are_refused)
{
    REFUSED(clsm_check(&problem, x, y, NULL), CLSM_ERR_NULL, "report is NULL", "");
    REFUSED(clsm_check(&problem, NULL, y, &report), CLSM_ERR_NULL, "x is NULL", "");
    REFUSED(clsm_check(&problem, x, NULL, &report), CLSM_ERR_NULL, "y is NULL", "");
    report.struct_bytes = 1;
    REFUSED(clsm_check(&problem, x, y, &report), CLSM_ERR_STRUCT, "struct_bytes is 1",
            "sizeof(clsm_report)");
    set_up();
    problem.rows = 0;
    ck_assert_int_eq(clsm_check(&problem, NULL, NULL, &report), CLSM_OK);
    ck_assert(report.pass && report.checked == 0);
}
END_TEST

Suite *check_special_suite(void)
{
    Suite *suite = suite_create("check_special");
    TCase *c = tcase_create("check_special");
    tcase_add_checked_fixture(c, set_up, NULL);
    tcase_add_test(c, nan_or_infinity_for_a_number_fails);
    tcase_add_test(c, only_nan_passes_for_nan);
    tcase_add_test(c, only_minus_infinity_passes_for_minus_infinity);
    tcase_add_test(c, where_the_policy_decides_the_bound_is_as_elsewhere);
    tcase_add_test(c, infinity_passes_where_the_type_overflows);
    tcase_add_test(c, an_f64_may_overflow_too);
    tcase_add_test(c, sinks_that_are_not_finite_decide_rows);
    tcase_add_test(c, tiny_results_may_be_flushed_to_zero);
    tcase_add_test(c, what_is_tiny_in_f32_is_an_ordinary_f64);
    tcase_add_test(c, what_rounding_can_tie_may_be_tied);
    tcase_add_test(c, of_columns_that_rounding_ties_any_may_be_hot);
    tcase_add_test(c, the_worst_element_is_found_in_any_layout);
    tcase_add_test(c, bad_arguments_are_refused);
    suite_add_tcase(suite, c);
    return suite;
}
