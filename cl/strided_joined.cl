/* SPDX-License-Identifier: MIT */
/*
 * strided_joined: the tiles of `strided` with their columns cut in parts, a work-group each,
 * which holds its part in registers and waits for the others' maxima and sums, as in `joined`:
 * x is read once and y written once. Wins where softmaxes with inner > 1 are too long for a
 * work-group to hold a tile of them.
 */
#ifndef WG
#define WG 256
#endif
#ifndef TILE
#define TILE 32
#endif
#include "tile_set.cl"
#include "tile_passes.cl"
#include "tile_part.cl"
#include "ticket.cl"

/* The records of TILE softmaxes' parts stand side by side too. */
INLINE volatile __global ulong2 *tile_signed(volatile __global uint *shared,
                                             struct shape shape, size_t r, uint part)
{
    size_t i = r - shape.first_row;
    size_t number = (i / TILE * shape.parts + part) * TILE + i % TILE;
    return signed_at(shared, number);
}

/* What this part comes to; the same for all workers of a set. */
INLINE void part_states(struct held *h, const struct row *part, uint first, struct state *s,
                        struct keep *keep, __local real *scratch)
{
    real max[PACK];
    struct pair sum[PACK];
    EACH(v)
        max[v] = s[v].max;
#if OP_NEEDS_MAX
    EACH(v)
        max[v] = held_max(h, v);
    set_max_of(max, PACK, scratch);
    held_forget(h, part);
#endif
    EACH(v)
        sum[v] = held_sum(h, part[v], v, max[v], keep + v);
    set_sum_of(sum, PACK, scratch);
    EACH(v)
        s[v].max = max[v], s[v].sum = sum[v];
}

/* The whole rows' states, from the records of all parts. */
INLINE void join(struct state *s, const struct row *row, struct shape shape, size_t r,
                 volatile __global uint *shared, __local real *scratch)
{
    EACH(v)
        s[v] = state_empty();
    for (uint k = get_local_id(0) / SETS; row->inside && k < shape.parts; k += DEPTH)
        EACH(v)
            s[v] = state_merge(s[v], signed_read(tile_signed(shared, shape, r + v, k),
                                                 sign_of(shape, r + v)));
    set_states(s, scratch);
}

INLINE void joined_tile(struct shape shape, size_t r, uint number, const struct row *row,
                        volatile __global uint *shared, __local uint *ticket, uint tickets,
                        __local real *scratch)
{
    uint first = get_local_id(0) / SETS, worker = number * DEPTH + first;
    struct held held;
    struct row part[PACK];
    struct keep keep[PACK];
    struct state s[PACK];
    struct result result[PACK];
    uint hot[PACK];
    EACH(v)
    {
        keep_start(keep + v, row[v]);
        part[v] = row_part(row[v], shape, number);
        s[v] = state_empty();
        hot[v] = NO_COLUMN;
    }
    hold_columns(&held, part, part->begin + first);
#if OP_GIVEN
    EACH(v)
        s[v].max = row[v].from_max, s[v].sum.hi = row[v].from_sum;
    barrier(CLK_LOCAL_MEM_FENCE); /* everybody has read the ticket */
#else
    part_states(&held, part, first, s, keep, scratch);
    if (first == 0 && row->inside)
        EACH(v)
            signed_write(tile_signed(shared, shape, r + v, number), s[v],
                         sign_of(shape, r + v));
    if (OP_WRITES == WRITES_ROW || number == 0) /* else the first part writes all there is */
        join(s, row, shape, r, shared, scratch);
#endif
    take_ticket(shared, tickets, ticket);
    if (OP_WRITES != WRITES_ROW && number > 0)
        return;
    EACH(v)
        result[v] = close_row(row[v], s[v], keep + v, worker, scratch);
#if OP_WRITES == WRITES_ROW
    held_forget(&held, part);
    held_write(&held, part, result, hot);
    EACH(v)
        write_unseen(row[v], result[v], worker, DEPTH * (uint)shape.parts);
#endif
}

__kernel WORK_GROUP(WG) void
clsm_row(TENSORS, SHARED)
{
    __local real scratch[SCRATCH_REALS];
    __local uint ticket;
    const uint parts = (uint)shape.parts;
    const uint tickets = ((uint)shape.launch_rows + TILE - 1) / TILE * parts;
    take_ticket(shared, tickets, &ticket);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint t = ticket; t < tickets; t = ticket) {
        size_t r = shape.first_row + t / parts * TILE + get_local_id(0) % SETS * PACK;
        struct row row[PACK];
        EACH(v)
            row[v] = ROW_BESIDE(r, v);
        joined_tile(shape, r, t % parts, row, shared, &ticket, tickets, scratch);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
