/* SPDX-License-Identifier: MIT */
/*
 * fused: one work-item takes a run of consecutive rows with vectors of VEC elements, and
 * writes each row while it reads the next one. Reads x once (twice, the second time from a
 * cache, where terms find no room in local memory or the result is not made of them), writes
 * y once, past the caches where x and y do not fit there. Wins on CPU runtimes on rows long
 * enough to bear a reduction each.
 */
#include "pipeline.cl"

__kernel WORK_GROUP(1) void
clsm_row(TENSORS)
{
#if HOLDS_TERMS
    __local SCALAR held[HELD_ROW];
#else
    __local SCALAR held[1];
#endif
    size_t g = get_group_id(0), groups = get_num_groups(0);
    size_t each = shape.rows / groups, extra = shape.rows % groups;
    size_t first = g * each + (g < extra ? g : extra);
    size_t last = first + each + (g < extra ? 1 : 0);
    struct writing out;
    out.at = out.end = 0;
    out.past = is_large(shape);
    for (size_t r = first; r < last; r++) {
        struct reading in;
        in.row = ROW_AT(r);
        in.held = held;
        read_from(&in, most_of_first(in.row));
        enum reading_end end;
        do {
            while (!OP_GIVEN && chunk_to_read(&in)) {
                if (chunk_to_write(&out))
                    write_chunk(&out);
                else
                    write_rest(&out);
                read_chunk(&in);
            }
            write_rest(&out);
            end = read_rest(&in);
        } while (end == READ_AGAIN);
        if (end == IS_READ) {
            struct result result = close_row(in.row, in.s, &in.keep, 0, 0);
            write_start(&out, &in, result);
#if OP_WRITES == WRITES_ROW
            write_unseen(in.row, result, 0, VEC);
#endif
        } else {
            three_passes(in.row, 0, VEC, 0);
        }
    }
    write_rest(&out);
}
