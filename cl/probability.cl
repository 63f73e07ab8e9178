/* SPDX-License-Identifier: MIT */
/* What turns a row's elements into probabilities. The file before says what `keep` is. */
struct keep;

struct result {
    real max, scale;
};

static struct result op_result(struct row row, struct state s, struct keep *keep)
{
    struct result r = {s.max, inverse(state_sum(s))};
    if (BIASED && !BIAS_CANCELS)
        r.scale *= exp_unbias(row_max(s.max));
#if LIMIT
    r.scale = s.max == (real)(-INFINITY) && state_sum(s) == (real)0 ? (real)0 : r.scale;
#elif OP_GIVEN /* by whom infinities have a sum */
    r.scale = s.max == (real)INFINITY ? (real)NAN : r.scale;
#endif
    return r;
}

static real probability(real x, struct result r)
{
    if (BIASED)
        return exp_biased(x, row_max(r.max)) * r.scale;
    real d = from_max(x, r.max);
    return (ALONE ? exp_alone(d) : exp_result(d)) * r.scale;
}
