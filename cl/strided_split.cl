/* SPDX-License-Identifier: MIT */
/*
 * strided_split: the tiles of `strided` with their columns cut in parts, a work-group each, in
 * two launches: the first leaves every part's maximum and sum, the second writes, beginning
 * with what was read last. Reads x twice, writes y once. Wins where softmaxes with inner > 1
 * are long and too few to keep a GPU busy.
 */
#ifndef WG
#define WG 256
#endif
#ifndef TILE
#define TILE 32
#endif
#include "tile_set.cl"
#include "tile.cl"
#include "shared.cl"

/* The part's share of the columns that take part. */
static struct row row_part(struct row row, struct shape shape, uint part)
{
    uint cols = row.end - row.begin, parts = (uint)shape.parts;
    uint each = cols / parts, extra = cols % parts;
    row.begin += part * each + min(part, extra);
    row.end = row.begin + each + (part < extra ? 1 : 0);
    return row;
}

#if !OP_GIVEN
INLINE void read_part(struct row row, uint first, record mine, __local real *scratch)
{
    struct held held;
    struct keep keep; /* nothing is kept that the other parts would need */
    struct state s = read_turns(&held, row, first, state_empty(), &keep);
    s = set_state(s, scratch);
    if (first == 0 && row.inside)
        record_write(mine, s);
}
#endif

INLINE struct state read_records(struct row row, struct shape shape, size_t r, uint first,
                                 volatile __global uint *shared, __local real *scratch)
{
    struct state s = state_empty();
#if OP_GIVEN
    s.max = row.from_max;
    s.sum.hi = row.from_sum;
#else
    for (uint k = first; row.inside && k < shape.parts; k += DEPTH)
        s = state_merge(s, record_read(record_of(shared, shape, r, k)));
    s = set_state(s, scratch);
#endif
    return s;
}

INLINE void write_part(struct row row, struct row part, struct shape shape, uint number,
                       struct state s, __local real *scratch)
{
    uint first = get_local_id(0) / TILE;
    uint worker = number * DEPTH + first; /* 0: who writes the row's results */
    struct keep keep;
    keep_start(&keep, row);
    struct result result = close_row(row, s, &keep, worker, scratch);
#if OP_WRITES == WRITES_ROW
    struct held held;
    hold_last(&held, part, first);
    write_turns(&held, part, first, result, NO_COLUMN);
    write_unseen(row, result, worker, DEPTH * (uint)shape.parts);
#endif
}

__kernel WORK_GROUP(WG) void
clsm_row(TENSORS, SHARED)
{
    __local real scratch[SCRATCH_REALS];
    size_t g = shape.second ? get_num_groups(0) - 1 - get_group_id(0) : get_group_id(0);
    size_t r = shape.first_row + g / shape.parts * TILE + get_local_id(0) % TILE;
    uint number = (uint)(g % shape.parts), first = get_local_id(0) / TILE;
    struct row row = ROW_AT(r), part = row_part(row, shape, number);
    if (shape.second)
        write_part(row, part, shape, number,
                   read_records(row, shape, r, first, shared, scratch), scratch);
#if !OP_GIVEN
    else
        read_part(part, first, record_of(shared, shape, r, number), scratch);
#endif
}
