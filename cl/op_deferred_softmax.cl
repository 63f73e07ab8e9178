/* SPDX-License-Identifier: MIT */
/* y = exp(x - max), for a consumer that divides by the row's sum later. Where the policy
 * says NaN, every element is NaN, so that dividing changes nothing. */
#define OP_FROM_TERM 1
#include "exp_terms.cl"
#include "keep_nothing.cl"

struct result {
    real max, poison; /* 0, or NaN */
};

static struct result op_result(struct row row, struct state s, struct keep *keep)
{
    struct result r = {s.max, state_sum(s) < (real)INFINITY ? (real)0 : (real)NAN};
#if !LIMIT
    r.poison = state_sum(s) == (real)0 ? (real)NAN : r.poison;
#endif
    return r;
}

static real op_value(struct row row, struct element e, struct result r)
{
    return exp_result(from_max(e.x, r.max)) + r.poison;
}

static real op_from_term(struct row row, uint c, real term, struct result r)
{
    return term + r.poison;
}
