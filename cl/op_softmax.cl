/* SPDX-License-Identifier: MIT */
/* y = exp(x - max) / sum(exp(x - max)) */
#include "exp_terms.cl"
#include "keep_nothing.cl"
#include "probability.cl"

static real op_value(struct row row, struct element e, struct result r)
{
    return probability(e.x, r);
}
