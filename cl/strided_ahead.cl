/* SPDX-License-Identifier: MIT */
/*
 * strided_ahead: the tiles of `strided` with their columns cut in PARTS parts, which wait for one
 * another as those of `ahead` do: while one waits in registers for its softmaxes' maxima and
 * sums, the next one comes to local memory, and what it brings to its own softmaxes is told
 * before anybody waits. So x is read once and y written once. Wins on a GPU where inner > 1.
 *
 * A work-group that waits for a tile has told all that it has of it: it takes its next ticket
 * before only if that is of a later tile. So those of the first unfinished tile are all told,
 * once half of PARTS work-groups run at all. With one part nobody waits, and the next tile comes
 * while this one is written. Many parts' records are brought together in groups first, see
 * tile_records.cl.
 */
#ifndef WG
#define WG 256
#endif
#ifndef TILE
#define TILE 32
#endif
#ifndef HOLD
#define HOLD 8 /* columns of a worker, DEPTH apart */
#endif
#ifndef PARTS
#define PARTS 2
#endif
#define AHEAD 1
#include "part_passes.cl"
#include "tickets.cl"
#include "tile_records.cl"

/* Is there anything to wait for? */
#define WAITS (PARTS > 1 && !OP_GIVEN)

/* What is held of a part as y, now that the states of its softmaxes are known. */
#define FINISH_PART(held, p, y, s, max)                                                  \
    {                                                                                    \
        struct result result[PACK];                                                      \
        real part[PACK];                                                                 \
        EACH(v)                                                                          \
        {                                                                                \
            struct row one = ROW_BESIDE(p.r, v);                                         \
            struct keep keep;                                                            \
            keep_start(&keep, one);                                                      \
            result[v] = close_row(one, s[v], &keep, p.number * DEPTH +                   \
                                  (uint)get_local_id(0) / SETS, scratch);                \
            part[v] = rescale(&result[v], max[v], s[v].max);                             \
        }                                                                                \
        write_part(held, &p, y, result, part);                                           \
    }

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS, SHARED)
{
    SCRATCH scratch[SCRATCH_REALS];
    __local uint4 places[HOLD * PLACES_EACH / 4];
    __local uint ticket;
#if PART_GROUPS
    __local uint last;
#endif
    __local uint *stock = (__local uint *)places + get_local_id(0) * X_WORDS;
    const uint tickets = (uint)((shape.launch_rows + TILE - 1) / TILE) * PARTS;
    struct pack held[HOLD];
    real max[PACK], coming_max[PACK];
    __local ulong targets_of[2 * WG]; /* where a part goes; its own to every work-item */
    __local ulong *at = targets_of + get_local_id(0), *coming_at = at + WG;
    uint before = tickets;
    tell_ticket(shared, take_ticket(shared), tickets, 0, &ticket);
    uint t = ticket;
    if (t < tickets) {
        PART_AT(p, t);
        stock_part(stock, p, shape.inner);
        *coming_at = (ulong)(p.row.y + p.c * p.row.y_col);
    }
    while (t < tickets || before < tickets) {
        struct state sum, s[PACK];
        bool waits = WAITS && before < tickets;
        bool early = t < tickets && (!waits || t / PARTS != before / PARTS);
        uint taken = early ? take_ticket(shared) : 0;
        if (t < tickets) {
            PART_AT(p, t);
            stock_wait();
#if !OP_GIVEN
#if PART_GROUPS
            uint counted = count_part(shared, shape, p.tile, p.number);
#endif
            sum = part_state(stock, &p, coming_max, scratch);
            if (WAITS)
                tell_part(shared, shape, p.tile, p.number, sum);
#if PART_GROUPS
            tell_group(shared, shape, p.tile, p.number, counted, &last, scratch);
#endif
#endif
        }
        if (waits) {
            PART_AT(p, before);
            bool writes = OP_WRITES == WRITES_ROW || p.number == 0; /* all there is */
            if (writes)
                tile_tell(join_parts(shared, shape, p.tile, scratch), s, scratch);
            if (t < tickets && !early)
                taken = take_ticket(shared);
            if (writes)
                FINISH_PART(held, p, (__global mem_y *)*at, s, max)
        }
        before = t;
        if (t < tickets) {
#if OP_GIVEN
            PART_AT(p, t);
            EACH(v)
            {
                struct row one = ROW_BESIDE(p.r, v);
                s[v] = state_of(one.from_max, one.from_sum, (real)0);
            }
            barrier(CLK_LOCAL_MEM_FENCE); /* everybody has read the ticket */
#else
            if (!WAITS)
                tile_tell(sum, s, scratch);
#endif
            UNROLL for (uint k = 0; k < HOLD; k++)
                held[k] = get_stocked(stock, k);
            EACH(v)
                max[v] = coming_max[v];
            *at = *coming_at;
            tell_ticket(shared, taken, tickets, 0, &ticket);
            t = ticket;
        }
        if (t < tickets) {
            PART_AT(p, t);
            stock_part(stock, p, shape.inner);
            *coming_at = (ulong)(p.row.y + p.c * p.row.y_col);
        }
        if (!WAITS && before < tickets) {
            PART_AT(p, before);
            FINISH_PART(held, p, (__global mem_y *)*at, s, max)
        }
        before = WAITS ? before : tickets;
    }
}
