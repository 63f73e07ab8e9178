/* SPDX-License-Identifier: MIT */
/*
 * A tile's sets of workers as tile_set.cl has them, where two lanes can swap values. The lanes
 * of a set that are neighbours come to one maximum and sum by swaps. Those of other sets of
 * lanes, and of other work-groups, are brought together once for each softmax, by READERS
 * neighbours.
 */
#include "words.cl"
enum {
    SETS = TILE / PACK,    /* which share a tile; work-item i is worker i / SETS of set i % SETS */
    DEPTH = WG / SETS,     /* workers of a set */
    GROUPS = WG / LANES,   /* sets of lanes */
    READERS = WG / TILE,   /* of a softmax's states: work-items i * READERS and on, of softmax i */
    ROOM = 3 * TILE + 4    /* of a set of lanes' states; four more for other banks */
};
#define EACH(v) UNROLL for (uint v = 0; v < PACK; v++) /* of a worker's softmaxes */
#define SCRATCH_REALS (GROUPS * ROOM + 3 * TILE)
#define SCRATCH __local real __attribute__((aligned(16))) /* as it is read in fours */

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

INLINE struct state state_of(real max, real hi, real lo)
{
    struct state s = state_empty();
    s.max = max;
    s.sum.hi = hi;
    s.sum.lo = lo;
    return s;
}

/* Numbers of TILE softmaxes, each kind's side by side: maxima, sums, and what these lost where
 * that counts. */
INLINE struct state tile_get(const __local real *room, uint softmax)
{
    return state_of(room[softmax], room[TILE + softmax],
                    OP_NEEDS_REST ? room[2 * TILE + softmax] : NO_LO);
}

INLINE void tile_put(__local real *room, uint softmax, struct state s)
{
    room[softmax] = s.max;
    room[TILE + softmax] = OP_NEEDS_REST ? s.sum.hi : s.sum.hi + s.sum.lo;
    if (OP_NEEDS_REST)
        room[2 * TILE + softmax] = s.sum.lo;
}

/* PACK neighbours' numbers at once. */
#if REAL_IS_F64
typedef double2 reals_beside;
INLINE reals_beside beside(const real *v)
{
    return (reals_beside)(v[0], v[1]);
}

INLINE void from_beside(reals_beside b, real *v)
{
    v[0] = b.x, v[1] = b.y;
}
#else
typedef float4 reals_beside;
INLINE reals_beside beside(const real *v)
{
    return (reals_beside)(v[0], v[1], v[2], v[3]);
}

INLINE void from_beside(reals_beside b, real *v)
{
    v[0] = b.x, v[1] = b.y, v[2] = b.z, v[3] = b.w;
}
#endif

INLINE void tile_get_beside(const __local real *room, uint set, struct state *s)
{
    const __local reals_beside *place = (const __local reals_beside *)room + set;
    real max[PACK], hi[PACK], lo[PACK];
    from_beside(place[0], max);
    from_beside(place[TILE / PACK], hi);
    EACH(v)
        lo[v] = NO_LO;
    if (OP_NEEDS_REST)
        from_beside(place[2 * (TILE / PACK)], lo);
    EACH(v)
        s[v] = state_of(max[v], hi[v], lo[v]);
}

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

/* A state seen from a maximum that is at least its own. */
INLINE struct state tile_raise(struct state s, real max)
{
    if (!PLAIN_SUMS)
        return state_raise(s, max);
    s.sum.hi *= exp_result(below_max(s.max, max));
    s.max = max;
    return s;
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
    a = tile_raise(a, max);
    b = tile_raise(b, max);
#endif
    return tile_add(a, b);
}

/* READERS neighbours' states as one. */
INLINE struct state tile_merge(struct state s, __local real *scratch)
{
#if OP_NEEDS_MAX
    s = tile_raise(s, cluster_max(s.max, READERS, scratch));
#endif
    if (PLAIN_SUMS)
        s.sum.hi = cluster_add(s.sum.hi, READERS, scratch);
    else
        s.sum = cluster_sum(s.sum, READERS, scratch);
    return s;
}

/* What all sets of lanes have found out, in s as everybody's own: of the softmax of READERS. */
INLINE struct state tile_state(const struct state *s, __local real *scratch)
{
    uint i = get_local_id(0), lane = i % LANES, softmax = i / READERS, k = i % READERS;
    if (lane < SETS)
        tile_put_beside(scratch + lanes_id() * ROOM, lane, s);
    barrier(CLK_LOCAL_MEM_FENCE);
    struct state sum = state_empty();
    if (k < GROUPS)
        sum = tile_get(scratch + k * ROOM, softmax);
    for (k += READERS; k < GROUPS; k += READERS)
        sum = tile_join(sum, tile_get(scratch + k * ROOM, softmax));
    return tile_merge(sum, scratch);
}

/* What READERS have brought together, for everybody. */
INLINE void tile_tell(struct state sum, struct state *s, __local real *scratch)
{
    __local real *told = scratch + GROUPS * ROOM;
    uint i = get_local_id(0);
    if (i % READERS == 0)
        tile_put(told, i / READERS, sum);
    barrier(CLK_LOCAL_MEM_FENCE);
    tile_get_beside(told, i % SETS, s);
}

/* passes.cl has these for whole work-groups. */
INLINE real set_max(real v, __local real *scratch)
{
    return v;
}

INLINE struct pair set_sum(struct pair s, __local real *scratch)
{
    return s;
}
