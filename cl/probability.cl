/* SPDX-License-Identifier: MIT */
/* What turns a row's elements into probabilities. The file before says what `keep` is. */
struct result {
    real max, scale;
};

static struct result op_result(struct row row, struct state s, struct keep *keep)
{
    struct result r = {s.max, (real)1 / (s.sum.hi + s.sum.lo)};
#if LIMIT
    r.scale = s.max == (real)(-INFINITY) && s.sum.hi == (real)0 ? (real)0 : r.scale;
#endif
    return r;
}

static real probability(real x, struct result r)
{
    return exp_result(below_max(x, r.max)) * r.scale;
}
