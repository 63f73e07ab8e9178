/* SPDX-License-Identifier: MIT */
/* Facts about one enqueue's shape against its plan's: what may differ and what is
 * refused. */
#include "problem.h"
#include "suites.h"

#include <math.h>

static struct problem plan, p;

static void plan_is(unsigned flags, size_t rows, size_t cols)
{
    clsm_problem given;
    clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_F16, rows, cols);
    given.flags = flags;
    ck_assert_int_eq(clsm_problem_check(&given, &plan), CLSM_OK);
}

/* The plan's problem with this call's shape, into p. */
static clsm_status at(size_t rows, size_t cols, size_t x_row_stride,
                      size_t y_row_stride)
{
    const clsm_args args = {.rows = rows,
                            .cols = cols,
                            .x_row_stride = x_row_stride,
                            .y_row_stride = y_row_stride,
                            .grad_scale = 1};
    return clsm_problem_at(&plan, &args, &p);
}

#define BAD(rows, cols, argument_and_value, expected)                                  \
    REFUSED(at(rows, cols, 0, 0), CLSM_ERR_SHAPE, argument_and_value, expected)

START_TEST(a_closed_plan_takes_its_own_shape_only)
{
    plan_is(0, 3, 5);
    ck_assert_int_eq(at(3, 5, 0, 0), CLSM_OK);
    BAD(4, 5, "rows is 4", "expected the plan's 3 (no CLSM_OPEN_ROWS)");
    BAD(0, 5, "rows is 0", "expected the plan's 3");
    BAD(3, 4, "cols is 4", "expected the plan's 5 (no CLSM_OPEN_COLS)");
    BAD(3, 6, "cols is 6", "expected the plan's 5");
}
END_TEST

START_TEST(open_rows_may_be_any_number)
{
    plan_is(CLSM_OPEN_ROWS, 0, 5);
    const size_t rows[] = {0, 1, 1000, (size_t)1 << 40};
    for (size_t i = 0; i < COUNT(rows); i++) {
        ck_assert_int_eq(at(rows[i], 5, 0, 0), CLSM_OK);
        ck_assert_uint_eq(p.rows, rows[i]);
        ck_assert_uint_eq(clsm_layout_extent(&p.x, &p), rows[i] * 5);
    }
    BAD(1, 4, "cols is 4", "CLSM_OPEN_COLS");
    BAD(SIZE_MAX / 10 + 1, 5, "x: rows", "do not fit in size_t bytes");
}
END_TEST

START_TEST(open_cols_may_be_anything_up_to_the_bound)
{
    plan_is(CLSM_OPEN_COLS, 3, 5);
    for (size_t cols = 0; cols <= 5; cols++) {
        ck_assert_int_eq(at(3, cols, 0, 0), CLSM_OK);
        ck_assert_uint_eq(p.cols, cols);
        ck_assert_uint_eq(clsm_layout_extent(&p.y, &p), 3 * cols);
    }
    BAD(3, 6, "cols is 6", "expected at most the plan's 5");
    BAD(2, 5, "rows is 2", "CLSM_OPEN_ROWS");
}
END_TEST

START_TEST(strides_of_0_are_packed_for_the_columns_of_the_call)
{
    plan_is(CLSM_OPEN_COLS, 3, 8);
    ck_assert_int_eq(at(3, 6, 0, 0), CLSM_OK);
    ck_assert_uint_eq(p.x.row_stride, 6);
    ck_assert_int_eq(at(3, 6, 8, 7), CLSM_OK);
    ck_assert_uint_eq(p.x.row_stride, 8);
    ck_assert_uint_eq(p.y.row_stride, 7);
    ck_assert_uint_eq(clsm_layout_extent(&p.y, &p), 2 * 7 + 6);
}
END_TEST

START_TEST(strides_of_a_call_are_checked_as_a_plans)
{
    plan_is(CLSM_OPEN_ROWS | CLSM_OPEN_COLS, 3, 8);
    REFUSED(at(2, 6, 5, 0), CLSM_ERR_SHAPE, "x_row_stride is 5",
            "expected at least one row's extent, 6");
    REFUSED(at(2, 6, 0, 5), CLSM_ERR_SHAPE, "y_row_stride is 5", "6");
    REFUSED(at(3, 6, SIZE_MAX / 2, 0), CLSM_ERR_SHAPE, "row stride 9223372036854775807",
            "do not fit");
    ck_assert_int_eq(at(1, 6, 5, 0), CLSM_OK);
}
END_TEST

/* What a call may bring of its own besides its shape. */
START_TEST(a_call_has_its_own_mask_strides_offset_and_gradient_scale)
{
    clsm_args args = {.rows = 9,
                      .cols = 8,
                      .mask_stride = {.row = 8, .col = 1},
                      .causal_offset = -3,
                      .grad_scale = 0.5};
    plan_is(CLSM_OPEN_ROWS | CLSM_CAUSAL, 3, 8);
    plan.operands |= CLSM_BIT(CLSM_MASK);
    plan.mask_type = CLSM_MASK_F32;
    ck_assert_int_eq(clsm_problem_at(&plan, &args, &p), CLSM_OK);
    ck_assert_int_eq((int)p.causal_offset, -3);
    ck_assert_double_eq(p.grad_scale, 0.5);
    ck_assert_uint_eq(clsm_operand_extent(CLSM_MASK, &p), 9 * 8);
    args.mask_stride.row = SIZE_MAX / 8;
    REFUSED(clsm_problem_at(&plan, &args, &p), CLSM_ERR_SHAPE, "mask_stride",
            "size_t bytes");
    args.mask_stride.row = 8;
    args.grad_scale = NAN;
    REFUSED(clsm_problem_at(&plan, &args, &p), CLSM_ERR_VALUE, "args.grad_scale is",
            "expected a finite number");
}
END_TEST

START_TEST(matrices_of_a_call_are_packed_or_as_it_says)
{
    clsm_problem given;
    clsm_args args = {.rows = 7, .cols = 5, .grad_scale = 1};
    clsm_problem_init(&given, CLSM_SOFTMAX_BACKWARD, CLSM_F32, 4, 5);
    given.flags = CLSM_OPEN_ROWS;
    given.queries = 2;
    ck_assert_int_eq(clsm_problem_check(&given, &plan), CLSM_OK);
    ck_assert_int_eq(clsm_problem_at(&plan, &args, &p), CLSM_OK);
    ck_assert_uint_eq(p.dy.matrix_stride, 10);
    args.dy_matrix_stride = 100;
    args.dy_row_stride = 6;
    ck_assert_int_eq(clsm_problem_at(&plan, &args, &p), CLSM_OK);
    ck_assert_uint_eq(clsm_operand_extent(CLSM_DY, &p), 3 * 100 + 5);
    args.dy_matrix_stride = 10;
    REFUSED(clsm_problem_at(&plan, &args, &p), CLSM_ERR_SHAPE, "dy_matrix_stride is 10",
            "expected at least one matrix' extent, 11");
    args.dy_row_stride = 4;
    REFUSED(clsm_problem_at(&plan, &args, &p), CLSM_ERR_SHAPE, "dy_row_stride is 4",
            "expected at least one row's extent, 5");
}
END_TEST

START_TEST(everything_else_stays_the_plans)
{
    plan_is(CLSM_OPEN_ROWS | CLSM_DETERMINISTIC, 3, 8);
    plan.nonfinite = CLSM_NONFINITE_LIMIT;
    ck_assert_int_eq(at(9, 8, 0, 0), CLSM_OK);
    ck_assert_int_eq(p.nonfinite, CLSM_NONFINITE_LIMIT);
    ck_assert_int_eq(p.x.type, CLSM_F16);
    ck_assert(p.open_rows && p.deterministic);
    ck_assert_uint_eq(plan.rows, 3);
}
END_TEST

Suite *problem_at_suite(void)
{
    Suite *suite = suite_create("problem_at");
    TCase *c = tcase_create("problem_at");
    tcase_add_test(c, a_closed_plan_takes_its_own_shape_only);
    tcase_add_test(c, open_rows_may_be_any_number);
    tcase_add_test(c, open_cols_may_be_anything_up_to_the_bound);
    tcase_add_test(c, strides_of_0_are_packed_for_the_columns_of_the_call);
    tcase_add_test(c, strides_of_a_call_are_checked_as_a_plans);
    tcase_add_test(c, a_call_has_its_own_mask_strides_offset_and_gradient_scale);
    tcase_add_test(c, matrices_of_a_call_are_packed_or_as_it_says);
    tcase_add_test(c, everything_else_stays_the_plans);
    suite_add_tcase(suite, c);
    return suite;
}
