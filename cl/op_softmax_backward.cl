/* SPDX-License-Identifier: MIT */
/* dx = y (dy - sum(dy y)), from the saved output y, which is read as x. */
#define OP_NEEDS_MAX 0
#include "keep_nothing.cl"
#include "gradient_result.cl"

static real op_term(struct row row, uint c, real y, real max)
{
    return upto(row_dy(row, c) * y, row.end - c, (real)0);
}

static real op_value(struct row row, uint c, real y, struct result r)
{
    return y * (row_dy(row, c) - r.sum) * (real)row.grad_scale;
}
