/* SPDX-License-Identifier: MIT */
/*
 * Cross-entropy with its gradient: y = dloss/dx, and the loss in its operand. At the target
 * the gradient is all p - hit with all close to hit, taken as (all - hit) p - hit (1 - p):
 * 1 - p is the sum without the target's term, which the two-number sum still holds when p
 * rounds to 1.
 */
#include "cross_entropy.cl"

static real op_value(struct row row, struct element e, struct result r)
{
    if (r.nothing)
        return (real)0;
    real p = exp_result(below_max(e.x, r.max)) * r.scale;
    real here = r.all * p;
    if (r.target - e.c < VEC)
        here = pick(e.c, r.target, (r.all - r.hit) * p - r.hit * r.missing, here);
#if SMOOTHING && HAS_WEIGHTS
    here -= r.each * row_weight(row, e.c);
#elif SMOOTHING
    here -= r.each;
#endif
    return here;
}
