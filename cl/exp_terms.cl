/* SPDX-License-Identifier: MIT */
/* What softmax and its kin share: the terms are exp(x - max). */
#define OP_NEEDS_MAX 1

static real op_term(struct row row, struct element e, real max)
{
    real d = below_max(e.x, max);
    return ROUGH ? exp_result(d) : exp_nonpositive(d);
}

#if !REAL_IS_F64 && !HAS_PTX
/* The same relative to a base, see exp.cl. */
static real op_based_term(struct row row, struct element e, struct base base)
{
    return exp_from(e.x, base);
}
#endif
