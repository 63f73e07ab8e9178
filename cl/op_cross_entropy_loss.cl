/* SPDX-License-Identifier: MIT */
/* Cross-entropy without its gradient: y = the loss, one number a row. */
#if !SMOOTHING && !Z_LOSS /* which take from it, and show more of its digits */
#define OP_LOG_ROUGH ROUGH
#endif
#include "cross_entropy.cl"
#define OP_WRITES WRITES_ONE

static real op_one(struct row row, struct result r)
{
    return r.loss;
}
