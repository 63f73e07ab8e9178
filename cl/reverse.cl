/* SPDX-License-Identifier: MIT */
/*
 * reverse: one work-group a row, which it reads forwards for the maximum and sum. What it read
 * last is still in registers and is written first; the rest is read again backwards, so that
 * the freshest part comes from the cache. Reads x less than twice, or once where no row is
 * written, writes y once. Wins on many rows too long for the registers.
 */
#ifndef WG
#define WG 256
#endif
#define READS_AGAIN 1
#include "any_set.cl"
#include "held_passes.cl"

INLINE void reverse_row(struct row row, uint first, __local real *scratch)
{
    struct state s = given_state(row);
    real most = -INFINITY;
    struct cut cut = cut_row(row);
    const struct cut start = cut;
    struct held held;
    struct keep keep;
    keep_start(&keep, row);
    for (bool more = true; more;) {
        hold_row(&held, row, cut, first);
#if !OP_GIVEN
        s = held_state(&held, row, cut, first, s, &most, &keep, scratch);
#endif
        more = cut.base + PACKS * WG < cut.packs;
        if (more) {
            cut.base += PACKS * WG;
            cut.ragged = false;
        }
    }
#if !OP_GIVEN
    s = held_states_end(s, most, &keep, scratch);
#endif
    struct result result = close_row(row, s, &keep, first, scratch);
#if OP_WRITES == WRITES_ROW
    struct writing as = writing_of(row, result, NO_COLUMN, s.max);
    held_write(&held, KEPT, row, cut, first, as);
    while (cut.base) {
        cut.base -= PACKS * WG;
        cut.ragged = cut.base == 0 && start.ragged;
        hold_row(&held, row, cut, first);
        held_write(&held, KEPT, row, cut, first, as);
    }
#elif OP_WRITES == WRITES_ITSELF
    op_write(row, result, &keep, first, WG, scratch);
#endif
}

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS)
{
    __local real scratch[SCRATCH_REALS + KEEP_REALS] KEEP_ALIGNED;
    for (size_t r = get_group_id(0); r < shape.rows; r += get_num_groups(0))
        reverse_row(ROW_AT(r), get_local_id(0), scratch);
}
