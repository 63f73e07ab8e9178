/* SPDX-License-Identifier: MIT */
/*
 * Terms below 2^-126, for a logarithm: a device's shorter exponential leaves them out, and only
 * where nothing larger stands beside a row's maximum do they count. There they are added again,
 * from memory, so that rows as they are pay for one comparison. A mapping that does so has
 *     set_again  whether a row of those that reduce together wants its sum again; held_passes.cl
 *                asks it too, for rows of any type
 *     set_add    everybody gets the plain sum of everybody's value
 */
#if TINY_LATER
INLINE bool set_again(bool again, __local real *scratch);
INLINE real set_add(real v, __local real *scratch);

#if defined PARTS && PARTS > 1
INLINE uint share_columns(void); /* see cut.cl */
INLINE uint share_column(struct row row, uint first, uint i);
#endif

/* How many workers share them. */
#ifdef TILE
#define TINY_WORKERS 1
#else
#define TINY_WORKERS WORKERS
#endif

/* 2^31 terms too small come to no more than its last digits. */
#define ENOUGH_BESIDE 0x1p-70f

/* The terms of a worker's columns but the maximum's own, for which a logit made again need not
 * be the same to the last bit. Who takes which is all one where the set has the whole row. */
INLINE real tiny_sum(struct row row, uint first, real max)
{
    struct pair sum = {(real)0, (real)0};
#if defined PARTS && PARTS > 1
    ROLLED for (uint i = 0; i < share_columns(); i++)
    {
        uint c = share_column(row, first, i);
        if (c == NO_COLUMN)
            continue;
#else
    ROLLED for (uint c = row.begin + first; c < row.end; c += TINY_WORKERS)
    {
#endif
        real x = row_logit(row, c), d = below_max(x, max), term = exp_lifted(d);
        if (SHARP)
            term = sharpened(term, d, x, max);
        sum = pair_add(sum, term < (real)0.5f ? term : (real)0);
    }
    return sum.hi + sum.lo;
}

/* Where lanes agree and the compiler knows it, it needs fewer registers for what stands in a
 * branch; of clusters' lanes set_again tells it. */
#if defined KEPT && !defined CLUSTER && LANES_BY == LANES_PTX
#define AGREED(v) ptx_any(v)
#else
#define AGREED(v) (v)
#endif

/* Does nothing count beside the maximum but what may have been left out? */
static bool wants_tiny(struct pair sum, struct row row)
{
    return fabs((sum.hi - (real)1) + sum.lo) < ENOUGH_BESIDE && !is_alone(row);
}

/* The set's sum, or what it is with such terms: they stand beside a single 1. */
INLINE struct pair sum_with_tiny(struct pair sum, struct row row, uint first, real max,
                                 __local real *scratch)
{
    bool again = wants_tiny(sum, row);
    if (set_again(AGREED(again), scratch)) {
        real beside = set_add(tiny_sum(row, first, max), scratch);
        sum.lo = again ? beside : sum.lo;
        sum.hi = again ? (real)1 : sum.hi;
    }
    return sum;
}
#else
#define sum_with_tiny(sum, row, first, max, scratch) (sum)
#endif
