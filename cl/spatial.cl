/* SPDX-License-Identifier: MIT */
/*
 * spatial: a work-item takes PACK neighbouring softmaxes, so many that TILE are a work-group's,
 * and holds all of their columns in registers, or, where it writes nothing of each column and has
 * too many, takes them in turns. So x is read once and y written once, and nobody waits for anybody.
 * Wins on a GPU where inner > 1 and softmaxes are short, as those over the classes of an image's
 * pixels.
 */
#ifndef WG
#define WG 64
#endif
#ifndef TILE
#define TILE 64
#endif
#include "tile_set.cl"
#include "tile_passes.cl"
#include "beside.cl"

/* All loads are on their way before one is waited for. */
INLINE void item_rows(struct row *row)
{
    uint hot[PACK];
    struct held held;
    struct keep keep[PACK];
    struct state s[PACK];
    struct result result[PACK];
    ask_targets(row);
#if ONE_TURN
    hold_columns(&held, row, row->begin);
#endif
    keep_asked(keep, row, &held);
    EACH(v)
        hot[v] = NO_COLUMN;
#if ONE_TURN
    held_states(&held, row, s, keep, 0);
#else
    EACH(v)
        s[v] = state_empty();
    read_turns(&held, row, 0, s, keep);
    add_tiny(s, row, 0);
#endif
    EACH(v)
    {
#if MAY_BE_HOT && OP_WRITES == WRITES_ROW
        hot[v] = first_of_max(row[v], s[v].max, 0, 1, 0);
#endif
        result[v] = close_row(row[v], s[v], keep + v, 0, 0);
        if (HOLDS_TERMS)
            result[v] = result_of_terms(result[v], s[v].max);
#if OP_WRITES == WRITES_ITSELF
        op_write(row[v], result[v], keep + v, 0, 1, 0);
#endif
    }
    write_ones(row, result);
#if OP_WRITES == WRITES_ROW
    write_turns(&held, row, 0, result, hot);
    write_spots(row, 0, result);
    EACH(v)
        write_unseen(row[v], result[v], 0, 1);
#endif
}

__kernel WORK_GROUP(WG) void
clsm_row(TENSORS)
{
    for (size_t r = get_group_id(0) * (size_t)TILE + get_local_id(0) * PACK; r < shape.rows;
         r += get_num_groups(0) * (size_t)TILE) {
        struct row row[PACK];
        EACH(v)
            row[v] = ROW_INSIDE(r, v);
        item_rows(row);
    }
}
