/* SPDX-License-Identifier: MIT */
/* Allocating a trial's tensors, and filling those of x's shape. */
#include "tensors.h"
#include "failure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Behind each tensor stand some elements, behind what is written as many as a
 * work-group writes at once. Around and in inputs they are NaN or a huge integer, so
 * that reading one shows in the result; around and in outputs a number, so that not
 * writing a NaN shows. */
enum {
    GUARD = 67,
    GUARD_BYTES = 1 << 16,
    AROUND_INPUT = 0xff,
    AROUND_OUTPUT = 0xa5,
    OPERAND_OFFSET = 3
};

static struct tensor *of(struct tensors *t, clsm_operand operand)
{
    return &t->of[operand - CLSM_X];
}

/* A tensor of x's shape: where its element (r, c, i) stands. */
struct grid {
    size_t offset, queries, matrix, row, col;
};

static struct grid grid_of(const struct trial *trial, size_t cols, size_t offset,
                           size_t matrix, size_t row, size_t col)
{
    const clsm_problem *p = &trial->problem;
    struct grid g = {.offset = offset};
    g.queries = p->queries ? p->queries : p->rows;
    g.col = col ? col : p->inner;
    g.row = row ? row : cols * g.col;
    g.matrix = matrix ? matrix : g.queries * g.row;
    return g;
}

static size_t place(const struct grid *g, size_t r, size_t c, size_t i)
{
    return g->offset + r / g->queries * g->matrix + r % g->queries * g->row +
           c * g->col + i;
}

size_t tensors_y_place(const struct trial *trial, const struct tensors *t, size_t r,
                       size_t c, size_t i)
{
    const clsm_problem *p = &trial->problem;
    clsm_op_info op = {.struct_bytes = sizeof op};
    clsm_op_get_info(p->op, &op);
    size_t cols = op.y == CLSM_Y_ROW ? p->cols : op.y == CLSM_Y_K ? p->k : 1;
    struct grid g = grid_of(trial, cols, t->of[CLSM_Y - CLSM_X].offset,
                            p->y_matrix_stride, p->y_row_stride, p->y_col_stride);
    return place(&g, r, c, i);
}

static struct grid x_grid(const struct trial *trial)
{
    const clsm_problem *p = &trial->problem;
    return grid_of(trial, p->cols, trial->x_offset, p->x_matrix_stride, p->x_row_stride,
                   p->x_col_stride);
}

size_t tensors_x_place(const struct trial *trial, size_t r, size_t c, size_t i)
{
    const struct grid g = x_grid(trial);
    return place(&g, r, c, i);
}

static struct grid dy_grid(const struct trial *trial)
{
    const clsm_problem *p = &trial->problem;
    size_t offset =
        trial->in_place_dy ? trial->y_offset : OPERAND_OFFSET + trial->shift;
    return grid_of(trial, p->cols, offset, p->dy_matrix_stride, p->dy_row_stride,
                   p->dy_col_stride);
}

enum input_kind tensors_kind(const struct trial *trial, size_t softmax)
{
    size_t kind = (size_t)trial->kind + (trial->mixed ? softmax : 0);
    clsm_op_info info = {.struct_bytes = sizeof info};
    kind %= INPUT_KIND_COUNT;
    /* a given maximum is rounded, of 1e30 by more than exponentials bear */
    if (kind == INPUT_MASKED && clsm_op_get_info(trial->problem.op, &info) == CLSM_OK &&
        info.needs & CLSM_BIT(CLSM_FROM_MAX))
        kind = INPUT_EQUAL;
    return (enum input_kind)kind;
}

/* What a causal row must not see is NaN. */
static void poison_unseen(const struct trial *trial, struct tensors *t, size_t r,
                          size_t i)
{
    const clsm_problem *p = &trial->problem;
    const struct grid g = x_grid(trial);
    const ptrdiff_t query = (ptrdiff_t)(r % g.queries), offset = p->causal_offset;
    const bool sees_all = offset > PTRDIFF_MAX - query;
    const ptrdiff_t own = sees_all ? PTRDIFF_MAX : query + offset;
    for (size_t c = own < 0 ? 0 : (size_t)own + 1; c < p->cols; c++)
        input_put(p->x_type, of(t, CLSM_X)->data, place(&g, r, c, i), NAN);
}

static void fill_logits(const struct trial *trial, struct tensors *t)
{
    const clsm_problem *p = &trial->problem;
    const struct grid g = x_grid(trial);
    for (size_t r = 0; r < p->rows; r++)
        for (size_t i = 0; i < p->inner; i++) {
            size_t n = r * p->inner + i;
            input_fill(tensors_kind(trial, n), trial->seed + n, p->x_type,
                       of(t, CLSM_X)->data, place(&g, r, 0, i), g.col, p->cols);
            if (p->flags & CLSM_CAUSAL)
                poison_unseen(trial, t, r, i);
        }
}

/* A gradient that overflowed, as mixed precision has them, in one row of eleven. */
static void break_row(const struct trial *trial, struct tensors *t, size_t r, size_t i)
{
    static const double broken[] = {INFINITY, -INFINITY, NAN};
    const clsm_problem *p = &trial->problem;
    const struct grid g = dy_grid(trial);
    size_t n = trial->seed + r * p->inner + i;
    if (n % 11 == 5 && p->cols)
        input_put(p->dy_type, of(t, CLSM_DY)->data, place(&g, r, n % p->cols, i),
                  broken[n % 3]);
}

/* Gradients of either sign, or sums, which are positive. */
static void fill_dy(const struct trial *trial, struct tensors *t)
{
    const clsm_problem *p = &trial->problem;
    const struct grid g = dy_grid(trial);
    clsm_op_info op = {.struct_bytes = sizeof op};
    bool is_sum = clsm_op_get_info(p->op, &op) == CLSM_OK && op.y == CLSM_Y_NONE;
    uint64_t state = trial->seed * 2 + 77;
    for (size_t r = 0; r < p->rows; r++)
        for (size_t i = 0; i < p->inner; i++) {
            double range = exp(random_normal(&state));
            for (size_t c = 0; c < p->cols; c++) {
                double v = range * random_normal(&state);
                input_put(p->dy_type, of(t, CLSM_DY)->data, place(&g, r, c, i),
                          is_sum ? 1 + fabs(v) : v);
            }
            if (!is_sum)
                break_row(trial, t, r, i);
        }
}

/* As many elements for y as for what it takes the place of. */
static size_t guard_of(const struct trial *trial, clsm_operand operand,
                       const struct tensor *one)
{
    bool is_y = (operand == CLSM_X && trial->in_place) ||
                (operand == CLSM_DY && trial->in_place_dy);
    return GUARD + (one->written || is_y ? GUARD_BYTES / one->element_bytes : 0);
}

static clsm_status allocate(const struct trial *trial, struct tensors *t, int tensor)
{
    struct tensor *one = &t->of[tensor - CLSM_X];
    clsm_operand operand = (clsm_operand)tensor;
    size_t extent;
    clsm_op_info op = {.struct_bytes = sizeof op};
    clsm_status status =
        clsm_problem_extent(&trial->problem, operand, &extent, &one->element_bytes);
    if (status == CLSM_OK)
        status = clsm_op_get_info(trial->problem.op, &op);
    if (status != CLSM_OK)
        return status;
    unsigned bit = tensor >= 0 ? CLSM_BIT(tensor) : 0;
    bool is_mask = operand == CLSM_MASK && trial->problem.mask_type;
    if (tensor >= 0 && !is_mask && !((trial->problem.operands | op.needs) & bit))
        return CLSM_OK;
    if (operand == CLSM_Y && op.y == CLSM_Y_NONE)
        return CLSM_OK;
    one->written = operand == CLSM_Y || bit & CLSM_WRITTEN_BITS;
    one->offset = operand == CLSM_X                          ? trial->x_offset
                  : operand == CLSM_Y                        ? trial->y_offset
                  : operand == CLSM_DY && trial->in_place_dy ? trial->y_offset
                  : operand == CLSM_INDICES && !trial->y_offset
                      ? 0 /* several are written as one beside a y that starts so */
                      : OPERAND_OFFSET + trial->shift;
    one->extent = extent;
    one->elements = one->offset + extent + guard_of(trial, operand, one);
    one->data = malloc(one->elements * one->element_bytes);
    if (!one->data)
        return out_of_memory();
    memset(one->data, one->written ? AROUND_OUTPUT : AROUND_INPUT,
           one->elements * one->element_bytes);
    return CLSM_OK;
}

clsm_status tensors_make(const struct trial *trial, struct tensors *t)
{
    *t = (struct tensors){{{NULL, 0, 0, 0, 0, false}}};
    for (int tensor = CLSM_X; tensor < CLSM_OPERAND_COUNT; tensor++) {
        clsm_status status = allocate(trial, t, tensor);
        if (status != CLSM_OK)
            return status;
    }
    fill_logits(trial, t);
    if (of(t, CLSM_DY)->data)
        fill_dy(trial, t);
    operands_fill(trial, t);
    return derived_fill(trial, t);
}

void tensors_free(struct tensors *t)
{
    for (unsigned k = 0; k < TENSORS; k++)
        free(t->of[k].data);
}

clsm_host_args tensors_view(const struct tensors *t)
{
    clsm_host_args view = {.struct_bytes = sizeof view};
    void *first[TENSORS];
    for (unsigned k = 0; k < TENSORS; k++)
        first[k] = t->of[k].data
                       ? t->of[k].data + t->of[k].offset * t->of[k].element_bytes
                       : NULL;
    view.x = first[0];
    view.y = first[CLSM_Y - CLSM_X];
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++)
        view.operand[o] = first[o - CLSM_X];
    return view;
}

int tensors_y_is(const struct trial *trial)
{
    return trial->in_place ? 0 : trial->in_place_dy ? CLSM_DY - CLSM_X : -1;
}

void tensors_call(const struct trial *trial, const struct tensors *t, clsm_args *args)
{
    const clsm_problem *p = &trial->problem;
    args->rows = p->rows;
    args->cols = p->cols;
    args->x_row_stride = p->x_row_stride;
    args->y_row_stride = p->y_row_stride;
    args->dy_row_stride = p->dy_row_stride;
    args->x_matrix_stride = p->x_matrix_stride;
    args->y_matrix_stride = p->y_matrix_stride;
    args->dy_matrix_stride = p->dy_matrix_stride;
    args->mask_stride = p->mask_stride;
    args->causal_offset = p->causal_offset;
    args->grad_scale = p->grad_scale;
    args->x_offset = trial->x_offset;
    args->y_offset = trial->y_offset;
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++)
        args->operand[o].offset = t->of[o - CLSM_X].offset;
}
