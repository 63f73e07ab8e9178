/* SPDX-License-Identifier: MIT */
/*
 * y = x - max - log(sum(exp(x - max))). The maximum itself adds exactly 1 to the sum, so
 * log1p of the rest keeps its digits where one element dominates.
 */
#define OP_NEEDS_MAX 1

struct result {
    real max, log_sum;
};

static real op_term(real x, real max)
{
    return exp_nonpositive(below_max(x, max));
}

static struct result op_result(struct state s)
{
    struct result r = {s.max, log1p((s.sum.hi - (real)1) + s.sum.lo)};
#if LIMIT
    r.log_sum = s.max == (real)(-INFINITY) && s.sum.hi == (real)0 ? (real)0 : r.log_sum;
#endif
    return r;
}

static real op_value(struct result r, real x)
{
    return below_max(x, r.max) - r.log_sum;
}
