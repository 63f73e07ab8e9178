/* SPDX-License-Identifier: MIT */
/* Facts about a problem's defaults and about everything that is refused before any
 * device is asked. */
#include "problem.h"
#include "suites.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#define PLUS_ONE(...) +1
enum { OPS = 0 CLSM_OPERATIONS(PLUS_ONE) };

static clsm_problem given;
static struct problem p;

static void set_up(void)
{
    clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_F32, 3, 5);
}

#define BAD(status, argument_and_value, expected)                                      \
    REFUSED(clsm_problem_check(&given, &p), status, argument_and_value, expected)

START_TEST(init_gives_a_packed_matrix_of_one_type)
{
    memset(&given, 0xff, sizeof given);
    clsm_problem_init(&given, CLSM_LOG_SOFTMAX, CLSM_BF16, 3, 5);
    ck_assert_uint_eq(given.struct_bytes, sizeof given);
    ck_assert_int_eq(given.x_type, CLSM_BF16);
    ck_assert_int_eq(given.y_type, CLSM_BF16);
    ck_assert_int_eq(given.nonfinite, CLSM_NONFINITE_DEFAULT);
    ck_assert_uint_eq(given.flags, 0);
    ck_assert_ptr_null(given.variant);
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    ck_assert_uint_eq(p.x.row_stride, 5);
    ck_assert_uint_eq(p.y.col_stride, 1);
    ck_assert(!p.strided && !p.open_rows && !p.open_cols && !p.deterministic);
    ck_assert_uint_eq(clsm_problem_bytes(&p), 3 * 5 * (2 + 2));
    clsm_problem_init(NULL, CLSM_SOFTMAX, CLSM_F32, 1, 1);
}
END_TEST

START_TEST(packed_strides_follow_the_inner_dimensions)
{
    given.inner = 4;
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    ck_assert_uint_eq(p.x.col_stride, 4);
    ck_assert_uint_eq(p.x.row_stride, 20);
    ck_assert(p.strided);
    given.inner = 1;
    given.y_col_stride = 2;
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    ck_assert_uint_eq(p.y.row_stride, 10);
    ck_assert(p.strided);
}
END_TEST

START_TEST(flags_become_facts)
{
    given.flags = CLSM_OPEN_ROWS | CLSM_OPEN_COLS | CLSM_DETERMINISTIC;
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    ck_assert(p.open_rows && p.open_cols && p.deterministic);
}
END_TEST

START_TEST(a_missing_or_foreign_struct_is_refused)
{
    REFUSED(clsm_problem_check(NULL, &p), CLSM_ERR_NULL, "problem is NULL", "");
    given.struct_bytes = sizeof given + 8;
    BAD(CLSM_ERR_STRUCT, "problem.struct_bytes is", "clsm_problem_init()");
    given.struct_bytes = 0;
    BAD(CLSM_ERR_STRUCT, "problem.struct_bytes is 0", "expected");
}
END_TEST

START_TEST(a_bad_operation_is_refused)
{
    char expected[32];
    snprintf(expected, sizeof expected, "expected 0 to %d", OPS - 1);
    given.op = (clsm_op)OPS;
    BAD(CLSM_ERR_VALUE, "problem.op is", expected);
    given.op = (clsm_op)-1;
    BAD(CLSM_ERR_VALUE, "problem.op is -1", expected);
}
END_TEST

START_TEST(a_bad_type_is_refused)
{
    given.x_type = (clsm_type)4;
    BAD(CLSM_ERR_VALUE, "problem.x_type is 4", "expected 0 to 3");
    given.x_type = CLSM_F32;
    given.y_type = (clsm_type)-7;
    BAD(CLSM_ERR_VALUE, "problem.y_type is -7", "expected 0 to 3");
}
END_TEST

START_TEST(a_bad_policy_or_flag_is_refused)
{
    given.nonfinite = (clsm_nonfinite)2;
    BAD(CLSM_ERR_VALUE, "problem.nonfinite is 2", "expected 0 to 1");
    given.nonfinite = (clsm_nonfinite)-1;
    BAD(CLSM_ERR_VALUE, "problem.nonfinite is -1", "expected 0 to 1");
    given.nonfinite = CLSM_NONFINITE_LIMIT;
    given.flags = CLSM_OPEN_ROWS | 1u << 31;
    BAD(CLSM_ERR_VALUE, "problem.flags is 0x80000001", "known bits are 0x1f");
}
END_TEST

START_TEST(strides_that_make_elements_meet_are_refused)
{
    given.x_row_stride = 4;
    BAD(CLSM_ERR_SHAPE, "x_row_stride is 4", "expected at least one row's extent, 5");
    given.x_row_stride = 0;
    given.y_row_stride = 4;
    BAD(CLSM_ERR_SHAPE, "y_row_stride is 4", "5");
    given.y_row_stride = 0;
    given.inner = 3;
    given.x_col_stride = 2;
    BAD(CLSM_ERR_SHAPE, "x_col_stride is 2", "expected at least inner, 3");
    given.x_col_stride = 4; /* one row: (5 - 1) * 4 + 3 */
    given.x_row_stride = 18;
    BAD(CLSM_ERR_SHAPE, "x_row_stride is 18", "19");
    given.x_row_stride = 19;
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    ck_assert_uint_eq(clsm_layout_extent(&p.x, &p), 2 * 19 + 19);
}
END_TEST

START_TEST(a_stride_that_is_never_walked_may_be_anything)
{
    given.rows = 1;
    given.x_row_stride = 1;
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    ck_assert_uint_eq(clsm_layout_extent(&p.x, &p), 5);
    clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_F32, 3, 1);
    given.inner = 4;
    given.x_col_stride = 1;
    given.x_row_stride = 4;
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    ck_assert_uint_eq(clsm_layout_extent(&p.x, &p), 12);
}
END_TEST

START_TEST(rows_cols_or_inner_of_zero_hold_nothing)
{
    size_t *sizes[] = {&given.rows, &given.cols, &given.inner};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        set_up();
        *sizes[i] = 0;
        ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
        ck_assert_uint_eq(clsm_problem_bytes(&p), 0);
        ck_assert_uint_eq(clsm_layout_extent(&p.x, &p), 0);
        ck_assert_uint_eq(clsm_layout_extent(&p.y, &p), 0);
    }
}
END_TEST

START_TEST(rows_of_2_to_31_are_taken_and_longer_ones_refused)
{
    given.cols = MAX_COLS;
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    given.cols = MAX_COLS + 1;
    BAD(CLSM_ERR_SHAPE, "cols is 2147483649", "expected at most 2147483648");
}
END_TEST

/* As a program hands it that was compiled before operands and forms were added. */
START_TEST(a_shorter_struct_has_the_defaults_of_what_it_lacks)
{
    const size_t bytes = offsetof(clsm_problem, operands);
    memset(&given, 0xff, sizeof given);
    clsm_problem_init_sized(&given, bytes, CLSM_SOFTMAX, CLSM_F16, 3, 5);
    ck_assert_uint_eq(given.struct_bytes, bytes);
    ck_assert_uint_eq(given.operands, UINT_MAX); /* not the struct's any more */
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    ck_assert_uint_eq(p.rows, 3);
    ck_assert_uint_eq(p.operands, 0);
    ck_assert(p.scale == 1 && p.heads == 1 && p.k == 1 && p.dy.type == CLSM_F16);
    given.struct_bytes = bytes - 1;
    BAD(CLSM_ERR_STRUCT, "problem.struct_bytes is", "clsm_problem_init()");
}
END_TEST

START_TEST(sizes_past_size_t_are_refused)
{
    given.cols = 0, given.rows = SIZE_MAX / 64; /* row results would not fit */
    given.operands = CLSM_BIT(CLSM_LSE);
    BAD(CLSM_ERR_SHAPE, "operands for rows 288230376151711743", "do not fit in size_t");
    set_up();
    given.cols = 50, given.rows = SIZE_MAX / 50 + 1;
    BAD(CLSM_ERR_SHAPE, "rows 368934881474191033 x cols 50", "do not fit in size_t");
    given.cols = 5; /* elements fit, bytes do not */
    given.rows = SIZE_MAX / 5 / sizeof(float) + 1;
    BAD(CLSM_ERR_SHAPE, "x: rows", "do not fit in size_t bytes");
    given.rows--;
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    given.y_type = CLSM_F64;
    BAD(CLSM_ERR_SHAPE, "y: rows", "do not fit in size_t bytes");
    set_up();
    given.inner = SIZE_MAX / 2;
    BAD(CLSM_ERR_SHAPE, "rows 3 x inner", "overflow");
    set_up();
    given.y_row_stride = SIZE_MAX / 2;
    BAD(CLSM_ERR_SHAPE, "y: rows 3", "row stride 9223372036854775807");
    set_up();
    given.x_col_stride = SIZE_MAX - 1;
    BAD(CLSM_ERR_SHAPE, "x: rows 3 x cols 5", "do not fit in size_t");
}
END_TEST

/* 2^61 elements of four bytes fit, read and written they are 2^64 bytes. */
START_TEST(a_huge_problem_is_not_taken_for_an_empty_one)
{
    given.rows = (size_t)1 << 30;
    given.cols = (size_t)1 << 31;
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    ck_assert_uint_ne(clsm_problem_bytes(&p), 0);
}
END_TEST

/* The largest offset by walking all elements, against the formula. */
START_TEST(an_extent_ends_behind_the_last_element)
{
    for (unsigned n = 0; n < 4 * 4 * 3 * 3 * 3; n++) {
        given.rows = n % 4, given.cols = n / 4 % 4, given.inner = n / 16 % 3;
        given.x_col_stride = given.inner + n / 48 % 3;
        given.x_row_stride = 3 * given.x_col_stride + given.inner + n / 144 % 3;
        ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
        size_t end = 0;
        for (size_t r = 0; r < p.rows; r++)
            for (size_t c = 0; c < p.cols; c++)
                for (size_t i = 0; i < p.inner; i++)
                    end = r * p.x.row_stride + c * p.x.col_stride + i + 1;
        ck_assert_uint_eq(clsm_layout_extent(&p.x, &p), end);
    }
}
END_TEST

START_TEST(arithmetic_is_f64_if_either_type_is)
{
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    ck_assert(!clsm_problem_is_f64(&p));
    p.x.type = CLSM_F64;
    ck_assert(clsm_problem_is_f64(&p));
    p.x.type = CLSM_F16, p.y.type = CLSM_F64;
    ck_assert(clsm_problem_is_f64(&p));
}
END_TEST

Suite *problem_suite(void)
{
    Suite *suite = suite_create("problem");
    TCase *c = tcase_create("problem");
    tcase_add_checked_fixture(c, set_up, NULL);
    tcase_add_test(c, init_gives_a_packed_matrix_of_one_type);
    tcase_add_test(c, packed_strides_follow_the_inner_dimensions);
    tcase_add_test(c, flags_become_facts);
    tcase_add_test(c, a_missing_or_foreign_struct_is_refused);
    tcase_add_test(c, a_bad_operation_is_refused);
    tcase_add_test(c, a_bad_type_is_refused);
    tcase_add_test(c, a_bad_policy_or_flag_is_refused);
    tcase_add_test(c, strides_that_make_elements_meet_are_refused);
    tcase_add_test(c, a_stride_that_is_never_walked_may_be_anything);
    tcase_add_test(c, rows_cols_or_inner_of_zero_hold_nothing);
    tcase_add_test(c, rows_of_2_to_31_are_taken_and_longer_ones_refused);
    tcase_add_test(c, a_shorter_struct_has_the_defaults_of_what_it_lacks);
    tcase_add_test(c, sizes_past_size_t_are_refused);
    tcase_add_test(c, a_huge_problem_is_not_taken_for_an_empty_one);
    tcase_add_test(c, an_extent_ends_behind_the_last_element);
    tcase_add_test(c, arithmetic_is_f64_if_either_type_is);
    suite_add_tcase(suite, c);
    return suite;
}
