/* SPDX-License-Identifier: MIT */
/* How `clsoftmax run` sees an array of any dimensions: as (rows, cols, inner) around
 * the axis, and the rows, where their place matters, as (batch, head, query). */
#include "run.h"

#include <string.h>

static size_t product(const size_t *shape, int from, int to)
{
    size_t n = 1;
    for (int d = from; d < to; d++)
        n *= shape[d];
    return n;
}

int run_shape(struct run_job *job)
{
    const struct npy *x = &job->tensors[0];
    clsm_problem *p = &job->problem;
    long axis = job->axis < 0 ? job->axis + x->dims : job->axis;
    if (axis < 0 || axis >= x->dims)
        return complain(EXIT_USAGE, "--axis is %ld, expected -%d to %d for %s",
                        job->axis, x->dims, x->dims - 1, job->in[0]);
    job->before = (int)axis;
    job->after = x->dims - 1 - (int)axis;
    p->rows = product(x->shape, 0, job->before);
    p->cols = x->shape[axis];
    p->inner = product(x->shape, job->before + 1, x->dims);
    p->x_type = p->dy_type = (clsm_type)x->type;
    if (!job->has_out_type)
        p->y_type = p->x_type;
    return EXIT_FINE;
}

size_t run_heads(const struct run_job *job)
{
    return job->before > 1 ? job->tensors[0].shape[job->before - 2] : 1;
}

size_t run_softmaxes(const struct run_job *job)
{
    return job->problem.rows * job->problem.inner;
}

void run_place(struct run_job *job)
{
    clsm_problem *p = &job->problem;
    const unsigned by_place =
        CLSM_BIT(CLSM_MASK) | CLSM_BIT(CLSM_SLOPES) | CLSM_BIT(CLSM_SINKS);
    if (!(p->operands & by_place) && !(p->flags & CLSM_CAUSAL) && !p->window)
        return; /* a plain problem, which has more variants */
    size_t heads = run_heads(job);
    p->queries = job->before ? job->tensors[0].shape[job->before - 1] : 1;
    p->heads = heads ? heads : 1; /* 0: there is no row */
}

/* One stride for several dimensions: from one of their elements to the next. False if
 * there is no such thing. Dimensions of one element fit any. */
static bool one_stride(const size_t *shape, const size_t *strides, int from, int to,
                       size_t *stride)
{
    size_t next = 0;
    bool any = false;
    *stride = 0;
    for (int d = to - 1; d >= from; d--) {
        if (shape[d] == 1)
            continue;
        if (any && strides[d] != next)
            return false;
        if (!any)
            *stride = strides[d];
        any = true;
        next = strides[d] * shape[d];
    }
    return true;
}

/* The mask's strides along x's dimensions, 0 where it is broadcast. */
static bool broadcast(const struct npy *x, const struct npy *mask, size_t *strides)
{
    size_t step = 1;
    if (mask->dims > x->dims)
        return false;
    memset(strides, 0, NPY_MAX_DIMS * sizeof *strides);
    for (int d = x->dims - 1, m = mask->dims - 1; m >= 0; d--, m--) {
        if (mask->shape[m] != 1 && mask->shape[m] != x->shape[d])
            return false;
        strides[d] = mask->shape[m] == 1 ? 0 : step;
        step *= mask->shape[m];
    }
    return true;
}

static int bad_mask(const struct run_job *job, const char *what)
{
    return complain(EXIT_FAILED, "%s: the mask's shape %s", job->in[CLSM_MASK - CLSM_X],
                    what);
}

int run_mask(struct run_job *job)
{
    const struct npy *x = &job->tensors[0];
    clsm_mask_stride *s = &job->problem.mask_stride;
    size_t strides[NPY_MAX_DIMS];
    int axis = job->before, query = axis > 0 ? axis - 1 : 0,
        head = axis > 1 ? axis - 2 : 0;
    if (!broadcast(x, run_tensor(job, CLSM_MASK), strides))
        return bad_mask(job, "does not broadcast to x's: aligned at the last one, each "
                             "dimension must be x's or 1");
    s->row = axis > 0 ? strides[query] : 0;
    s->head = axis > 1 ? strides[head] : 0;
    s->col = strides[axis];
    if (!one_stride(x->shape, strides, 0, head, &s->batch))
        return bad_mask(job,
                        "must be x's in all dimensions before the head, or 1 in all: "
                        "together they are the batch");
    if (!one_stride(x->shape, strides, axis + 1, x->dims, &s->inner))
        return bad_mask(job,
                        "must be x's in all dimensions behind the axis, or 1 in all");
    return EXIT_FINE;
}
