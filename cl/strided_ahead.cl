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
 *
 * A turn has two barriers, or a third where parts have groups: behind the first one a few sets of
 * lanes tell what this part brings, and others look for what the former part's softmaxes have;
 * behind the last one all know that.
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

/* What a softmax's first lane tells all workers of it, once its state is known. */
INLINE void tell_result(struct row row, struct share share, uint number, struct state s,
                        __local struct result *told, __local real *scratch)
{
    struct keep keep;
    keep_start(&keep, row);
    struct result result = close_row(row, s, &keep, number + share.k, scratch);
    if (share.k == 0)
        told[share.softmax] = result;
}

/* What is held of a part as y, now that its softmaxes are known. */
#define FINISH_PART(held, p, y, told, max)                                               \
    {                                                                                    \
        struct result result[PACK];                                                      \
        real part[PACK];                                                                 \
        EACH(v)                                                                          \
        {                                                                                \
            result[v] = told[get_local_id(0) % SETS * PACK + v];                         \
            part[v] = rescale(&result[v], max[v]);                                       \
        }                                                                                \
        write_part(held, &p, y, result, part);                                           \
    }

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS, SHARED)
{
    SCRATCH scratch[SCRATCH_REALS];
    __local uint4 places[HOLD * PLACES_EACH / 4];
    __local struct result told[TILE];
    __local uint ticket, later; /* the one taken once all that is waited for is there */
    __local uint last;
    __local uint *stock = (__local uint *)places + get_local_id(0) * X_WORDS;
    const uint tickets = (uint)((shape.launch_rows + TILE - 1) / TILE) * PARTS;
    struct pack held[HOLD];
    real max[PACK], coming_max[PACK];
    __local ulong targets_of[2 * WG]; /* where a part goes; its own to every work-item */
    __local ulong *at = targets_of + get_local_id(0), *coming_at = at + WG;
    uint before = tickets, counted = 0;
    tell_ticket(shared, take_ticket(shared), tickets, 0, &later);
    uint t = later;
    if (t < tickets) {
        PART_AT(p, t);
        stock_part(stock, p, shape.inner);
        counted = count_part(shared, shape, p.tile, p.number);
        *coming_at = (ulong)(p.row.y + p.c * p.row.y_col);
    }
    while (t < tickets || before < tickets) {
        const bool reads = t < tickets, waits = WAITS && before < tickets;
        const bool early = reads && (!waits || t / PARTS != before / PARTS);
        const size_t tile = TILE_OF(t);
        if (reads) {
            uint taken = early ? take_ticket(shared) : 0;
            PART_AT(p, t);
            stock_wait();
#if !OP_GIVEN
            leave_part(stock, &p, coming_max, scratch);
#endif
            if (early)
                note_ticket(shared, taken, tickets, 0, &ticket);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint next = early ? ticket : tickets;
        if (reads) {
            struct share share = share_of(0, FEWEST_LANES);
            if (share.any) {
#if WAITS
                tell_part(shared, shape, tile, t % PARTS, share, tile_state(share, scratch));
#else
                struct row row = ROW_AT(tile + share.softmax);
#if OP_GIVEN
                struct state s = state_of(row.from_max, row.from_sum, (real)0);
#else
                struct state s = tile_state(share, scratch);
#endif
                tell_result(row, share, t % PARTS, s, told, scratch);
#endif
            }
#if PART_GROUPS
            note_last(shared, shape, tile, t % PARTS, counted, &last);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (last)
                tell_group(shared, shape, tile, t % PARTS, scratch);
#endif
        }
        const bool writes = OP_WRITES == WRITES_ROW || before % PARTS == 0; /* all there is */
        if (waits && writes) {
            struct share share = share_of(TELLING + (PART_GROUPS ? READING : 0), READERS);
            const size_t former = TILE_OF(before);
            if (share.any)
                tell_result(ROW_AT(former + share.softmax), share, before % PARTS,
                            join_parts(shared, shape, former, share, scratch), told, scratch);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (waits && writes) {
            PART_AT(p, before);
            FINISH_PART(held, p, (__global mem_y *)*at, told, max)
        }
        before = t;
        if (reads) {
            UNROLL for (uint k = 0; k < HOLD; k++)
                held[k] = get_stocked(stock, k);
            EACH(v)
                max[v] = coming_max[v];
            *at = *coming_at;
            if (early)
                ptx_ask(); /* a neighbour may send for some of what was there */
            else {
                tell_ticket(shared, take_ticket(shared), tickets, 0, &later);
                next = later;
            }
            t = next;
        }
        if (t < tickets) {
            PART_AT(p, t);
            stock_part(stock, p, shape.inner);
            counted = count_part(shared, shape, p.tile, p.number);
            *coming_at = (ulong)(p.row.y + p.c * p.row.y_col);
        }
        if (!WAITS && before < tickets) {
            PART_AT(p, before);
            FINISH_PART(held, p, (__global mem_y *)*at, told, max)
        }
        before = WAITS ? before : tickets;
    }
}
