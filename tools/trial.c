/* SPDX-License-Identifier: MIT */
/* Running a conformance trial. */
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GUARD: elements behind a tensor. What stands around x is NaN, so that reading it
 * shows in the result; what stands around and in y is a number, so that not writing a
 * NaN shows. */
enum { GUARD = 67, AROUND_X = 0xff, AROUND_Y = 0xa5 };

/* One tensor in its host copy. */
struct tensor {
    clsm_type type;
    size_t offset, row_stride, col_stride, elements; /* guards included */
    unsigned char *data;
};

static void complain(struct verdict *v, const char *what)
{
    if (!v->complaint[0])
        snprintf(v->complaint, sizeof v->complaint, "%s", what);
}

static bool allocate(const clsm_problem *p, clsm_type type, size_t offset,
                     size_t row_stride, size_t col_stride, int around, struct tensor *t)
{
    col_stride = col_stride ? col_stride : p->inner;
    row_stride = row_stride ? row_stride : p->cols * col_stride;
    size_t extent = p->rows && p->cols ? (p->rows - 1) * row_stride +
                                             (p->cols - 1) * col_stride + p->inner
                                       : 0;
    *t = (struct tensor){type, offset, row_stride, col_stride, offset + extent + GUARD,
                         NULL};
    size_t bytes = t->elements * clsm_type_bytes(type);
    t->data = malloc(bytes);
    if (t->data)
        memset(t->data, around, bytes);
    return t->data;
}

static size_t place(const struct tensor *t, size_t r, size_t c, size_t i)
{
    return t->offset + r * t->row_stride + c * t->col_stride + i;
}

static void fill(const struct trial *trial, const struct tensor *x)
{
    const clsm_problem *p = &trial->problem;
    for (size_t r = 0; r < p->rows; r++)
        for (size_t i = 0; i < p->inner; i++) {
            size_t n = r * p->inner + i;
            unsigned kind = (unsigned)trial->kind;
            if (trial->mixed)
                kind = (unsigned)((kind + n) % INPUT_KIND_COUNT);
            input_fill((enum input_kind)kind, trial->seed + n, x->type, x->data,
                       place(x, r, 0, i), x->col_stride, p->cols);
        }
}

/* Every byte that is not an element of the output must be what it was before. */
static bool guards_hold(const clsm_problem *p, const struct tensor *y,
                        const unsigned char *before)
{
    size_t size = clsm_type_bytes(y->type);
    unsigned char *outside = malloc(y->elements);
    if (!outside)
        return false;
    memset(outside, 1, y->elements);
    for (size_t r = 0; r < p->rows; r++)
        for (size_t c = 0; c < p->cols; c++)
            for (size_t i = 0; i < p->inner; i++)
                outside[place(y, r, c, i)] = 0;
    bool hold = true;
    for (size_t e = 0; e < y->elements && hold; e++)
        hold = !outside[e] || memcmp(y->data + e * size, before + e * size, size) == 0;
    free(outside);
    return hold;
}

/* Upload, enqueue, read back: into y's host copy. */
static clsm_status run_once(const struct session *s, clsm_plan *plan,
                            const struct trial *trial, const struct tensor *x,
                            struct tensor *y)
{
    size_t x_bytes = x->elements * clsm_type_bytes(x->type);
    size_t y_bytes = y->elements * clsm_type_bytes(y->type);
    cl_mem bx = session_buffer(s, x_bytes, x->data);
    cl_mem by = trial->in_place ? bx : session_buffer(s, y_bytes, y->data);
    clsm_status status = CLSM_ERR_OPENCL;
    clsm_args args;
    if (bx && by && (status = clsm_args_init(plan, &args)) == CLSM_OK) {
        args.rows = trial->problem.rows;
        args.cols = trial->problem.cols;
        args.x = bx, args.x_offset = trial->x_offset;
        args.y = by, args.y_offset = trial->y_offset;
        args.x_row_stride = trial->problem.x_row_stride;
        args.y_row_stride = trial->problem.y_row_stride;
        status = clsm_enqueue_args(plan, s->queue, &args, 0, NULL, NULL);
    }
    if (status == CLSM_OK && clEnqueueReadBuffer(s->queue, by, CL_TRUE, 0, y_bytes,
                                                 y->data, 0, NULL, NULL) != CL_SUCCESS)
        status = CLSM_ERR_OPENCL;
    clFinish(s->queue);
    if (bx)
        clReleaseMemObject(bx);
    if (by && by != bx)
        clReleaseMemObject(by);
    return status;
}

static void judge(const struct trial *trial, const struct tensor *x, struct tensor *y,
                  struct verdict *v)
{
    const clsm_problem *p = &trial->problem;
    v->report.struct_bytes = sizeof v->report;
    v->status =
        clsm_check(p, x->data + trial->x_offset * clsm_type_bytes(x->type),
                   y->data + trial->y_offset * clsm_type_bytes(y->type), &v->report);
    if (v->status != CLSM_OK || v->report.pass)
        return;
    char text[200];
    snprintf(
        text, sizeof text,
        "%llu of %llu outside the bound; worst %.3g x the bound at row %zu, column "
        "%zu, inner %zu: expected %.9g, got %.9g",
        (unsigned long long)v->report.failed, (unsigned long long)v->report.checked,
        v->report.worst, v->report.worst_row, v->report.worst_col,
        v->report.worst_inner, v->report.expected, v->report.got);
    complain(v, text);
}

/* The runs themselves: twice from the same bytes, which must give the same bytes. */
static void run_twice(const struct session *s, clsm_plan *plan,
                      const struct trial *trial, const struct tensor *x,
                      struct tensor *y, struct verdict *v)
{
    size_t bytes = y->elements * clsm_type_bytes(y->type);
    unsigned char *first = malloc(bytes), *before = malloc(bytes);
    if (!first || !before) {
        v->status = CLSM_ERR_MEMORY;
    } else {
        if (trial->in_place)
            memcpy(y->data, x->data, bytes);
        memcpy(before, y->data, bytes);
        v->status = run_once(s, plan, trial, x, y);
        memcpy(first, y->data, bytes);
        memcpy(y->data, before, bytes);
        if (v->status == CLSM_OK)
            v->status = run_once(s, plan, trial, x, y);
        if (v->status == CLSM_OK && memcmp(first, y->data, bytes) != 0)
            complain(v, "a second run gave other bits");
        if (v->status == CLSM_OK && !guards_hold(&trial->problem, y, before))
            complain(v, "wrote outside the output");
    }
    free(first);
    free(before);
}

bool trial_run(const struct session *s, const struct trial *trial, clsm_plan *given,
               struct verdict *v)
{
    const clsm_problem *p = &trial->problem;
    struct tensor x = {0}, y = {0};
    clsm_plan *plan = given;
    clsm_plan_info info = {.struct_bytes = sizeof info};
    *v = (struct verdict){.status = CLSM_OK};
    if (!plan)
        v->status = clsm_plan_create(s->engine, p, &plan);
    if (v->status == CLSM_OK)
        v->status = clsm_plan_get_info(plan, &info);
    snprintf(v->variant, sizeof v->variant, "%s", info.variant);
    if (v->status == CLSM_OK &&
        (!allocate(p, p->x_type, trial->x_offset, p->x_row_stride, p->x_col_stride,
                   AROUND_X, &x) ||
         !allocate(p, p->y_type, trial->y_offset, p->y_row_stride, p->y_col_stride,
                   AROUND_Y, &y)))
        v->status = CLSM_ERR_MEMORY;
    if (v->status == CLSM_OK) {
        fill(trial, &x);
        run_twice(s, plan, trial, &x, &y, v);
    }
    if (v->status == CLSM_OK)
        judge(trial, &x, &y, v);
    if (v->status != CLSM_OK)
        complain(v, clsm_last_message());
    if (plan != given)
        clsm_plan_destroy(plan);
    free(x.data);
    free(y.data);
    return v->status == CLSM_OK && !v->complaint[0];
}
