/* SPDX-License-Identifier: MIT */
/* dx = y (dy - sum(dy y)), from the saved output y, which is read as x. */
#define OP_NEEDS_MAX 0
#include "keep_nothing.cl"
#include "gradient_result.cl"

static real op_term(struct row row, struct element e, real max)
{
    return upto(e.dy * e.x, row.end - e.c, (real)0);
}

static real op_value(struct row row, struct element e, struct result r)
{
    return e.x * (e.dy - r.sum) * (real)row.grad_scale;
}
