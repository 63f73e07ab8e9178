/* SPDX-License-Identifier: MIT */
/* Facts about matrices of rows, masks and results one a softmax: where their tensors
 * end, and which strides are refused. */
#include "problem.h"
#include "suites.h"

static clsm_problem given;
static struct problem p;

static void set_up(void)
{
    clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_F32, 7, 5);
}

#define BAD(argument_and_value, expected)                                              \
    REFUSED(clsm_problem_check(&given, &p), CLSM_ERR_SHAPE, argument_and_value,        \
            expected)
#define GOOD()                                                                         \
    ck_assert_msg(clsm_problem_check(&given, &p) == CLSM_OK, "%s", clsm_last_message())

static size_t extent_of(clsm_operand tensor, size_t bytes)
{
    size_t elements = 99, each = 99;
    ck_assert_msg(clsm_problem_extent(&given, tensor, &elements, &each) == CLSM_OK,
                  "%s", clsm_last_message());
    ck_assert_uint_eq(each, bytes);
    return elements;
}

/* The largest offset by walking all rows as the header numbers them. */
static size_t walk(const struct layout *l)
{
    size_t end = 0;
    for (size_t r = 0; r < p.rows; r++) {
        size_t first =
            r / given.queries * l->matrix_stride + r % given.queries * l->row_stride;
        size_t last = first + (l->cols - 1) * l->col_stride + p.inner;
        end = last > end ? last : end;
    }
    return end;
}

START_TEST(matrices_end_behind_their_last_element)
{
    for (unsigned n = 0; n < 9 * 5 * 3 * 3 * 2; n++) {
        set_up();
        given.rows = n % 9, given.queries = n / 9 % 5 + 1;
        given.inner = n / 270 % 2 + 1;
        given.x_col_stride = given.inner;
        given.x_row_stride = 5 * given.inner + n / 45 % 3 * 11;
        given.x_matrix_stride = 5 * given.x_row_stride + n / 135 % 3 * 7;
        GOOD();
        ck_assert_uint_eq(clsm_layout_extent(&p.x, &p), walk(&p.x));
        ck_assert_uint_eq(clsm_layout_extent(&p.y, &p), walk(&p.y));
        ck_assert_uint_eq(clsm_layout_extent(&p.y, &p), p.rows * 5 * p.inner);
    }
}
END_TEST

/* Rows of a matrix so far apart that the last, shorter matrix ends before the others.
 */
START_TEST(a_short_last_matrix_may_end_before_the_one_before_it)
{
    given.rows = 5, given.queries = 4;
    given.x_row_stride = 1000;
    given.x_matrix_stride = 3005;
    GOOD();
    ck_assert_uint_eq(clsm_layout_extent(&p.x, &p), walk(&p.x));
    given.x_row_stride = 5;
    given.x_matrix_stride = 20;
    GOOD();
    ck_assert_uint_eq(clsm_layout_extent(&p.x, &p), 25);
}
END_TEST

START_TEST(strides_that_make_matrices_meet_are_refused)
{
    given.queries = 3;
    given.x_matrix_stride = 14;
    BAD("x_matrix_stride is 14", "expected at least one matrix' extent, 15");
    given.x_matrix_stride = 0;
    given.y_row_stride = 7;
    given.y_matrix_stride = 18;
    BAD("y_matrix_stride is 18", "expected at least one matrix' extent, 19");
    given.y_matrix_stride = 19;
    GOOD();
    given.rows = 3; /* never walked */
    given.y_matrix_stride = 1;
    GOOD();
}
END_TEST

START_TEST(strides_of_the_second_input_are_named_so)
{
    clsm_problem_init(&given, CLSM_LOG_SOFTMAX_BACKWARD, CLSM_F32, 7, 5);
    given.dy_row_stride = 4;
    BAD("dy_row_stride is 4", "expected at least one row's extent, 5");
    given.dy_row_stride = 0;
    given.queries = 2;
    given.dy_matrix_stride = 9;
    BAD("dy_matrix_stride is 9", "expected at least one matrix' extent, 10");
    given.dy_matrix_stride = 0;
    given.inner = 3;
    given.dy_col_stride = 2;
    BAD("dy_col_stride is 2", "expected at least inner, 3");
    given.dy_col_stride = 0;
    given.dy_row_stride = SIZE_MAX / 4;
    given.dy_matrix_stride = SIZE_MAX / 2;
    BAD("dy: rows 7 x cols 5 x inner 3", "do not fit in size_t bytes");
    given.op = CLSM_SOFTMAX; /* which has none */
    GOOD();
}
END_TEST

START_TEST(the_largest_ones_are_packed)
{
    clsm_problem_init(&given, CLSM_TOPK, CLSM_F32, 7, 50);
    given.k = 4;
    given.inner = 2;
    GOOD();
    ck_assert_uint_eq(p.y.row_stride, 8);
    given.y_col_stride = 3;
    BAD("y_col_stride is 3", "expected inner, 2, as topk packs");
    given.y_col_stride = 2;
    given.y_row_stride = 9;
    GOOD();
    ck_assert_uint_eq(extent_of(CLSM_Y, 4), 6 * 9 + 8);
    ck_assert_uint_eq(extent_of(CLSM_INDICES, 4), 7 * 4 * 2);
}
END_TEST

START_TEST(strides_past_size_t_are_refused)
{
    given.queries = 2;
    given.x_matrix_stride = SIZE_MAX / 3;
    BAD("x: rows 7 x cols 5", "do not fit in size_t bytes");
    set_up();
    given.mask_type = CLSM_MASK_BOOL;
    given.mask_stride.row = SIZE_MAX / 6;
    BAD("mask_stride does not fit", "size_t bytes");
    given.mask_stride = (clsm_mask_stride){.inner = SIZE_MAX}; /* never walked */
    GOOD();
}
END_TEST

/* The mask's elements, by walking. */
START_TEST(a_mask_ends_behind_the_last_element_that_is_read)
{
    for (unsigned n = 0; n < 1024; n++) {
        set_up();
        given.rows = n % 8 + 8 * (n / 8 % 2), given.queries = 2 + n / 16 % 2;
        given.heads = n / 32 % 2 ? 5 : 2;
        given.inner = 2;
        given.mask_type = CLSM_MASK_F16;
        clsm_mask_stride s = {n / 64 % 2 * 300, n / 128 % 2 * 90, n / 256 % 2 * 13,
                              n / 512 % 2 * 2, n % 3 % 2};
        given.mask_stride = s;
        size_t end = 0;
        for (size_t r = 0; r < given.rows; r++) {
            size_t m = r / given.queries;
            size_t last = m / given.heads * s.batch + m % given.heads * s.head +
                          r % given.queries * s.row + 4 * s.col + s.inner + 1;
            end = last > end ? last : end;
        }
        size_t extent = extent_of(CLSM_MASK, 2);
        EXPECT(extent == end, "rows %zu of %zu queries, %zu heads: %zu, expected %zu",
               given.rows, given.queries, given.heads, extent, end);
    }
}
END_TEST

START_TEST(what_stands_once_a_softmax_head_or_column_is_counted_so)
{
    clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_BF16, 7, 5);
    given.inner = 2;
    given.queries = 2;
    given.heads = 3;
    given.operands = CLSM_STATISTICS_BITS | CLSM_BIT(CLSM_SINKS) |
                     CLSM_BIT(CLSM_SLOPES) | CLSM_BIT(CLSM_TEMPERATURE);
    ck_assert_uint_eq(extent_of(CLSM_LSE, 4), 14);
    ck_assert_uint_eq(extent_of(CLSM_TEMPERATURE, 4), 14);
    ck_assert_uint_eq(extent_of(CLSM_SINKS, 4), 3);
    ck_assert_uint_eq(extent_of(CLSM_DY, 2), 0); /* not this operation's */
    ck_assert_uint_eq(extent_of(CLSM_LOSS, 4), 0);
    given.heads = 9; /* more than matrices */
    ck_assert_uint_eq(extent_of(CLSM_SLOPES, 4), 4);
    given.y_type = CLSM_F64;
    ck_assert_uint_eq(extent_of(CLSM_MAX, 8), 14);
    clsm_problem_init(&given, CLSM_CROSS_ENTROPY_LOSS, CLSM_F16, 7, 5);
    given.operands = CLSM_BIT(CLSM_WEIGHTS) | CLSM_BIT(CLSM_BAD_TARGETS);
    ck_assert_uint_eq(extent_of(CLSM_WEIGHTS, 4), 5);
    ck_assert_uint_eq(extent_of(CLSM_BAD_TARGETS, 4), 1);
    ck_assert_uint_eq(extent_of(CLSM_TARGETS, 4), 7);
    ck_assert_uint_eq(extent_of(CLSM_Y, 2), 7);
    given.target_type = CLSM_TARGET_I64;
    ck_assert_uint_eq(extent_of(CLSM_TARGETS, 8), 7);
    clsm_problem_init(&given, CLSM_STATISTICS, CLSM_F16, 7, 5);
    given.y_type = CLSM_F64; /* there is no y */
    given.operands = CLSM_BIT(CLSM_MAX);
    ck_assert_uint_eq(extent_of(CLSM_MAX, 4), 7);
    ck_assert_uint_eq(extent_of(CLSM_Y, 2), 0);
    ck_assert_uint_eq(extent_of(CLSM_X, 2), 35);
}
END_TEST

START_TEST(an_extent_of_no_tensor_is_refused)
{
    size_t n, bytes;
    REFUSED(clsm_problem_extent(&given, CLSM_OPERAND_COUNT, &n, &bytes), CLSM_ERR_VALUE,
            "tensor is 15", "expected -2 to 14");
    REFUSED(clsm_problem_extent(&given, (clsm_operand)-3, &n, &bytes), CLSM_ERR_VALUE,
            "tensor is -3", "expected -2");
    REFUSED(clsm_problem_extent(&given, CLSM_X, NULL, &bytes), CLSM_ERR_NULL,
            "elements is NULL", "");
    REFUSED(clsm_problem_extent(&given, CLSM_X, &n, NULL), CLSM_ERR_NULL,
            "element_bytes is NULL", "");
    given.heads = 0;
    REFUSED(clsm_problem_extent(&given, CLSM_X, &n, &bytes), CLSM_ERR_VALUE,
            "problem.heads is 0", "");
}
END_TEST

Suite *layout_suite(void)
{
    Suite *suite = suite_create("layout");
    TCase *c = tcase_create("layout");
    tcase_add_checked_fixture(c, set_up, NULL);
    tcase_add_test(c, matrices_end_behind_their_last_element);
    tcase_add_test(c, a_short_last_matrix_may_end_before_the_one_before_it);
    tcase_add_test(c, strides_that_make_matrices_meet_are_refused);
    tcase_add_test(c, strides_of_the_second_input_are_named_so);
    tcase_add_test(c, the_largest_ones_are_packed);
    tcase_add_test(c, strides_past_size_t_are_refused);
    tcase_add_test(c, a_mask_ends_behind_the_last_element_that_is_read);
    tcase_add_test(c, what_stands_once_a_softmax_head_or_column_is_counted_so);
    tcase_add_test(c, an_extent_of_no_tensor_is_refused);
    suite_add_tcase(suite, c);
    return suite;
}
