/* SPDX-License-Identifier: MIT */
/* y = exp(x - max) / sum(exp(x - max)) */
#define OP_FROM_TERM 1
#define OP_RESCALES 1
#include "exp_terms.cl"
#include "keep_nothing.cl"
#include "probability.cl"
#define op_from_number op_from_term

static real op_value(struct row row, struct element e, struct result r)
{
    return probability(e.x, r);
}

static void op_rescale(struct result *r, real factor)
{
    r->scale *= factor;
}

static real op_from_term(struct row row, uint c, real term, struct result r)
{
    return term * r.scale;
}
