/* SPDX-License-Identifier: MIT */
/* y = exp(x - max) / sum(exp(x - max)) */
#define OP_NEEDS_MAX 1

struct result {
    real max, scale;
};

static real op_term(real x, real max)
{
    return exp_nonpositive(below_max(x, max));
}

static struct result op_result(struct state s)
{
    struct result r = {s.max, (real)1 / (s.sum.hi + s.sum.lo)};
#if LIMIT
    r.scale = s.max == (real)(-INFINITY) && s.sum.hi == (real)0 ? (real)0 : r.scale;
#endif
    return r;
}

static real op_value(struct result r, real x)
{
    return op_term(x, r.max) * r.scale;
}
