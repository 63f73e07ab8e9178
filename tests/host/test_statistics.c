/* SPDX-License-Identifier: MIT */
/* Facts about rows in slices: the statistics of uneven slices, merged, finish the row
 * as a whole would, and what rows without columns have. */
#include "sample.h"
#include "suites.h"

#include <math.h>
#include <stdint.h>

enum { COLS = 61, ROWS = 3, MOST = 7 };

static double x[ROWS * COLS], slopes[] = {0.25};
static float mask[ROWS * COLS];
static double part_max[ROWS * MOST], part_sum[ROWS * MOST];
static double max[ROWS], sum[ROWS], lse[ROWS];
static clsm_nonfinite policy;

static void set_up(void)
{
    policy = CLSM_NONFINITE_DEFAULT;
    for (size_t i = 0; i < ROWS * COLS; i++) {
        x[i] = 16 * sample_random() - 8;
        mask[i] = sample_random() < 0.1 ? -INFINITY : (float)sample_random();
    }
}

static void near(double got, double want, double tolerance, const char *what)
{
    bool same = isnan(want) ? isnan(got)
                            : got == want || fabs(got - want) <= tolerance * fabs(want);
    EXPECT(same, "%s: got %.17g, expected %.17g", what, got, want);
}

/* All rows, or the slice of their columns from `first`, with every form that a part of
 * a row can have: where a form asks for a column's number, the offset gives it. */
static clsm_problem columns_from(clsm_op op, size_t first, size_t cols)
{
    clsm_problem problem;
    clsm_problem_init(&problem, op, CLSM_F64, ROWS, cols);
    problem.nonfinite = policy;
    problem.x_row_stride = COLS;
    problem.scale = 0.5;
    problem.softcap = 6;
    problem.flags = CLSM_CAUSAL;
    problem.causal_offset = COLS - 4 - (ptrdiff_t)first;
    problem.window = COLS - 6;
    problem.operands = CLSM_BIT(CLSM_SLOPES);
    problem.mask_type = CLSM_MASK_F32;
    problem.mask_stride = (clsm_mask_stride){.row = COLS, .col = 1};
    return problem;
}

static clsm_host_args inputs(size_t first)
{
    return (clsm_host_args){
        .struct_bytes = sizeof(clsm_host_args),
        .x = x + first,
        .operand = {[CLSM_MASK] = mask + first, [CLSM_SLOPES] = slopes}};
}

static void run(const clsm_problem *problem, const clsm_host_args *in, void *y,
                void *to_max, void *to_sum, void *to_lse)
{
    const clsm_host_args out = {
        .struct_bytes = sizeof out,
        .y = y,
        .operand = {[CLSM_MAX] = to_max, [CLSM_SUM] = to_sum, [CLSM_LSE] = to_lse}};
    ck_assert_msg(clsm_reference_args(problem, in, &out) == CLSM_OK, "%s",
                  clsm_last_message());
}

/* The statistics of `slices` slices, each longer than the one before it, merged. */
static void merge(size_t slices)
{
    size_t first = 0, unit = COLS / (slices * (slices + 1) / 2);
    for (size_t s = 0; s < slices; s++) {
        size_t cols = s + 1 == slices ? COLS - first : unit * (s + 1);
        clsm_problem problem = columns_from(CLSM_STATISTICS, first, cols);
        clsm_host_args in = inputs(first);
        run(&problem, &in, NULL, max, sum, NULL);
        for (size_t r = 0; r < ROWS; r++) {
            part_max[r * slices + s] = max[r];
            part_sum[r * slices + s] = sum[r];
        }
        first += cols;
    }
    clsm_problem problem;
    const clsm_host_args in = {
        .struct_bytes = sizeof in, .x = part_max, .operand = {[CLSM_DY] = part_sum}};
    clsm_problem_init(&problem, CLSM_MERGE_STATISTICS, CLSM_F64, ROWS, slices);
    problem.nonfinite = policy;
    problem.operands = CLSM_BIT(CLSM_LSE);
    run(&problem, &in, NULL, max, sum, lse);
}

/* Merged statistics are the row's, and finishing with them gives the row's results. */
static void slices_give_the_whole(size_t slices)
{
    double whole_max[ROWS], whole_sum[ROWS], whole_lse[ROWS];
    static double whole[ROWS * COLS], finished[ROWS * COLS];
    const clsm_op ops[][2] = {{CLSM_SOFTMAX, CLSM_FINISH_SOFTMAX},
                              {CLSM_LOG_SOFTMAX, CLSM_FINISH_LOG_SOFTMAX}};
    merge(slices);
    for (size_t i = 0; i < 2; i++) {
        clsm_problem problem = columns_from(ops[i][0], 0, COLS);
        clsm_host_args in = inputs(0);
        problem.operands |= CLSM_STATISTICS_BITS;
        run(&problem, &in, whole, whole_max, whole_sum, whole_lse);
        problem = columns_from(ops[i][1], 0, COLS);
        in.operand[CLSM_FROM_MAX] = max;
        in.operand[CLSM_FROM_SUM] = sum;
        run(&problem, &in, finished, NULL, NULL, NULL);
        for (size_t r = 0; r < ROWS; r++) {
            near(max[r], whole_max[r], 0, "max");
            near(sum[r], whole_sum[r], 1e-14, "sum");
            near(lse[r], whole_lse[r], 1e-14, "lse");
        }
        for (size_t n = 0; n < ROWS * COLS; n++)
            near(finished[n], whole[n], 2e-14, "element");
    }
}

START_TEST(slices_of_a_row_merge_to_the_whole)
{
    slices_give_the_whole((size_t)_i);
}
END_TEST

/* _i: policy, and what stands in the second row */
START_TEST(slices_with_special_elements_merge_to_the_whole)
{
    double *row = x + COLS;
    policy = _i % 2 ? CLSM_NONFINITE_LIMIT : CLSM_NONFINITE_DEFAULT;
    for (size_t c = 0; c < COLS; c++)
        mask[COLS + c] = 0;
    switch (_i / 2) {
    case 0:
        row[30] = NAN;
        break;
    case 1: /* whole slices of nothing */
        for (size_t c = 0; c < 30; c++)
            row[c] = -INFINITY;
        break;
    case 2: /* a row of nothing */
        for (size_t c = 0; c < COLS; c++)
            mask[COLS + c] = -INFINITY;
        break;
    default: /* in several slices, past the softcap */
        mask[COLS + 9] = mask[COLS + 25] = mask[COLS + 40] = INFINITY;
    }
    for (size_t slices = 2; slices <= MOST; slices++)
        slices_give_the_whole(slices);
}
END_TEST

START_TEST(rows_without_columns_have_statistics_all_the_same)
{
    const clsm_op ops[] = {CLSM_STATISTICS, CLSM_SOFTMAX, CLSM_DEFERRED_SOFTMAX,
                           CLSM_LOG_SUM_EXP, CLSM_MERGE_STATISTICS};
    for (size_t i = 0; i < COUNT(ops); i++) {
        clsm_problem problem;
        double y[ROWS] = {7, 7, 7};
        const clsm_host_args in = {.struct_bytes = sizeof in};
        clsm_problem_init(&problem, ops[i], CLSM_F64, ROWS, 0);
        problem.operands = CLSM_STATISTICS_BITS;
        run(&problem, &in, y, max, sum, lse);
        for (size_t r = 0; r < ROWS; r++) {
            near(max[r], -INFINITY, 0, "max");
            near(sum[r], 0, 0, "sum");
            near(lse[r], -INFINITY, 0, "lse");
            near(y[r], ops[i] == CLSM_LOG_SUM_EXP ? -INFINITY : 7, 0, "y");
        }
    }
}
END_TEST

START_TEST(a_row_of_one_element_is_its_own_maximum)
{
    clsm_problem problem;
    const clsm_host_args in = {.struct_bytes = sizeof in, .x = x};
    clsm_problem_init(&problem, CLSM_STATISTICS, CLSM_F64, ROWS, 1);
    problem.operands = CLSM_BIT(CLSM_LSE);
    run(&problem, &in, NULL, max, sum, lse);
    for (size_t r = 0; r < ROWS; r++) {
        ck_assert_double_eq(max[r], x[r]);
        ck_assert_double_eq(sum[r], 1);
        ck_assert_double_eq(lse[r], x[r]);
    }
}
END_TEST

/* Each sum beside a 1 is all that their logarithm shows. */
START_TEST(sums_far_below_one_stay_in_a_merged_logarithm)
{
    const double tops[] = {0, -86}, sums[] = {1, 2};
    const clsm_host_args in = {
        .struct_bytes = sizeof in, .x = tops, .operand = {[CLSM_DY] = (void *)sums}};
    clsm_problem problem;
    clsm_problem_init(&problem, CLSM_MERGE_STATISTICS, CLSM_F64, 1, 2);
    problem.operands |= CLSM_BIT(CLSM_LSE);
    run(&problem, &in, NULL, max, sum, lse);
    near(lse[0], 2 * exp(-86), 1e-15, "lse");
    ck_assert_double_eq(sum[0], 1);
}
END_TEST

Suite *statistics_suite(void)
{
    Suite *suite = suite_create("statistics");
    TCase *c = tcase_create("statistics");
    tcase_add_checked_fixture(c, set_up, NULL);
    tcase_add_loop_test(c, slices_of_a_row_merge_to_the_whole, 1, MOST + 1);
    tcase_add_loop_test(c, slices_with_special_elements_merge_to_the_whole, 0, 8);
    tcase_add_test(c, rows_without_columns_have_statistics_all_the_same);
    tcase_add_test(c, a_row_of_one_element_is_its_own_maximum);
    tcase_add_test(c, sums_far_below_one_stay_in_a_merged_logarithm);
    suite_add_tcase(suite, c);
    return suite;
}
