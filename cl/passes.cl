/* SPDX-License-Identifier: MIT */
/*
 * What the mappings make of an operation's terms: bases, states of several workers as one, and
 * what a row has besides its columns. row_passes.cl has how they go over a row.
 */
#include "operation.cl"

#if HAS_BASES
/* Is what is too large infinite, with no clamp? */
#define EXP_SATURATES (X86_POWER && ROUGH)
static real exp_based(real x, struct base b)
{
#if X86_POWER
    if (ROUGH)
        return exp_from_scaled(x, b);
#endif
    return ROUGH          ? exp_from_rough(x, b)
           : OP_FROM_TERM ? exp_from(x, b)
                          : EXP_ADDED(x, b, (real)0);
}
#endif

INLINE real set_max(real v, __local real *scratch);
INLINE struct pair set_sum(struct pair s, __local real *scratch);

/* Lanes that share a row bring their sums together; as pairs where the last digits count, or where
 * nobody knows in which order lanes are added. */
#if LANES_BY != LANES_NONE
INLINE struct pair lanes_row_sum(struct pair s, __local real *scratch)
{
#if OP_NEEDS_REST || !LANES_SWAP
    return lanes_sum(s, scratch);
#else
    struct pair sum = {lanes_add(s.hi + s.lo, scratch), (real)0};
    return sum;
#endif
}
#endif

/* state_raise of a complete state, where a sum need be no more exact than its terms: for the way
 * between workers, on which everybody waits. */
static struct state state_bring(struct state s, real max)
{
    if (OP_NEEDS_REST || REAL_IS_F64)
        return state_raise(s, max);
    real factor = exp_nonpositive(below_max(s.max, max));
    s.max = max;
    s.sum.hi *= factor;
    s.sum.lo *= factor;
    return s;
}

/* Two workers' states as one. */
static struct state state_merge(struct state a, struct state b)
{
#if OP_NEEDS_MAX
    real max = real_max(a.max, b.max);
    a = state_raise(a, max);
    b = state_raise(b, max);
#endif
    a.sum = pair_merge(a.sum, b.sum);
    return a;
}

#if VEC == 1
#include "rising.cl"
#endif

/* The sum of lifted terms as the sum of terms. */
static struct pair pair_down(struct pair sum)
{
#if OP_LIFTS
    sum.hi *= UNLIFTED;
    sum.lo *= UNLIFTED;
#endif
    return sum;
}

/* Everybody's states as one. */
INLINE struct state set_state(struct state s, __local real *scratch)
{
#if OP_NEEDS_MAX
    s = state_raise(s, set_max(s.max, scratch));
#endif
    s.sum = set_sum(s.sum, scratch);
    return s;
}

#if !OP_ADDS
#define keep_add(keep, row, e)
#define keep_reduce(keep, scratch)
#endif
#if !HAS_CANDIDATES
#define keep_turn(keep, most, turn, scratch)
#endif

#if OP_GIVEN
INLINE struct state given_state(struct row row)
{
    return state_of(row.from_max, row.from_sum, (real)0);
}
#else
#define given_state(row) state_empty()
#endif

/* The logarithm of its sum of exponentials. */
INLINE real state_lse(struct state s)
{
    return s.max + (LOG_KNOWN ? s.log_sum : state_log_sum(s));
}

#if MAY_BE_HOT
/* A row of temperature 0 has one largest element, whatever is as large. */
static struct state state_one_hot(struct row row, struct state s)
{
    row_bool one = row.one_hot && ROW_OF(state_sum(s)) >= 1; /* else NaN, or all are -inf */
    s.sum.hi = one ? (real)1 : s.sum.hi;
    s.sum.lo = one ? (real)0 : s.sum.lo;
    s.log_sum = one ? (real)0 : s.log_sum;
    return s;
}
#endif

#if !ROW_PER_LANE
#include "row_passes.cl"
#endif
