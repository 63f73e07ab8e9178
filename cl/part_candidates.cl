/* SPDX-License-Identifier: MIT */
/*
 * Candidates of a row in parts: behind the record of its state each part leaves its PLACES
 * largest, sorted, and who has the first part takes all of these for its candidates.
 */
enum {
    LEFT = PARTS * PLACES, /* of a row's parts */
    LEFT_EACH = (LEFT + WG - 1) / WG
};
/* The first of a part that had more candidates than room, above any number. */
#define NO_ROOM (~(real_bits)0)

INLINE void top_send(volatile __global ulong2 *to, struct top top, uint sign)
{
#if REAL_IS_F64
    EACH_PART (p) {
        uint2 word = as_uint2(top.part[p]);
        ptx_send(to + p, word.x, word.y, sign);
    }
#else
    ptx_send(to, top.part[0], top.part[TOP_PARTS - 1], sign);
#endif
}

/* What was found there, once it is signed. */
INLINE struct top top_signed(volatile __global ulong2 *from, ulong2 piece, uint sign)
{
    struct top top;
    while (!is_signed(piece, sign)) {
        ptx_pause();
        piece = ptx_look(from);
    }
#if REAL_IS_F64
    top.part[0] = as_ulong((uint2)((uint)piece.x, (uint)piece.y));
    for (uint p = 1; p < TOP_PARTS; p++) {
        for (piece = ptx_look(from + p); !is_signed(piece, sign); piece = ptx_look(from + p))
            ptx_pause();
        top.part[p] = as_ulong((uint2)((uint)piece.x, (uint)piece.y));
    }
#else
    top.part[0] = (uint)piece.x;
    top.part[TOP_PARTS - 1] = (uint)piece.y;
#endif
    return top;
}

/* `from`: this part's record. All have left their candidates in local memory. */
INLINE void keep_leave(const struct keep *keep, volatile __global ulong2 *from, uint sign,
                       __local real *scratch)
{
    const __local real *all = keep->kept + CANDIDATES_AT;
    const uint first = get_local_id(0), n = is_crowded(keep) ? 0 : *(__local uint *)keep->kept;
    struct top none = {{0}}, no_room = {{NO_ROOM}};
    for (uint base = 0; base < n; base += AT_A_TIME) {
        struct top mine;
        uint place;
        if (candidate_has_place(all, n, base, first, &mine, &place, scratch))
            top_send(from + (1 + place) * STATE_PIECES, mine, sign);
    }
    for (uint j = n + first; j < PLACES; j += WG)
        top_send(from + (1 + j) * STATE_PIECES, j == 0 && is_crowded(keep) ? no_room : none, sign);
}

/* Number i of what the parts left: the first of each, then the second. */
INLINE volatile __global ulong2 *left_at(volatile __global ulong2 *from, uint i)
{
    uint record = i % PARTS * PART_RECORDS + 1 + i / PARTS;
    return from + record * STATE_PIECES;
}

/* `from`: the first part's record. Neighbours of what is left go to sets of lanes in turn, so that
 * each share has some of the largest. */
INLINE void keep_gather(struct keep *keep, volatile __global ulong2 *from, uint sign,
                        __local real *scratch)
{
    const real_bits none = ordered((real)(-INFINITY));
    const uint first = lane_id() * lanes_count() + lanes_id();
    struct top mine[LEFT_EACH];
    ulong2 piece[LEFT_EACH];
    real_bits most = 0;
    UNROLL for (uint k = 0; k < LEFT_EACH; k++)
        piece[k] = ptx_look(left_at(from, min(first + k * WG, (uint)LEFT - 1)));
    UNROLL for (uint k = 0; k < LEFT_EACH; k++)
    {
        uint i = first + k * WG;
        mine[k] = top_signed(left_at(from, min(i, (uint)LEFT - 1)), piece[k], sign);
        EACH_PART (p)
            mine[k].part[p] = i < LEFT ? mine[k].part[p] : (real_bits)0;
        most = larger_bits(most, mine[k].part[0]);
    }
    struct shares all = set_shares(most, true, keep->kept, scratch);
    struct top least = {{larger_bits(all.least & ~LAST_BITS, none + 1)}};
    keep->threshold = top_value(least);
    UNROLL for (uint k = 0; k < LEFT_EACH; k++)
        if (all.most != NO_ROOM && mine[k].part[0] >= least.part[0])
            keep_top(keep, mine[k], keep_room(keep, 1));
    barrier(CLK_LOCAL_MEM_FENCE);
}
