/* SPDX-License-Identifier: MIT */
/* Inputs that another operation has made: what a backward pass reads as x, and what a
 * finishing pass is given. The related operation is found by its name. */
#include "tensors.h"
#include "failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The operation whose name is this one's without a prefix or a suffix; false if this
 * one has neither. */
static bool related_op(clsm_op op, const char *prefix, const char *suffix,
                       clsm_op *found)
{
    char name[64];
    snprintf(name, sizeof name, "%s", clsm_op_name(op));
    size_t length = strlen(name), before = strlen(prefix), after = strlen(suffix);
    if (length <= before + after || strncmp(name, prefix, before) != 0 ||
        strcmp(name + length - after, suffix) != 0)
        return false;
    name[length - after] = 0;
    return clsm_op_find(name + before, found) == CLSM_OK;
}

/* Make the forward pass's output of the logits: what a backward operation reads as x.
 */
static clsm_status save_output(const struct trial *trial, struct tensors *t,
                               clsm_op forward)
{
    clsm_problem p = trial->problem;
    double *y = calloc(p.rows * p.cols * p.inner + 1, sizeof *y);
    p.op = forward;
    p.operands = 0;
    p.grad_scale = 1;
    clsm_status status = y ? clsm_reference(&p, tensors_view(t).x, y) : out_of_memory();
    for (size_t r = 0; status == CLSM_OK && r < p.rows; r++)
        for (size_t c = 0; c < p.cols; c++)
            for (size_t i = 0; i < p.inner; i++)
                input_put(p.x_type, t->of[0].data, tensors_x_place(trial, r, c, i),
                          y[(r * p.cols + c) * p.inner + i]);
    free(y);
    return status;
}

/* The statistics that a finishing operation is given: those of its own rows. */
static clsm_status fill_statistics(const struct trial *trial, struct tensors *t)
{
    clsm_problem p = trial->problem;
    struct tensor *max = &t->of[CLSM_FROM_MAX - CLSM_X];
    struct tensor *sum = &t->of[CLSM_FROM_SUM - CLSM_X];
    size_t n = p.rows * p.inner;
    double *stats = calloc(2 * n + 1, sizeof *stats);
    clsm_host_args in = tensors_view(t), out = {.struct_bytes = sizeof out};
    related_op(p.op, "finish_", "", &p.op);
    p.operands &= CLSM_FORM_BITS;
    p.operands |= CLSM_BIT(CLSM_MAX) | CLSM_BIT(CLSM_SUM);
    out.operand[CLSM_MAX] = stats;
    out.operand[CLSM_SUM] = stats ? stats + n : NULL;
    clsm_status status = stats ? clsm_reference_args(&p, &in, &out) : out_of_memory();
    clsm_type type = max->element_bytes == 8 ? CLSM_F64 : CLSM_F32;
    for (size_t e = 0; status == CLSM_OK && e < n; e++) {
        input_put(type, max->data, max->offset + e, stats[e]);
        input_put(type, sum->data, sum->offset + e, stats[n + e]);
    }
    free(stats);
    return status;
}

clsm_status derived_fill(const struct trial *trial, struct tensors *t)
{
    clsm_op forward;
    clsm_status status = CLSM_OK;
    if (related_op(trial->problem.op, "", "_backward", &forward))
        status = save_output(trial, t, forward);
    if (status == CLSM_OK && t->of[CLSM_FROM_MAX - CLSM_X].data)
        status = fill_statistics(trial, t);
    return status;
}
