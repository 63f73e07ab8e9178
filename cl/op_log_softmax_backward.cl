/* SPDX-License-Identifier: MIT */
/* dx = dy - exp(y) sum(dy), from the saved output y, which is read as x. */
#define OP_NEEDS_MAX 0
#include "keep_nothing.cl"
#include "gradient_result.cl"

static real op_term(struct row row, struct element e, real max)
{
    return e.dy;
}

static real op_value(struct row row, struct element e, struct result r)
{
#if VEC > 1 /* as in exp_terms.cl */
    real p = exp_clamped(e.x);
#else
    real p = exp_result(e.x);
#endif
    return (e.dy - p * r.sum) * (real)row.grad_scale;
}
