/* SPDX-License-Identifier: MIT */
/*
 * wide_split: work-groups of one work-item with vectors of VEC elements share a row in two
 * launches: the first leaves each part's maximum and sum, the second writes, past the caches
 * where x and y do not fit there. Reads x twice, writes y once. Wins on CPU runtimes where
 * rows are fewer than cores, or few and too long for a cache.
 */
#define ROWS_ARE_SHARED 1
#include "pipeline.cl"
#include "shared.cl"

/* The part's columns. */
INLINE struct row part_of(struct row row, struct shape shape, uint part)
{
    uint parts = (uint)shape.parts, chunks = (row.end - row.begin) / CHUNK;
    uint each = chunks / parts, extra = chunks % parts;
    uint begin = row.begin + (part * each + min(part, extra)) * CHUNK;
    row.end = part == parts - 1 ? row.end : begin + (each + (part < extra ? 1 : 0)) * CHUNK;
    row.begin = begin;
    return row;
}

INLINE void read_part(struct row row, record mine)
{
    struct reading in;
    struct writing none;
    in.row = row;
    in.held = 0;
    in.exact = true;
    in.rose = false;
    write_nothing(&none, false);
    enum reading_end end;
    READ_ROW(&in, &none, end);
    record_write(mine, HAS_NO_BASE(end) ? plain_state(&in) : in.s);
}

/* All parts' states as one: a record for each lane. */
INLINE struct state read_records(struct shape shape, size_t r,
                                 volatile __global uint *shared)
{
    struct state s = state_empty();
    for (uint k = 0; k < shape.parts; k += VEC) {
        struct state next = state_empty();
        SCALAR max[VEC], hi[VEC], lo[VEC];
        for (uint d = 0; d < VEC; d++) {
            struct state one = state_empty();
            if (k + d < shape.parts)
                one = record_read(record_of(shared, shape, r, k + d));
            max[d] = FIRST(one.max);
            hi[d] = FIRST(one.sum.hi);
            lo[d] = FIRST(one.sum.lo);
        }
        next.max = FROM_LANES(max);
        next.sum.hi = FROM_LANES(hi);
        next.sum.lo = FROM_LANES(lo);
        s = state_merge(s, next);
    }
    return set_state(s, 0);
}

INLINE void write_part(struct row row, struct result result, struct state s, bool past)
{
#if OP_WRITES == WRITES_ROW
    struct reading in;
    struct writing out;
    bool has_base = fabs(FIRST(s.max)) < FARTHEST && FIRST(s.sum.hi) == FIRST(s.sum.hi);
    if (OP_NEEDS_MAX && !has_base) {
        write_seen(row, result, NO_COLUMN, 0, VEC);
        return;
    }
    in.row = row;
    in.held = 0;
    read_from_start(&in, CHUNK);
#if OP_NEEDS_MAX && !OP_GIVEN
    in.base = base_of(s.max);
    rebase(&in, s.max);
#endif
    out.past = past;
    write_start(&out, &in, result);
    for (uint chunks = 0; (chunks = chunks_to_write(&out)) > 0;)
        for (; chunks > 0; chunks--)
            write_next(&out);
#endif
}

OUTLINE void take_part(TENSORS, SHARED, size_t r, uint part)
{
    struct row row = ROW_AT(r), mine = part_of(row, shape, part);
    struct keep keep;
    struct state s;
    if (shape.stage == STAGE_READ && !OP_GIVEN) {
        record to = record_of(shared, shape, r, part);
        keep_start(&keep, row);
        read_part(mine, to);
        record_keep(to, &keep);
        return;
    }
    if (OP_GIVEN) {
        s = row_state(row, &keep, 0, VEC, 0);
    } else {
        s = read_records(shape, r, shared);
        keep_recall(&keep, row, record_of(shared, shape, r, 0));
    }
    struct result result = close_row(row, s, &keep, part, 0);
    write_part(mine, result, s, is_large(shape));
#if OP_WRITES == WRITES_ROW
    if (part == 0)
        write_unseen(row, result, 0, VEC);
#endif
}

__kernel WORK_GROUP(1) void
clsm_row(TENSORS, SHARED)
{
    size_t g = get_group_id(0), r = shape.first_row + g / shape.parts;
    take_part(ALL_TENSORS, shared, r, (uint)(g % shape.parts));
}
