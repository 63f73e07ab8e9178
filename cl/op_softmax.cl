/* SPDX-License-Identifier: MIT */
/* y = exp(x - max) / sum(exp(x - max)) */
#include "exp_terms.cl"
#include "keep_nothing.cl"
#include "probability.cl"

static real op_value(struct row row, uint c, real x, struct result r)
{
    return probability(x, r);
}
