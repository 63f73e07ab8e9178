/* SPDX-License-Identifier: MIT */
/*
 * split: several work-groups take a row in two launches: the first leaves each part's maximum
 * and sum, the second writes. Reads x twice, writes y once, on any device. Wins where rows are
 * few and too long for the registers of the whole device.
 */
#ifndef WG
#define WG 256
#endif
#include "any_set.cl"
#include "held_passes.cl"
#include "shared.cl"

/* The part's packs; the edges belong to the first part. */
static struct cut cut_part(struct row row, struct shape shape, uint part)
{
    struct cut cut = cut_row(row);
    uint parts = (uint)shape.parts, each = cut.packs / parts, extra = cut.packs % parts;
    cut.base = part * each + min(part, extra);
    cut.packs = cut.base + each + (part < extra ? 1 : 0);
    cut.ragged = cut.ragged && part == 0;
    return cut;
}

INLINE void read_part(struct row row, struct cut cut, struct keep *keep, record mine,
                      __local real *scratch)
{
    struct state s = state_empty();
    uint first = get_local_id(0);
    do {
        struct held held;
        hold_row(&held, row, cut, first);
        s = held_state(&held, row, cut, first, s, keep);
        cut.base += PACKS * WG;
        cut.ragged = false;
    } while (cut.base < cut.packs);
    s = set_state(s, scratch);
    if (first == 0)
        record_write(mine, s);
}

INLINE struct state read_records(struct shape shape, size_t r,
                                 volatile __global uint *shared, __local real *scratch)
{
    struct state s = state_empty();
    for (uint k = get_local_id(0); k < shape.parts; k += WG)
        s = state_merge(s, record_read(record_of(shared, shape, r, k)));
    return set_state(s, scratch);
}

INLINE void write_part(struct row row, struct cut cut, struct result result)
{
#if OP_WRITES == WRITES_ROW
    uint first = get_local_id(0);
    do {
        struct held held;
        hold_row(&held, row, cut, first);
        held_write(&held, KEPT, row, cut, first, result, NO_COLUMN, false,
                   (real)1);
        cut.base += PACKS * WG;
        cut.ragged = false;
    } while (cut.base < cut.packs);
#endif
}

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS, SHARED)
{
    __local real scratch[SCRATCH_REALS];
    size_t g = get_group_id(0), r = shape.first_row + g / shape.parts;
    uint part = (uint)(g % shape.parts);
    struct row row = ROW_AT(r);
    struct cut cut = cut_part(row, shape, part);
    struct keep keep;
    keep_start(&keep, row);
    if (!OP_GIVEN && !shape.second) {
        read_part(row, cut, &keep, record_of(shared, shape, r, part),
                  scratch);
    } else {
        struct state s = OP_GIVEN ? given_state(row)
                                  : read_records(shape, r, shared, scratch);
        uint worker = part * WG + get_local_id(0); /* 0: who writes the row's results */
        struct result result = close_row(row, s, &keep, worker, scratch);
        write_part(row, cut, result);
    }
}
