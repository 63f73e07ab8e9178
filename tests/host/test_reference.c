/* SPDX-License-Identifier: MIT */
/* Facts about the host reference: closed forms, sums, layouts and the two policies for
 * non-finite rows. */
#include "suites.h"

#include <math.h>

enum { MAX = 64 };

static clsm_problem problem;
static double y[MAX];

static void set_up(void)
{
    clsm_problem_init(&problem, CLSM_SOFTMAX, CLSM_F32, 1, 2);
}

static void run(clsm_op op, size_t cols, const void *x)
{
    problem.op = op;
    problem.cols = cols;
    for (size_t i = 0; i < MAX; i++)
        y[i] = -12345;
    ck_assert_int_eq(clsm_reference(&problem, x, y), CLSM_OK);
}

/* Equal within a few units of double precision, or the same NaN or infinity. */
static void is(double got, double want)
{
    bool same = isnan(want) ? isnan(got)
                            : got == want || fabs(got - want) <= 4e-16 * fabs(want);
    ck_assert_msg(same, "got %.17g, expected %.17g", got, want);
}

START_TEST(two_elements_follow_the_logistic_function)
{
    const float differences[] = {0, 0.25f, 1, 10, 50, 80, 1000};
    for (size_t i = 0; i < COUNT(differences); i++) {
        float d = differences[i], x[] = {-3, -3 - d};
        run(CLSM_SOFTMAX, 2, x);
        is(y[0], 1 / (1 + exp(-d)));
        is(y[1], exp(-d) / (1 + exp(-d)));
        run(CLSM_LOG_SOFTMAX, 2, x);
        is(y[0], -log1p(exp(-d)));
        is(y[1], -d - log1p(exp(-d)));
    }
}
END_TEST

/* In the type that a device computes in. */
START_TEST(a_step_that_overflows_makes_an_infinity)
{
    problem.scale = 10;
    run(CLSM_SOFTMAX, 2, (float[]){3e38f, 1});
    is(y[0], NAN);
    run(CLSM_SOFTMAX, 2, (float[]){-3e38f, 1});
    is(y[0], 0);
    is(y[1], 1);
    problem.nonfinite = CLSM_NONFINITE_LIMIT;
    run(CLSM_SOFTMAX, 3, (float[]){3e38f, 3.4e37f, 1});
    is(y[0], 1);
    is(y[1], 0);
    problem.x_type = CLSM_F64;
    run(CLSM_SOFTMAX, 2, (double[]){3e38, 3e38});
    is(y[0], 0.5);
}
END_TEST

START_TEST(a_dominating_element_keeps_its_tiny_logarithm)
{
    run(CLSM_LOG_SOFTMAX, 2, (float[]){0, -50});
    is(y[0], -exp(-50));
    run(CLSM_LOG_SOFTMAX, 3, (float[]){-50, 7e4f, -1});
    is(y[1], 0);
    run(CLSM_LOG_SOFTMAX, 3, (float[]){60, 100, 60}); /* the rest is 2 e^-40 */
    is(y[1], -2 * exp(-40));
}
END_TEST

START_TEST(equal_elements_share_equally)
{
    const float x[] = {-8, -8, -8, -8, -8, -8, -8};
    run(CLSM_SOFTMAX, 7, x);
    for (size_t c = 0; c < 7; c++)
        is(y[c], 1.0 / 7);
    run(CLSM_LOG_SOFTMAX, 7, x);
    is(y[6], -log(7));
    run(CLSM_SOFTMAX, 1, x);
    is(y[0], 1);
    run(CLSM_LOG_SOFTMAX, 1, x);
    is(y[0], 0);
}
END_TEST

START_TEST(a_row_sums_to_1_and_its_logarithm_is_log_softmax)
{
    float x[MAX];
    double probabilities[MAX], sum = 0;
    for (int i = 0; i < MAX; i++)
        x[i] = (float)(i * 29 % MAX) * 0.3f - 5;
    run(CLSM_SOFTMAX, MAX, x);
    for (int i = 0; i < MAX; i++)
        sum += probabilities[i] = y[i];
    ck_assert_double_eq_tol(sum, 1, 1e-14);
    run(CLSM_LOG_SOFTMAX, MAX, x);
    for (int i = 0; i < MAX; i++)
        ck_assert_double_eq_tol(y[i], log(probabilities[i]), 1e-14);
}
END_TEST

START_TEST(adding_a_constant_changes_nothing)
{
    double first;
    run(CLSM_SOFTMAX, 3, (float[]){1, 2, 4});
    first = y[1];
    run(CLSM_SOFTMAX, 3, (float[]){1048577, 1048578, 1048580});
    is(y[1], first);
}
END_TEST

START_TEST(each_type_is_read_as_it_is_stored)
{
    const double values[] = {0.5, -1.25, 3};
    double want[3], x[3];
    problem.x_type = CLSM_F64;
    run(CLSM_SOFTMAX, 3, values);
    memcpy(want, y, sizeof want);
    for (int type = 0; type < 4; type++) {
        problem.x_type = (clsm_type)type;
        clsm_convert(CLSM_F64, values, problem.x_type, x, 3);
        run(CLSM_SOFTMAX, 3, x);
        ck_assert_mem_eq(y, want, sizeof want);
    }
}
END_TEST

/* One row of four with what it becomes, softmax and log-softmax, by each policy. */
#define N NAN
#define I INFINITY
static const struct {
    float x[4];
    double by_default[4], limit[4];
} special[] = {
    {{1, N, 0, 2}, {N, N, N, N}, {N, N, N, N}},
    {{N, N, N, N}, {N, N, N, N}, {N, N, N, N}},
    {{I, N, 0, -I}, {N, N, N, N}, {N, N, N, N}},
    {{1, I, 0, -I}, {N, N, N, N}, {0, 1, 0, 0}},
    {{I, 5, I, 0}, {N, N, N, N}, {0.5, 0, 0.5, 0}},
    {{I, I, I, I}, {N, N, N, N}, {0.25, 0.25, 0.25, 0.25}},
    {{-I, -I, -I, -I}, {N, N, N, N}, {0, 0, 0, 0}},
    {{-I, 0, -I, 0}, {0, 0.5, 0, 0.5}, {0, 0.5, 0, 0.5}},
    {{-I, -I, -9, -I}, {0, 0, 1, 0}, {0, 0, 1, 0}},
};
#undef N
#undef I

START_TEST(non_finite_rows_follow_the_policy)
{
    for (int policy = 0; policy < 2; policy++) {
        const double *want = policy ? special[_i].limit : special[_i].by_default;
        problem.nonfinite = policy ? CLSM_NONFINITE_LIMIT : CLSM_NONFINITE_DEFAULT;
        run(CLSM_SOFTMAX, 4, special[_i].x);
        for (int c = 0; c < 4; c++)
            is(y[c], want[c]);
        run(CLSM_LOG_SOFTMAX, 4, special[_i].x);
        for (int c = 0; c < 4; c++)
            is(y[c], log(want[c]));
    }
}
END_TEST

/* The same numbers once packed in rows, once spread over a strided tensor. */
START_TEST(an_inner_axis_and_strides_give_what_packed_rows_give)
{
    enum { ROWS = 2, COLS = 3, INNER = 2, COL = 5, ROW = 17 };
    float packed[ROWS * INNER * COLS], spread[ROWS * ROW];
    double want[ROWS * INNER * COLS];
    for (int i = 0; i < ROWS * ROW; i++)
        spread[i] = (float)(i * 11 % 13);
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < INNER; i++)
            for (int c = 0; c < COLS; c++)
                packed[(r * INNER + i) * COLS + c] = spread[r * ROW + c * COL + i];
    problem.rows = ROWS * INNER;
    run(CLSM_SOFTMAX, COLS, packed);
    memcpy(want, y, sizeof want);
    problem.rows = ROWS;
    problem.inner = INNER;
    problem.x_row_stride = ROW;
    problem.x_col_stride = COL;
    run(CLSM_SOFTMAX, COLS, spread);
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < INNER; i++)
            for (int c = 0; c < COLS; c++)
                is(y[(r * COLS + c) * INNER + i], want[(r * INNER + i) * COLS + c]);
}
END_TEST

START_TEST(an_empty_problem_reads_and_writes_nothing)
{
    size_t *sizes[] = {&problem.rows, &problem.cols, &problem.inner};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        set_up();
        *sizes[i] = 0;
        ck_assert_int_eq(clsm_reference(&problem, NULL, NULL), CLSM_OK);
    }
}
END_TEST

START_TEST(missing_memory_and_bad_problems_are_refused)
{
    const float x[2] = {0};
    REFUSED(clsm_reference(&problem, NULL, y), CLSM_ERR_NULL, "x is NULL", "");
    REFUSED(clsm_reference(&problem, x, NULL), CLSM_ERR_NULL, "y is NULL", "");
    problem.op = (clsm_op)99;
    REFUSED(clsm_reference(&problem, x, y), CLSM_ERR_VALUE, "problem.op is 99", "0 to");
}
END_TEST

Suite *reference_suite(void)
{
    Suite *suite = suite_create("reference");
    TCase *c = tcase_create("reference");
    tcase_add_checked_fixture(c, set_up, NULL);
    tcase_add_test(c, two_elements_follow_the_logistic_function);
    tcase_add_test(c, a_step_that_overflows_makes_an_infinity);
    tcase_add_test(c, a_dominating_element_keeps_its_tiny_logarithm);
    tcase_add_test(c, equal_elements_share_equally);
    tcase_add_test(c, a_row_sums_to_1_and_its_logarithm_is_log_softmax);
    tcase_add_test(c, adding_a_constant_changes_nothing);
    tcase_add_test(c, each_type_is_read_as_it_is_stored);
    tcase_add_loop_test(c, non_finite_rows_follow_the_policy, 0, (int)COUNT(special));
    tcase_add_test(c, an_inner_axis_and_strides_give_what_packed_rows_give);
    tcase_add_test(c, an_empty_problem_reads_and_writes_nothing);
    tcase_add_test(c, missing_memory_and_bad_problems_are_refused);
    suite_add_tcase(suite, c);
    return suite;
}
