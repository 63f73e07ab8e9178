/* SPDX-License-Identifier: MIT */
/* Facts about where a row stands: every operation makes of a row in a batch, in a
 * strided tensor or along an inner axis what it makes of the row alone. */
#include "sample.h"
#include "suites.h"

#include <math.h>

enum { COLS = 9 };

static struct sample s, alone;

static void tear_down(void)
{
    sample_free(&s);
    sample_free(&alone);
}

/* The bytes of x's or another tensor's element (r, c, i). */
static char *element(const struct layout *l, const struct problem *p, const void *data,
                     size_t r, size_t c, size_t i)
{
    size_t at = r / p->queries * l->matrix_stride + r % p->queries * l->row_stride +
                c * l->col_stride + i;
    return (char *)data + at * clsm_type_bytes(l->type);
}

static void copy_operand(clsm_operand o, size_t to, size_t from)
{
    size_t n = clsm_operand_bytes(o, &s.p);
    if (clsm_has(&s.p, o))
        memcpy((char *)alone.in.operand[o] + to * n,
               (const char *)s.in.operand[o] + from * n, n);
}

static void copy_mask(size_t r, size_t i)
{
    const clsm_mask_stride *m = &s.given.mask_stride;
    size_t matrix = r / s.p.queries;
    size_t at = matrix / s.p.heads * m->batch + matrix % s.p.heads * m->head +
                r % s.p.queries * m->row + i * m->inner;
    for (size_t c = 0; c < COLS; c++)
        copy_operand(CLSM_MASK, c, at + c * m->col);
}

/* Everything that softmax (r, i) reads, into `alone`. */
static void take_out(size_t r, size_t i)
{
    size_t n = r * s.p.inner + i, head = r / s.p.queries % s.p.heads;
    for (size_t c = 0; c < COLS; c++) {
        memcpy((char *)alone.in.x + c * clsm_type_bytes(s.p.x.type),
               element(&s.p.x, &s.p, s.in.x, r, c, i), clsm_type_bytes(s.p.x.type));
        if (clsm_has(&s.p, CLSM_DY))
            memcpy((char *)alone.in.operand[CLSM_DY] + c * clsm_type_bytes(s.p.dy.type),
                   element(&s.p.dy, &s.p, s.in.operand[CLSM_DY], r, c, i),
                   clsm_type_bytes(s.p.dy.type));
        copy_operand(CLSM_WEIGHTS, c, c);
    }
    copy_mask(r, i);
    copy_operand(CLSM_SLOPES, 0, head);
    copy_operand(CLSM_SINKS, 0, head);
    copy_operand(CLSM_TEMPERATURE, 0, n);
    copy_operand(CLSM_TARGETS, 0, n);
    copy_operand(CLSM_FROM_MAX, 0, n);
    copy_operand(CLSM_FROM_SUM, 0, n);
}

static void same(clsm_operand o, size_t at, size_t alone_at, size_t r)
{
    double got = sample_out(&s, o)[at], want = sample_out(&alone, o)[alone_at];
    EXPECT(got == want || (isnan(got) && isnan(want)),
           "%s: %s of row %zu, number %zu: %.17g, alone %.17g", clsm_op_name(s.p.op),
           clsm_operand_name(o), r, at, got, want);
}

/* Run the whole problem, then each of its softmaxes alone. */
static void each_is_as_alone(const clsm_problem *problem)
{
    clsm_problem one = *problem;
    double bad = 0;
    one.rows = one.inner = one.heads = 1;
    one.queries = 0;
    one.x_row_stride = one.y_row_stride = one.dy_row_stride = 0;
    one.x_col_stride = one.y_col_stride = one.dy_col_stride = 0;
    one.x_matrix_stride = one.y_matrix_stride = one.dy_matrix_stride = 0;
    one.mask_stride = (clsm_mask_stride){.col = 1};
    sample_make(&s, problem);
    sample_make(&alone, &one);
    sample_run(&s);
    for (size_t n = 0; n < s.p.rows * s.p.inner; n++) {
        size_t r = n / s.p.inner, i = n % s.p.inner;
        ptrdiff_t query = (ptrdiff_t)(r % s.p.queries);
        if (problem->window) /* the offset counts */
            alone.given.causal_offset = problem->causal_offset + query;
        take_out(r, i);
        sample_run(&alone);
        for (size_t c = 0; c < s.p.y.cols; c++)
            same(CLSM_Y, (r * s.p.y.cols + c) * s.p.inner + i, c, r);
        for (clsm_operand o = CLSM_MAX; o <= CLSM_LOSS; o++)
            if (clsm_has(&s.p, o))
                same(o, n, 0, r);
        for (size_t j = 0; clsm_has(&s.p, CLSM_INDICES) && j < s.p.k; j++)
            same(CLSM_INDICES, (r * s.p.k + j) * s.p.inner + i, j, r);
        if (clsm_has(&s.p, CLSM_BAD_TARGETS))
            bad += *sample_out(&alone, CLSM_BAD_TARGETS);
    }
    if (clsm_has(&s.p, CLSM_BAD_TARGETS))
        ck_assert_double_eq(*sample_out(&s, CLSM_BAD_TARGETS), bad);
}

/* _i: operation */
START_TEST(a_row_of_a_batch_is_as_it_is_alone)
{
    clsm_problem problem;
    sample_everything(&problem, (clsm_op)_i, CLSM_F64, COLS);
    problem.mask_stride = (clsm_mask_stride){300, 70, 20, 2, 0};
    each_is_as_alone(&problem);
}
END_TEST

START_TEST(rows_of_strided_matrices_are_as_they_are_alone)
{
    clsm_problem problem;
    sample_everything(&problem, (clsm_op)_i, CLSM_F32, COLS);
    problem.rows = 14;
    problem.x_col_stride = 2;
    problem.x_row_stride = 2 * COLS + 1;
    problem.x_matrix_stride = 100;
    problem.dy_type = CLSM_F16;
    problem.dy_row_stride = COLS + 3;
    problem.dy_matrix_stride = 50;
    problem.flags |= problem.mask_type ? CLSM_CAUSAL : 0;
    each_is_as_alone(&problem);
}
END_TEST

START_TEST(a_softmax_along_an_inner_axis_is_as_it_is_alone)
{
    clsm_problem problem;
    sample_everything(&problem, (clsm_op)_i, CLSM_F64, COLS);
    problem.inner = 3;
    if (clsm_op_needs((clsm_op)_i) & CLSM_BIT(CLSM_TARGETS))
        problem.target_type = CLSM_TARGET_I64;
    problem.dy_col_stride = 5;
    problem.mask_stride = (clsm_mask_stride){.row = 4 * COLS, .col = 4, .inner = 1};
    each_is_as_alone(&problem);
}
END_TEST

Suite *rows_suite(void)
{
    Suite *suite = suite_create("rows");
    TCase *c = tcase_create("rows");
    tcase_add_checked_fixture(c, NULL, tear_down);
    tcase_add_loop_test(c, a_row_of_a_batch_is_as_it_is_alone, 0, OPS);
    tcase_add_loop_test(c, rows_of_strided_matrices_are_as_they_are_alone, 0, OPS);
    tcase_add_loop_test(c, a_softmax_along_an_inner_axis_is_as_it_is_alone, 0, OPS);
    suite_add_tcase(suite, c);
    return suite;
}
