/* SPDX-License-Identifier: MIT */
/* y = exp(x - max) / sum(exp(x - max)) */
#include "exp_terms.cl"
#include "keep_nothing.cl"
#include "probability.cl"
#define OP_FROM_TERM 1

static real op_value(struct row row, struct element e, struct result r)
{
    return probability(e.x, r);
}

static real op_from_term(struct row row, uint c, real term, struct result r)
{
    return term * r.scale;
}
