/* SPDX-License-Identifier: MIT */
/* y = x - max - log(sum(exp(x - max))) */
#define OP_NEEDS_REST 1
#define OP_LOG_ROUGH ROUGH
#include "exp_terms.cl"
#include "keep_nothing.cl"

struct result {
    real max, log_sum;
};

static struct result op_result(struct row row, struct state s, struct keep *keep)
{
    struct result r = {s.max, log_sum_of(s)};
#if LIMIT
    r.log_sum = s.max == (real)(-INFINITY) && state_sum(s) == (real)0 ? (real)0 : r.log_sum;
#elif OP_GIVEN /* by whom infinities have a sum */
    r.log_sum = s.max == (real)INFINITY ? (real)NAN : r.log_sum;
#endif
    return r;
}

static real op_value(struct row row, struct element e, struct result r)
{
    return from_max(e.x, r.max) - r.log_sum;
}
