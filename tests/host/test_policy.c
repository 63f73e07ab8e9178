/* SPDX-License-Identifier: MIT */
/* Facts about non-finite rows: what each forward operation and each of its row results
 * makes of them, by either policy. */
#include "suites.h"

#include <math.h>

#define N NAN
#define I INFINITY

/* A row, and by each policy what becomes of it. `max` is no promise where the row has
 * NaN: the sum says so. */
struct result {
    double deferred[4], max, sum, lse, finished[4];
};

static const struct special {
    double x[4];
    struct result by_default, limit;
} rows[] = {
    {{1, N, 0, 2},
     {{N, N, N, N}, N, N, N, {N, N, N, N}},
     {{N, N, N, N}, N, N, N, {N, N, N, N}}},
    {{I, N, 0, -I},
     {{N, N, N, N}, N, N, N, {N, N, N, N}},
     {{N, N, N, N}, N, N, N, {N, N, N, N}}},
    {{1, I, 0, -I},
     {{N, N, N, N}, I, N, N, {N, N, N, N}},
     {{0, 1, 0, 0}, I, 1, I, {0, 1, 0, 0}}},
    {{I, 5, I, 0},
     {{N, N, N, N}, I, N, N, {N, N, N, N}},
     {{1, 0, 1, 0}, I, 2, I, {0.5, 0, 0.5, 0}}},
    {{I, I, I, I},
     {{N, N, N, N}, I, N, N, {N, N, N, N}},
     {{1, 1, 1, 1}, I, 4, I, {0.25, 0.25, 0.25, 0.25}}},
    {{-I, -I, -I, -I},
     {{N, N, N, N}, -I, 0, -I, {N, N, N, N}},
     {{0, 0, 0, 0}, -I, 0, -I, {0, 0, 0, 0}}},
    {{-I, 0, -I, 0},
     {{0, 1, 0, 1}, 0, 2, 0.69314718055994531, {0, 0.5, 0, 0.5}},
     {{0, 1, 0, 1}, 0, 2, 0.69314718055994531, {0, 0.5, 0, 0.5}}},
    {{-I, -I, -9, -I},
     {{0, 0, 1, 0}, -9, 1, -9, {0, 0, 1, 0}},
     {{0, 0, 1, 0}, -9, 1, -9, {0, 0, 1, 0}}},
};

static clsm_problem problem;
static const struct special *row;
static const struct result *want;
static double y[4], max, sum, lse;

/* _i: row and policy */
static void choose(int i, clsm_op op)
{
    row = &rows[i / 2];
    want = i % 2 ? &row->limit : &row->by_default;
    clsm_problem_init(&problem, op, CLSM_F64, 1, 4);
    problem.nonfinite = i % 2 ? CLSM_NONFINITE_LIMIT : CLSM_NONFINITE_DEFAULT;
}

static void run(void *from_max, void *from_sum)
{
    const clsm_host_args in = {
        .struct_bytes = sizeof in,
        .x = row->x,
        .operand = {[CLSM_FROM_MAX] = from_max, [CLSM_FROM_SUM] = from_sum}};
    const clsm_host_args out = {
        .struct_bytes = sizeof out,
        .y = y,
        .operand = {[CLSM_MAX] = &max, [CLSM_SUM] = &sum, [CLSM_LSE] = &lse}};
    ck_assert_msg(clsm_reference_args(&problem, &in, &out) == CLSM_OK, "%s",
                  clsm_last_message());
}

static void is(double got, double expected, const char *what)
{
    bool same = isnan(expected) ? isnan(got) : fabs(got - expected) <= 1e-15;
    same = same || got == expected;
    ck_assert_msg(same, "%s is %g, expected %g", what, got, expected);
}

static void y_is(const double *expected)
{
    for (int c = 0; c < 4; c++)
        is(y[c], expected[c], "y");
}

static void statistics_are_right(void)
{
    if (!isnan(want->max))
        is(max, want->max, "max");
    is(sum, want->sum, "sum");
    is(lse, want->lse, "lse");
}

START_TEST(deferred_softmax_leaves_only_the_division)
{
    choose(_i, CLSM_DEFERRED_SOFTMAX);
    problem.operands = CLSM_STATISTICS_BITS;
    run(NULL, NULL);
    y_is(want->deferred);
    statistics_are_right();
    for (int c = 0; c < 4 && sum != 0; c++)
        is(y[c] / sum, want->finished[c], "y / sum");
}
END_TEST

START_TEST(softmax_and_its_logarithm_write_the_same_statistics)
{
    const clsm_op ops[] = {CLSM_SOFTMAX, CLSM_LOG_SOFTMAX, CLSM_STATISTICS};
    for (size_t i = 0; i < COUNT(ops); i++) {
        choose(_i, ops[i]);
        problem.operands = CLSM_STATISTICS_BITS;
        run(NULL, NULL);
        statistics_are_right();
        for (int c = 0; c < 4 && i < 2; c++)
            is(y[c], i ? log(want->finished[c]) : want->finished[c], "y");
    }
}
END_TEST

START_TEST(log_sum_exp_is_the_limit_by_either_policy)
{
    choose(_i, CLSM_LOG_SUM_EXP);
    problem.operands = CLSM_STATISTICS_BITS;
    run(NULL, NULL);
    want = &row->limit;
    is(y[0], want->lse, "y");
    statistics_are_right();
}
END_TEST

START_TEST(finishing_with_the_row_s_own_statistics_follows_the_policy)
{
    double from_max, from_sum;
    choose(_i, CLSM_STATISTICS);
    run(NULL, NULL);
    from_max = max, from_sum = sum;
    problem.op = CLSM_FINISH_SOFTMAX;
    run(&from_max, &from_sum);
    y_is(want->finished);
    problem.op = CLSM_FINISH_LOG_SOFTMAX;
    run(&from_max, &from_sum);
    for (int c = 0; c < 4; c++)
        is(y[c], log(want->finished[c]), "y");
}
END_TEST

/* A slice is a column: one of nothing, one of NaN, one with +inf, as the policy made
 * it. */
START_TEST(merging_keeps_what_the_slices_say)
{
    static const struct {
        double max[3], sum[3], want_max, want_sum[2];
    } slices[] = {
        {{-I, 2, 1}, {0, 3, 0}, 2, {3, 3}}, {{-I, -I, -I}, {0, 0, 0}, -I, {0, 0}},
        {{1, 2, 0}, {1, N, 1}, N, {N, N}},  {{I, 2, I}, {2, 9, 1}, I, {N, 3}},
        {{I, 2, 1}, {N, 9, 1}, I, {N, N}},
    };
    clsm_problem_init(&problem, CLSM_MERGE_STATISTICS, CLSM_F64, 1, 3);
    problem.nonfinite = _i % 2 ? CLSM_NONFINITE_LIMIT : CLSM_NONFINITE_DEFAULT;
    const clsm_host_args in = {.struct_bytes = sizeof in,
                               .x = slices[_i / 2].max,
                               .operand = {[CLSM_DY] = (void *)slices[_i / 2].sum}};
    const clsm_host_args out = {.struct_bytes = sizeof out,
                                .operand = {[CLSM_MAX] = &max, [CLSM_SUM] = &sum}};
    ck_assert_int_eq(clsm_reference_args(&problem, &in, &out), CLSM_OK);
    if (!isnan(slices[_i / 2].want_max))
        is(max, slices[_i / 2].want_max, "max");
    is(sum, slices[_i / 2].want_sum[_i % 2], "sum");
}
END_TEST

START_TEST(backward_passes_break_where_a_sum_breaks)
{
    static const double dys[][3] = {{1, I, 0}, {1, N, 0}, {-I, 1, 1}};
    const clsm_op ops[] = {CLSM_SOFTMAX_BACKWARD, CLSM_LOG_SOFTMAX_BACKWARD};
    const double x[][3] = {{0.25, 0.5, 0.25}, {-1, -0.5, -2}};
    for (size_t i = 0; i < COUNT(dys) * COUNT(ops); i++) {
        const clsm_host_args in = {.struct_bytes = sizeof in,
                                   .x = x[i % 2],
                                   .operand = {[CLSM_DY] = (void *)dys[i / 2]}};
        const clsm_host_args out = {.struct_bytes = sizeof out, .y = y};
        clsm_problem_init(&problem, ops[i % 2], CLSM_F64, 1, 3);
        ck_assert_int_eq(clsm_reference_args(&problem, &in, &out), CLSM_OK);
        for (int c = 0; c < 3; c++)
            is(y[c], N, "y");
    }
}
END_TEST

Suite *policy_suite(void)
{
    Suite *suite = suite_create("policy");
    TCase *c = tcase_create("policy");
    const int all = 2 * (int)COUNT(rows);
    tcase_add_loop_test(c, deferred_softmax_leaves_only_the_division, 0, all);
    tcase_add_loop_test(c, softmax_and_its_logarithm_write_the_same_statistics, 0, all);
    tcase_add_loop_test(c, log_sum_exp_is_the_limit_by_either_policy, 0, all);
    tcase_add_loop_test(c, finishing_with_the_row_s_own_statistics_follows_the_policy,
                        0, all);
    tcase_add_loop_test(c, merging_keeps_what_the_slices_say, 0, 10);
    tcase_add_test(c, backward_passes_break_where_a_sum_breaks);
    suite_add_tcase(suite, c);
    return suite;
}
