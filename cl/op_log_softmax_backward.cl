/* SPDX-License-Identifier: MIT */
/* dx = dy - exp(y) sum(dy), from the saved output y, which is read as x. */
#define OP_NEEDS_MAX 0
#include "keep_nothing.cl"
#include "gradient_result.cl"

static real op_term(struct row row, uint c, real y, real max)
{
    return row_dy(row, c);
}

static real op_value(struct row row, uint c, real y, struct result r)
{
    return (row_dy(row, c) - exp_nonpositive(y) * r.sum) * (real)row.grad_scale;
}
