/* SPDX-License-Identifier: MIT */
/*
 * A tile's sets of workers as tile_set.cl has them, where two lanes can swap values. The lanes
 * of a set that are neighbours come to one maximum and sum by swaps. Those of other sets of
 * lanes, and of other work-groups, are brought together once for each softmax, by some sets of
 * lanes of which each softmax has a few neighbours, while the others go on to the next barrier.
 */
#include "words.cl"
#include "alone_set.cl"
enum {
    SETS = TILE / PACK,    /* which share a tile; work-item i is worker i / SETS of set i % SETS */
    DEPTH = WG / SETS,     /* workers of a set */
    GROUPS = WG / LANES,   /* sets of lanes */
    ROOM = 3 * TILE + 4,   /* of a set of lanes' states; four more for other banks */
    FEWEST_LANES = LANES > TILE ? LANES / TILE : 1, /* of a softmax, that a set of them is full */
    MOST_LANES = WG / TILE
};
#define EACH(v) UNROLL for (uint v = 0; v < PACK; v++) /* of a worker's softmaxes */
#define SCRATCH_REALS (GROUPS * ROOM)
#define SCRATCH __local real __attribute__((aligned(16))) /* as it is written in fours */

/* Does nobody see more of a sum than its hi, added up from terms as short? */
#define PLAIN_SUMS (ROUGH && !OP_NEEDS_REST)
#define NO_LO ((real)-0.0f) /* which compilers know to change nothing where it is added */

/* The largest of each set's values among its lanes here. */
INLINE void tile_max(real *value, __local real *scratch)
{
    EACH(v)
        UNROLL for (uint d = LANES / 2; d >= SETS; d /= 2)
            value[v] = real_max(value[v], lanes_swap(value[v], d, scratch));
}

INLINE void tile_sum(struct pair *sum, __local real *scratch)
{
#if !OP_NEEDS_REST
    EACH(v)
        sum[v].hi += sum[v].lo, sum[v].lo = NO_LO;
#endif
    EACH(v)
        UNROLL for (uint d = LANES / 2; d >= SETS; d /= 2)
        {
#if OP_NEEDS_REST
            struct pair other = {lanes_swap(sum[v].hi, d, scratch),
                                 lanes_swap(sum[v].lo, d, scratch)};
            sum[v] = lanes_sum_of(sum[v], other);
#else
            sum[v].hi += lanes_swap(sum[v].hi, d, scratch);
#endif
        }
}

/* Numbers of TILE softmaxes, each kind's side by side: maxima, sums, and what these lost where
 * that counts. */
INLINE struct state tile_get(const __local real *room, uint softmax)
{
    return state_of(room[softmax], room[TILE + softmax],
                    OP_NEEDS_REST ? room[2 * TILE + softmax] : NO_LO);
}

/* PACK neighbours' numbers at once. */
#if REAL_IS_F64
typedef double2 reals_beside;
INLINE reals_beside beside(const real *v)
{
    return (reals_beside)(v[0], v[1]);
}
#else
typedef float4 reals_beside;
INLINE reals_beside beside(const real *v)
{
    return (reals_beside)(v[0], v[1], v[2], v[3]);
}
#endif

INLINE void tile_put_beside(__local real *room, uint set, const struct state *s)
{
    __local reals_beside *place = (__local reals_beside *)room + set;
    real max[PACK], hi[PACK], lo[PACK];
    EACH(v)
    {
        max[v] = s[v].max, lo[v] = s[v].sum.lo;
        hi[v] = OP_NEEDS_REST ? s[v].sum.hi : s[v].sum.hi + lo[v];
    }
    place[0] = beside(max);
    place[TILE / PACK] = beside(hi);
    if (OP_NEEDS_REST)
        place[2 * (TILE / PACK)] = beside(lo);
}

/* Two states as one, seen from one maximum, or from any. */
INLINE struct state tile_add(struct state a, struct state b)
{
    if (PLAIN_SUMS)
        a.sum.hi += b.sum.hi;
    else
        a.sum = pair_merge(a.sum, b.sum);
    return a;
}

INLINE struct state tile_join(struct state a, struct state b)
{
#if OP_NEEDS_MAX
    real max = real_max(a.max, b.max);
    a = state_bring(a, max);
    b = state_bring(b, max);
#endif
    return tile_add(a, b);
}

/* Neighbours' states as one. */
INLINE struct state tile_merge(struct state s, uint lanes, __local real *scratch)
{
    if (lanes == 1)
        return s;
#if OP_NEEDS_MAX
    s = state_bring(s, cluster_max(s.max, lanes, scratch));
#endif
    if (PLAIN_SUMS)
        s.sum.hi = cluster_add(s.sum.hi, lanes, scratch);
    else
        s.sum = cluster_sum(s.sum, lanes, scratch);
    return s;
}

/* Which softmax of a tile a work-item has, and as which of its lanes: those of the sets of lanes
 * from number `first` on, after the last of which the first comes. */
struct share {
    bool any;
    uint softmax, k;
};

INLINE struct share share_of(uint first, uint lanes)
{
    uint i = ((uint)get_local_id(0) + WG - first % GROUPS * LANES) % WG;
    struct share share = {i < TILE * lanes, i / lanes, i % lanes};
    return share;
}

/* Leaves what a set of lanes has found out of its softmaxes, for those who bring it together behind
 * the next barrier. */
INLINE void tile_leave(const struct state *s, __local real *scratch)
{
    if (lane_id() < SETS)
        tile_put_beside(scratch + lanes_id() * ROOM, lane_id(), s);
}

/* What all sets of lanes have left of a softmax, for FEWEST_LANES lanes. */
INLINE struct state tile_state(struct share share, __local real *scratch)
{
    struct state part[GROUPS / FEWEST_LANES], s = state_empty();
    real max = -INFINITY;
    UNROLL for (uint k = 0; k < GROUPS / FEWEST_LANES; k++)
    {
        part[k] = tile_get(scratch + (k * FEWEST_LANES + share.k) * ROOM, share.softmax);
        max = real_max(max, part[k].max);
    }
    UNROLL for (uint k = 0; k < GROUPS / FEWEST_LANES; k++)
    {
        struct state one = OP_NEEDS_MAX ? state_bring(part[k], max) : part[k];
        s = k ? tile_add(s, one) : one;
    }
    return tile_merge(s, FEWEST_LANES, scratch);
}
