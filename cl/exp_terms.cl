/* SPDX-License-Identifier: MIT */
/* What softmax and its kin share: the terms are exp(x - max). */
#define OP_NEEDS_MAX 1

static real op_term(struct row row, uint c, real x, real max)
{
    return exp_nonpositive(below_max(x, max));
}
