/* SPDX-License-Identifier: MIT */
/*
 * A work-group as SETS sets of DEPTH workers: work-item i is worker i / SETS of set i % SETS, so
 * that the workers of one rank are neighbours. Each set has PACK softmaxes of its own, which
 * are neighbours in memory, and their values take their way side by side: through local
 * memory in a tree, four to one; the last few everybody brings together, in the same order.
 * On NVIDIA the lanes of a set that are neighbours swap values before. Elsewhere plain OpenCL
 * C 1.2.
 */
#ifndef PACK
#define PACK 1
#endif
enum { SETS = TILE / PACK, DEPTH = WG / SETS };
#define SCRATCH_REALS (2 * PACK * WG)
#define EACH(v) UNROLL for (uint v = 0; v < PACK; v++) /* of a worker's softmaxes */
/* The first n of them. A bound that is not known before a function is in its place leaves a loop
 * and an array in memory, which PoCL 3.1 got wrong. */
#define EACH_OF(v, n) EACH(v) if (v < (n))

/* Everybody has read: scratch, which is used again, and after set_sum_of, which leaves this to
 * who calls it, also rows that are written in their place. */
INLINE void set_wait(void)
{
    if (DEPTH > 1)
        barrier(CLK_LOCAL_MEM_FENCE);
}

/* Do a softmax's ones and the others stay apart? Then a pair is two plain sums, of whole numbers and
 * of as few others as there are workers. */
#if COUNTS_ONES && defined SHORT_MOST
#define APART 1
#else
#define APART 0
#endif

INLINE struct pair set_pairs(struct pair a, struct pair b)
{
#if APART
    struct pair sums = {a.hi + b.hi, a.lo + b.lo};
    return sums;
#else
    return pair_merge(a, b);
#endif
}

#if TILE / PACK == WG
/* One worker each, who has nobody to ask. */
INLINE void set_max_of(real *value, uint n, __local real *scratch)
{
}

INLINE void set_sum_of(struct pair *sum, uint n, __local real *scratch)
{
    EACH_OF(v, OP_NEEDS_REST ? 0 : n)
        sum[v].hi += sum[v].lo, sum[v].lo = (real)0;
}

INLINE struct top set_top(struct top top, uint later, __local real *scratch)
{
    return top;
}
#elif HAS_PTX && !REAL_IS_F64 && TILE / PACK <= 32
enum {
    WARP = 32,
    WARPS = WG / WARP,
    SHARE = WARP / SETS,        /* lanes of a set in each */
    PLAINLY = WARPS <= 4 * SHARE /* are so few sums added up that rounding does not count? */
};

/* Where softmax v of this work-item's set is told by warp k; `plane` 1: a second number. */
INLINE __local real *told_at(__local real *scratch, uint plane, uint k, uint v)
{
    uint set = (uint)get_local_id(0) % SETS;
    return scratch + ((plane * WARPS + k) * SETS + set) * PACK + v;
}

INLINE void tell_others(const real *value, uint n, uint plane, __local real *scratch)
{
    uint i = get_local_id(0);
    if (i % WARP < SETS)
        EACH_OF(v, n)
            *told_at(scratch, plane, i / WARP, v) = value[v];
}

/* Of n values at once, the largest of each set's lanes here. */
INLINE void warp_max(real *value, uint n)
{
    EACH_OF(v, n)
        UNROLL for (uint d = WARP / 2; d >= SETS; d /= 2)
            value[v] = real_max(value[v], ptx_swap(value[v], d));
}

/* Their sum; what rounding lost counts for a logarithm. */
INLINE void warp_sum(struct pair *sum, uint n)
{
    EACH_OF(v, n)
        UNROLL for (uint d = WARP / 2; d >= SETS; d /= 2)
        {
            struct pair other = {ptx_swap(sum[v].hi, d), (real)0};
            if (OP_NEEDS_REST)
                other.lo = ptx_swap(sum[v].lo, d);
            if (APART)
                sum[v] = set_pairs(sum[v], other);
            else if (OP_NEEDS_REST)
                sum[v] = lanes_sum_of(sum[v], other);
            else
                sum[v].hi += other.hi;
        }
}

/* Of n values at once, each set's largest one for everybody in it. */
INLINE void set_max_of(real *value, uint n, __local real *scratch)
{
    uint share = (uint)get_local_id(0) % WARP / SETS;
    warp_max(value, n);
    tell_others(value, n, 0, scratch);
    barrier(FIRST_FENCE);
    EACH_OF(v, n)
        UNROLL for (uint k = 0; k < WARPS; k += SHARE)
            if (k + share < WARPS)
                value[v] = real_max(value[v], *told_at(scratch, 0, k + share, v));
    warp_max(value, n);
    barrier(CLK_LOCAL_MEM_FENCE); /* everybody has read before scratch is used again */
}

/* Of n pairs at once. */
INLINE void set_sum_of(struct pair *sum, uint n, __local real *scratch)
{
    uint share = (uint)get_local_id(0) % WARP / SETS;
    real hi[PACK], lo[PACK];
    EACH_OF(v, OP_NEEDS_REST ? 0 : n)
        sum[v].hi += sum[v].lo, sum[v].lo = (real)0;
    warp_sum(sum, n);
    EACH_OF(v, n)
        hi[v] = sum[v].hi, lo[v] = sum[v].lo;
    tell_others(hi, n, 0, scratch);
    if (OP_NEEDS_REST)
        tell_others(lo, n, 1, scratch);
    barrier(CLK_LOCAL_MEM_FENCE);
    EACH_OF(v, n)
    {
        struct pair all = {(real)0, (real)0};
        UNROLL for (uint k = 0; k < WARPS; k += SHARE)
        {
            struct pair other = {(real)0, (real)0};
            if (k + share < WARPS) {
                other.hi = *told_at(scratch, 0, k + share, v);
                other.lo = OP_NEEDS_REST ? *told_at(scratch, 1, k + share, v) : (real)0;
            }
            if (OP_NEEDS_REST || !PLAINLY)
                all = set_pairs(all, other);
            else
                all.hi += other.hi;
        }
        if (!OP_NEEDS_REST)
            all.hi += all.lo, all.lo = (real)0;
        sum[v] = all;
    }
    warp_sum(sum, n);
}

INLINE real_bits warp_most(real_bits v)
{
    UNROLL for (uint d = WARP / 2; d >= SETS; d /= 2)
        v = larger_bits(v, AS_BITS(ptx_swap(AS_REAL(v), d)));
    return v;
}

INLINE struct top warp_top(struct top top)
{
    struct top most;
    most.part[0] = warp_most(top.part[0]);
#if TOP_PARTS == 2
    most.part[1] = warp_most(top.part[0] == most.part[0] ? top.part[1] : 0);
#endif
    return most;
}

INLINE struct top set_top(struct top top, uint later, __local real *scratch)
{
    uint i = get_local_id(0), set = i % SETS, warp = i / WARP;
    top = warp_top(top);
    if (i % WARP < SETS)
        top_put(top, scratch + warp * SETS + set, WARPS * SETS);
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (uint k = i % WARP / SETS; k < WARPS; k += SHARE)
        top = top_of(top, top_get(scratch + k * SETS + set, WARPS * SETS));
    top = warp_top(top);
    barrier(CLK_LOCAL_MEM_FENCE); /* everybody has read before scratch is used again */
    return top;
}
#else
/* How many values of a set are left once four have become one as often as that goes. */
#define TILE_FEW(n) ((n) > 4 ? (n) / 4 : (n))
enum { LAST_FEW = TILE_FEW(TILE_FEW(TILE_FEW(TILE_FEW(TILE_FEW(DEPTH))))) };

/* Of n values at once, each set's largest one for everybody in it. */
INLINE void set_max_of(real *value, uint n, __local real *scratch)
{
    uint i = get_local_id(0), lane = i % SETS;
    EACH_OF(v, n)
        scratch[v * WG + i] = value[v];
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (uint left = WG / 4; left >= 2 * SETS; left /= 4) /* as DEPTH / 4 >= 2 */
    {
        EACH_OF(v, i < left ? n : 0)
        {
            UNROLL for (uint k = 1; k < 4; k++)
                value[v] = real_max(value[v], scratch[v * WG + i + k * left]);
            scratch[v * WG + i] = value[v];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    EACH_OF(v, n)
    {
        value[v] = scratch[v * WG + lane];
        UNROLL for (uint k = 1; k < LAST_FEW; k++)
            value[v] = real_max(value[v], scratch[v * WG + lane + k * SETS]);
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* everybody has read before scratch is used again */
}

INLINE struct top set_top(struct top top, uint later, __local real *scratch)
{
    uint i = get_local_id(0);
    top_put(top, scratch + i, WG);
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (uint left = WG / 2; left >= SETS; left /= 2)
    {
        if (i < left) {
            top = top_of(top, top_get(scratch + i + left, WG));
            top_put(top, scratch + i, WG);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    top = top_get(scratch + i % SETS, WG);
    barrier(CLK_LOCAL_MEM_FENCE);
    return top;
}

static struct pair pair_at(const __local real *scratch, uint i)
{
    struct pair s = {scratch[i], scratch[WG + i]};
    return s;
}

INLINE void pair_put(struct pair s, __local real *scratch, uint i)
{
    scratch[i] = s.hi;
    scratch[WG + i] = s.lo;
}

/* Of n pairs at once. */
INLINE void set_sum_of(struct pair *sum, uint n, __local real *scratch)
{
    uint i = get_local_id(0), lane = i % SETS;
    EACH_OF(v, n)
        pair_put(sum[v], scratch, 2 * v * WG + i);
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (uint left = WG / 4; left >= 2 * SETS; left /= 4)
    {
        EACH_OF(v, i < left ? n : 0)
        {
            UNROLL for (uint k = 1; k < 4; k++)
                sum[v] = set_pairs(sum[v], pair_at(scratch, 2 * v * WG + i + k * left));
            pair_put(sum[v], scratch, 2 * v * WG + i);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    EACH_OF(v, n)
    {
        sum[v] = pair_at(scratch, 2 * v * WG + lane);
        UNROLL for (uint k = 1; k < LAST_FEW; k++)
            sum[v] = set_pairs(sum[v], pair_at(scratch, 2 * v * WG + lane + k * SETS));
    }
}
#endif

INLINE real set_max(real v, __local real *scratch)
{
    set_max_of(&v, 1, scratch);
    return v;
}

INLINE struct pair set_sum(struct pair s, __local real *scratch)
{
    set_sum_of(&s, 1, scratch);
    set_wait();
    return s;
}

#if TINY_LATER
/* Workers of a set agree, and each makes the whole sum: others have nothing to do with it. */
INLINE bool set_again(bool again, __local real *scratch)
{
    return again;
}

INLINE real set_add(real v, __local real *scratch)
{
    return v;
}
#endif
