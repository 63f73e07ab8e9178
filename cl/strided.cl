/* SPDX-License-Identifier: MIT */
/*
 * strided: a work-group takes a tile of TILE softmaxes that are neighbours in memory, DEPTH =
 * WG / TILE workers each: worker d has columns d, d + DEPTH, ... of its own, so that the
 * work-items of one rank read TILE neighbours at once. Where the columns fit in registers it
 * reads x once and writes y once; else it reads forwards with a running maximum, and writes
 * what it read last first, and the rest backwards. Wins on a GPU where inner > 1; takes any
 * axis.
 */
#ifndef WG
#define WG 256
#endif
#ifndef TILE
#define TILE 32
#endif
#include "tile_set.cl"
#include "tile.cl"

INLINE struct state tile_state(struct held *h, struct row row, uint first,
                               struct keep *keep, __local real *scratch)
{
    struct state s = state_empty();
#if OP_GIVEN
    s.max = row.from_max;
    s.sum.hi = row.from_sum;
    hold_last(h, row, first);
#elif ONE_TURN
    hold_columns(h, row, row.begin + first);
#if OP_NEEDS_MAX
    s.max = set_max(held_max(h), scratch);
#endif
    s.sum = set_sum(held_sum(h, row, s.max, keep), scratch);
#else
    s = set_state(read_turns(h, row, first, s, keep), scratch);
#endif
    return s;
}

INLINE void tile_row(struct row row, __local real *scratch)
{
    uint first = get_local_id(0) / TILE, hot = NO_COLUMN;
    struct held held;
    struct keep keep;
    keep_start(&keep, row);
    struct state s = tile_state(&held, row, first, &keep, scratch);
#if MAY_BE_HOT && OP_WRITES == WRITES_ROW
    hot = first_of_max(row, s.max, first, DEPTH, scratch);
#endif
    struct result result = close_row(row, s, &keep, first, scratch);
#if OP_WRITES == WRITES_ITSELF
    op_write(row, result, &keep, first, DEPTH, scratch);
#elif OP_WRITES == WRITES_ROW
    write_turns(&held, row, first, result, hot);
    write_unseen(row, result, first, DEPTH);
#endif
}

__kernel WORK_GROUP(WG) void
clsm_row(TENSORS)
{
    __local real scratch[SCRATCH_REALS];
    size_t tiles = (shape.rows + TILE - 1) / TILE;
    for (size_t t = get_group_id(0); t < tiles; t += get_num_groups(0))
        tile_row(ROW_AT(t * TILE + get_local_id(0) % TILE), scratch);
}
