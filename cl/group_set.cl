/* SPDX-License-Identifier: MIT */
/*
 * A work-group as a set of workers where lanes can exchange values: each set of lanes
 * reduces on its own; then each set of lanes reduces all the partial results in local memory,
 * however many there are, or each work-item does if they are few.
 */
#if LANES_BY != LANES_KHR
#define MOST_SETS (WG / LANES)
#else
#define MOST_SETS WG /* the device says how many lanes a set has when it runs */
#endif
/* Few enough that every work-item takes all partial results by itself? */
#define FEW_SETS (LANES_BY == LANES_PTX && MOST_SETS <= 4)
#define FEW_MAXIMA (LANES_BY == LANES_PTX && MOST_SETS <= 8)
#define SCRATCH_REALS (LANES_SCRATCH + 4 * MOST_SETS)
/* Nobody writes the partial results of one kind before all have read the ones before: where
 * a maximum and a sum take turns, each in its place, the other's barrier sees to that. */
#if SMOOTHING || MAY_BE_HOT || !OP_NEEDS_MAX || OP_WRITES == WRITES_ITSELF
#define TURN_BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#else
#define TURN_BARRIER
#endif

INLINE real set_max(real v, __local real *scratch)
{
    __local real *part = scratch + LANES_SCRATCH + 2 * MOST_SETS;
    v = lanes_max(v, scratch);
    if (lane_id() == 0)
        part[lanes_id()] = v;
    barrier(FIRST_FENCE);
#if FEW_MAXIMA
    v = part[0];
    UNROLL for (uint k = 1; k < MOST_SETS; k++)
        v = real_max(v, part[k]);
#else
    v = -INFINITY;
    for (uint k = lane_id(); k < lanes_count(); k += lanes_size())
        v = real_max(v, part[k]);
    v = lanes_max(v, scratch);
#endif
    TURN_BARRIER;
    return v;
}

INLINE bool set_again(bool again, __local real *scratch)
{
    if (again)
        barrier(CLK_LOCAL_MEM_FENCE); /* all have read the partial results */
    return again;
}

INLINE real set_add(real v, __local real *scratch)
{
    __local real *part = scratch + LANES_SCRATCH;
    v = lanes_add(v, scratch);
    if (lane_id() == 0)
        part[lanes_id()] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
#if FEW_SETS
    v = part[0];
    UNROLL for (uint k = 1; k < MOST_SETS; k++)
        v += part[k];
#else
    v = (real)0;
    for (uint k = lane_id(); k < lanes_count(); k += lanes_size())
        v += part[k];
    v = lanes_add(v, scratch);
#endif
    TURN_BARRIER;
    return v;
}

INLINE struct pair set_sum(struct pair s, __local real *scratch)
{
    __local real *hi = scratch + LANES_SCRATCH, *lo = hi + MOST_SETS;
    s = lanes_row_sum(s, scratch);
    if (lane_id() == 0) {
        hi[lanes_id()] = s.hi;
        lo[lanes_id()] = s.lo;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#if FEW_SETS && !OP_NEEDS_REST /* each is one number, see lanes_row_sum */
    s.hi = hi[0], s.lo = (real)0;
    UNROLL for (uint k = 1; k < MOST_SETS; k++)
        if (ROUGH)
            s.hi += hi[k];
        else
            s = pair_add(s, hi[k]);
#elif FEW_SETS
    s.hi = hi[0], s.lo = lo[0];
    UNROLL for (uint k = 1; k < MOST_SETS; k++)
    {
        struct pair part = {hi[k], lo[k]};
        s = pair_merge(s, part);
    }
#else
    s.hi = s.lo = (real)0;
    for (uint k = lane_id(); k < lanes_count(); k += lanes_size()) {
        struct pair part = {hi[k], lo[k]};
        s = pair_merge(s, part);
    }
    s = lanes_sum(s, scratch);
#endif
    TURN_BARRIER;
    return s;
}

/* In turns each writes where nobody reads what the one before wrote, and a row's last one where its
 * sum was, which all have read. One that is alone waits for all to read: no maximum and no sum may
 * come before the next row's. */
INLINE struct top set_top(struct top top, uint later, __local real *scratch)
{
    __local real *part = scratch + LANES_SCRATCH + later % 2 * TOP_PARTS * MOST_SETS;
    top = lanes_top(top, scratch);
    if (lane_id() == 0)
        top_put(top, part + lanes_id(), MOST_SETS);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint k = min(lane_id(), lanes_count() - 1);
    top = top_get(part + k, MOST_SETS);
    for (k += lanes_size(); k < lanes_count(); k += lanes_size())
        top = top_of(top, top_get(part + k, MOST_SETS));
#if OP_WRITES != WRITES_ITSELF
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    return lanes_top(top, scratch);
}

#if HAS_CANDIDATES
INLINE __local real *keep_place(__local real *scratch)
{
    return scratch + SCRATCH_REALS;
}

INLINE void set_wait(void)
{
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* There is nothing left to wait for, and all of a work-group has one row. */
INLINE void set_summed(void)
{
}

INLINE bool sets_any(bool v, __local real *scratch)
{
    return v;
}

/* Of more shares than a set has lanes: each is compared with all the others in local memory, by
 * as many workers as there are for it. */
INLINE struct shares local_shares(const __local real *share, __local real *kept,
                                  __local real *scratch)
{
    enum { MOST = SHARES / 4 < LANES ? SHARES / 4 : LANES };
    enum { EACH = WG / SHARES < MOST ? WG / SHARES : MOST };
    const uint i = min((uint)get_local_id(0) / EACH, (uint)SHARES - 1);
    const uint at = (uint)get_local_id(0) % EACH; /* who takes every EACH-th piece of 16 bytes */
    struct shares all = {(real_bits)0, (real_bits)0};
    real_bits mine = share_apart(AS_BITS(share[i]), i), above = 0;
    for (uint k = lane_id(); k < SHARES; k += LANES)
        all.most = larger_bits(all.most, AS_BITS(share[k]));
    all.most = lanes_most(all.most, scratch);
    _Pragma("unroll 4") for (uint piece = at; piece < SHARES / 4; piece += EACH)
        UNROLL for (uint k = 4 * piece; k < 4 * piece + 4; k++)
            above += share_apart(AS_BITS(share[k]), k) > mine ? 1 : 0;
    UNROLL for (uint d = EACH / 2; d > 0; d /= 2)
        above += AS_BITS(lanes_swap(AS_REAL(above), d, scratch));
    if (above == PLACES - 1)
        kept[LEAST_AT] = AS_REAL(mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    all.least = AS_BITS(kept[LEAST_AT]);
    return all;
}

/* Shares are lanes as far apart as a set of lanes has shares, or sets as far apart as there are
 * shares. */
INLINE struct shares set_shares(real_bits v, bool begins, __local real *kept,
                                __local real *scratch)
{
    struct shares found;
    const uint sets = MOST_SETS, inside = SHARES > sets ? SHARES / sets : 1;
    __local real *share = SHARES > sets ? kept + SHARES_AT : scratch + LANES_SCRATCH + 2 * sets;
    v = inside > 1 ? apart_most(v, LANES, inside, scratch) : lanes_most(v, scratch);
    if (lane_id() < inside)
        share[lanes_id() * inside + lane_id()] = AS_REAL(v);
    barrier(CLK_LOCAL_MEM_FENCE);
#if SHARES > LANES
    found = local_shares(share, kept, scratch);
#else
    const uint all = sets * inside;
    v = AS_BITS(share[lane_id() % all]);
    for (uint k = lane_id() + LANES; k < all; k += LANES)
        v = larger_bits(v, AS_BITS(share[k]));
    if (all > SHARES)
        v = apart_most(v, all < LANES ? all : LANES, SHARES, scratch);
    found = lanes_shares(v, LANES, scratch);
#endif
    if (begins && get_local_id(0) == 0)
        *(__local uint *)kept = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    return found;
}
#endif
