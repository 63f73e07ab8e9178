/* SPDX-License-Identifier: MIT */
/*
 * fused: one work-item takes a run of consecutive rows with vectors of VEC elements, and
 * writes each row while it reads the next one. Reads x once (twice, the second time from a
 * cache, where terms find no room in local memory or the result is not made of them), writes
 * y once, past the caches where x and y do not fit there. Wins on CPU runtimes on rows long
 * enough to bear a reduction each.
 */
#include "pipeline.cl"

OUTLINE void take_rows(TENSORS, size_t first, size_t last, __local SCALAR *held)
{
    struct writing out;
    struct reading in;
    bool dense =
        !BOUNDED && has_no_gaps(shape.y, shape, shape.cols) && shape.cols >= 2 * Y_LINE;
    write_nothing(&out, is_large(shape));
    in.held = held;
    in.exact = in.rose = false;
    for (size_t r = first; r <= last; r++) {
        in.row = ROW_AT(r);
        if (r == last) /* to write the row before */
            in.row.end = in.row.begin;
        out.straight = dense && r < last;
        enum reading_end end;
        READ_ROW(&in, &out, end);
        if (r == last)
            break;
        if (HAS_NO_BASE(end))
            in.s = plain_state(&in);
        struct result result = close_row(in.row, in.s, &in.keep, 0, 0);
#if OP_WRITES == WRITES_ROW
        if (HAS_NO_BASE(end)) {
#if STRAIGHT
            write_open(&out);
#endif
            write_seen(in.row, result, NO_COLUMN, 0, VEC);
        } else {
            write_start(&out, &in, result);
        }
        write_unseen(in.row, result, 0, VEC);
#endif
    }
}

__kernel WORK_GROUP(1) void
clsm_row(TENSORS)
{
#if HOLDS_TERMS
    __local SCALAR held[HELD_ROW];
#else
    __local SCALAR held[1];
#endif
    struct span rows = own_span(shape.rows);
    /* PoCL takes local memory for a function's own where its address is a constant */
    take_rows(ALL_TENSORS, rows.first, rows.last, held + FRONT + shape.zero);
}
