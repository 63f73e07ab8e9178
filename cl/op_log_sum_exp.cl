/* SPDX-License-Identifier: MIT */
/* y = max + log(sum(exp(x - max))), one number a row. Always by the limit policy: +inf gives
 * +inf, nothing but -inf (or nothing at all) gives -inf. */
#define OP_NEEDS_REST 1
#define OP_SUM_AT_INF 1
#include "exp_terms.cl"
#include "keep_nothing.cl"
#define OP_WRITES WRITES_ONE

struct result {
    real lse;
};

static struct result op_result(struct row row, struct state s, struct keep *keep)
{
    struct result r = {s.max + log_sum_of(s)};
    return r;
}

static real op_one(struct row row, struct result r)
{
    return r.lse;
}
