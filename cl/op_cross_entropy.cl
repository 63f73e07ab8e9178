/* SPDX-License-Identifier: MIT */
/*
 * Cross-entropy with its gradient: y = dloss/dx, and the loss in its operand. At the target
 * the gradient is all p - hit with all close to hit, taken as (all - hit) p - hit (1 - p):
 * 1 - p is the sum without the target's term, which the two-number sum still holds when p
 * rounds to 1.
 */
#define OP_FROM_TERM 1
#include "cross_entropy.cl"
#define OP_SPOT (!ROW_PER_LANE) /* there every column is asked */
#define OP_RESCALES 1

/* A row's gradient may be 0 whatever stands in x. To clear what is held of it is cheaper than to
 * ask at each element. */
#if !SMOOTHING && CLEARS != CLEARS_NOTHING
#define OP_VANISHES 1
static bool op_vanishes(struct result r)
{
    return r.nothing;
}
#else
#define OP_VANISHES 0
#endif

/* What smoothing takes from the gradient of column c. */
static real smoothed(struct row row, uint c, real here, struct result r)
{
#if SMOOTHING && HAS_WEIGHTS
    here -= r.each * row_weight(row, c);
#elif SMOOTHING
    here -= r.each;
#endif
    return !OP_VANISHES && r.nothing ? (real)0 : here;
}

static real op_from_term(struct row row, uint c, real term, struct result r)
{
    real here = term * r.slope;
    return smoothed(row, c, ROW_PER_LANE ? pick(c, r.target, r.at_target, here) : here, r);
}

static void op_rescale(struct result *r, real factor)
{
    r->slope *= factor;
}

static real op_from_number(struct row row, uint c, real term, struct result r)
{
#if SMOOTHING
    return op_from_term(row, c, term, r);
#else
    return term * r.slope; /* 0 where the gradient is nothing */
#endif
}

#if OP_SPOT
static uint op_spot(struct result r)
{
    return r.target;
}

static real op_at_spot(struct row row, struct result r)
{
    return smoothed(row, r.target, r.at_target, r);
}

static real op_elsewhere(struct row row, struct element e, struct result r)
{
    if (sizeof(mem_x) == 2 && sizeof(mem_y) == 2 && !LIMIT) {
        real m = row_max(r.max);
        real factor = exp_unbias(m); /* once a row, if it is on no condition */
        r.slope *= r.nothing ? (real)0 : factor;
        return op_from_term(row, e.c, exp_biased(e.x, m), r);
    }
    return op_from_term(row, e.c, exp_result(below_max(e.x, r.max)), r);
}
#endif

static real op_value(struct row row, struct element e, struct result r)
{
    real here = exp_result(below_max(e.x, r.max)) * r.slope;
    here = pick(e.c, r.target, r.at_target, here);
    bool is_asked = OP_VANISHES && CLEARS == CLEARS_TERMS;
    return is_asked && r.nothing ? (real)0 : smoothed(row, e.c, here, r);
}
