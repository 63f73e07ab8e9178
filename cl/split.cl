/* SPDX-License-Identifier: MIT */
/*
 * split: several work-groups take a row in three launches: the first leaves each part's maximum
 * and sum, the second brings them together, the third writes, in pieces that its work-groups
 * hold. Reads x twice, writes y once, on any device. Wins where rows are few and too long for
 * the registers of the whole device.
 */
#ifndef WG
#define WG 128
#endif
#define SIDE_BY_SIDE 1
#define READS_AGAIN 1
#include "any_set.cl"
#include "held_passes.cl"
#include "shared.cl"

/* The packs of one of `parts` parts; the edges belong to the first. */
static struct cut cut_part(struct row row, uint part, uint parts)
{
    struct cut cut = cut_row(row);
    uint each = cut.packs / parts, extra = cut.packs % parts;
    cut.base = part * each + min(part, extra);
    cut.packs = cut.base + each + (part < extra ? 1 : 0);
    cut.ragged = cut.ragged && part == 0;
    return cut;
}

INLINE void read_part(struct row row, struct cut cut, struct keep *keep, record mine,
                      __local real *scratch)
{
    struct state s = state_empty();
    real most = -INFINITY;
    uint first = get_local_id(0);
    do {
        struct held held;
        hold_row(&held, row, cut, first);
        s = held_state(&held, row, cut, first, s, &most, keep, scratch);
        cut.base += PACKS * WG;
        cut.ragged = false;
    } while (cut.base < cut.packs);
    s = held_states_end(s, most, keep, scratch);
    if (first == 0) {
        record_write(mine, s);
        record_keep(mine, keep);
    }
}

/* The row's state, in the first part's record if the row is yet to be written. */
INLINE void merge_parts(struct row row, record first, uint parts, struct keep *keep,
                        uint worker, __local real *scratch)
{
    struct state s = state_empty();
    for (uint k = get_local_id(0); k < parts; k += WG)
        s = state_merge(s, record_read(record_behind(first, k)));
    s = set_state(s, scratch); /* all are read */
#if OP_WRITES == WRITES_ROW
    if (get_local_id(0) == 0)
        record_write(first, s);
#else
    close_row(row, s, keep, worker, scratch);
#endif
}

/* `max` is the row's. */
INLINE void write_piece(struct row row, struct cut cut, struct result result, real max)
{
#if OP_WRITES == WRITES_ROW
    uint first = get_local_id(0);
    struct held held;
    hold_row(&held, row, cut, first);
    held_write(&held, KEPT, row, cut, first, writing_of(row, result, NO_COLUMN, max));
#endif
}

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS, SHARED)
{
    __local real scratch[SCRATCH_REALS];
    uint n = (uint)shape.groups;
    size_t r = shape.first_row + get_group_id(0) / n;
    uint part = (uint)(get_group_id(0) % n);
    uint worker = part * WG + get_local_id(0); /* 0: who writes the row's results */
    struct row row = ROW_AT(r);
    record records = record_of(shared, shape, r, 0);
    struct keep keep;
    if (!OP_GIVEN && shape.stage == STAGE_READ) {
        keep_start(&keep, row);
        read_part(row, cut_part(row, part, n), &keep, record_behind(records, part), scratch);
    } else if (!OP_GIVEN && shape.stage == STAGE_MERGE) {
        keep_recall(&keep, row, records);
        merge_parts(row, records, (uint)shape.parts, &keep, worker, scratch);
    } else if (OP_GIVEN || OP_WRITES == WRITES_ROW) {
        struct state s = OP_GIVEN ? given_state(row) : record_read(records);
        keep_recall(&keep, row, records);
        struct result result = close_row(row, s, &keep, worker, scratch);
        write_piece(row, cut_part(row, part, n), result, s.max);
    }
}
