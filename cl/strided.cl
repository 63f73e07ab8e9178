/* SPDX-License-Identifier: MIT */
/*
 * strided: a work-group takes a tile of TILE softmaxes that are neighbours in memory. A worker
 * takes PACK of them, as many neighbours as inner is a multiple of; DEPTH workers have the same
 * PACK, and of these worker d has columns d, d + DEPTH, ..., so that the work-items of one rank
 * read TILE neighbours at once. Where the columns fit in registers it reads x once and writes
 * y once; else it reads forwards with a running maximum, and writes what it read last first,
 * and the rest backwards. Wins on a GPU where inner > 1; takes any axis.
 */
#ifndef WG
#define WG 256
#endif
#ifndef TILE
#define TILE 32
#endif
#include "tile_set.cl"
#include "tile_passes.cl"
#include "beside.cl"

/* What is held already, if that is all. */
INLINE void tile_state(struct held *h, const struct row *row, uint first, struct state *s,
                       struct keep *keep, __local real *scratch)
{
#if ONE_TURN
    held_states(h, row, s, keep, scratch);
#elif OP_GIVEN
    given_states(s, row);
    hold_last(h, row, first);
#else
    read_turns(h, row, first, s, keep);
    set_states(s, scratch);
#if !HAS_PTX /* PoCL 3.1 had other numbers of f64 behind the barriers than were held */
    hold_last(h, row, first);
#endif
#endif
}

INLINE void tile_rows(struct row *row, __local real *scratch)
{
    uint first = get_local_id(0) / SETS, hot[PACK];
    struct held held;
    struct keep keep[PACK];
    struct state s[PACK];
    struct result result[PACK];
    ask_targets(row);
#if ONE_TURN
    hold_columns(&held, row, row->begin + first);
#endif
    keep_asked(keep, row, &held);
    EACH(v)
    {
        s[v] = state_empty();
        hot[v] = NO_COLUMN;
    }
    tile_state(&held, row, first, s, keep, scratch);
    EACH(v)
    {
#if MAY_BE_HOT && OP_WRITES == WRITES_ROW
        hot[v] = first_of_max(row[v], s[v].max, first, DEPTH, scratch);
#endif
        result[v] = close_row(row[v], s[v], keep + v, first, scratch);
    }
#if OP_WRITES == WRITES_ITSELF
    EACH(v)
        op_write(row[v], result[v], keep + v, first, DEPTH, scratch);
#elif OP_WRITES == WRITES_ROW
    write_turns(&held, row, first, result, hot);
    write_spots(row, first, result);
    EACH(v)
        write_unseen(row[v], result[v], first, DEPTH);
#endif
}

__kernel WORK_GROUP(WG) void
clsm_row(TENSORS)
{
    __local real scratch[SCRATCH_REALS];
    size_t tiles = (shape.rows + TILE - 1) / TILE;
    for (size_t t = get_group_id(0); t < tiles; t += get_num_groups(0)) {
        struct row row[PACK];
        EACH(v)
            row[v] = ROW_BESIDE(t * TILE + get_local_id(0) % SETS * PACK, v);
        tile_rows(row, scratch);
    }
}
