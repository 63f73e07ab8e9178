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
    __local SCALAR held[2 * HELD_ROW];
#else
    __local SCALAR held[1];
#endif
    size_t g = get_group_id(0), groups = get_num_groups(0);
    size_t each = shape.rows / groups, extra = shape.rows % groups;
    size_t first = g * each + (g < extra ? g : extra);
    size_t last = first + each + (g < extra ? 1 : 0);
    struct writing out;
    out.at = out.end = 0;
    out.open = false;
    out.past = shape.rows * shape.cols * (sizeof(mem_x) + sizeof(mem_y)) > PAST_BYTES;
    for (size_t r = first; r < last; r++) {
        struct reading in;
        real factor = (real)1;
        in.row = ROW_AT(r);
        in.held = held + (r % 2 ? HELD_ROW : 0) * HOLDS_TERMS;
#if OP_GIVEN
        in.s = state_empty();
        in.s.max = in.row.from_max;
        in.s.sum.hi = in.row.from_sum;
        keep_start(&in.keep, in.row);

        write_rest(&out);
#else
        read_from(&in, OP_NEEDS_MAX ? most_of(in.row, CHUNK) : (real)0);
        while (chunk_to_read(&in)) {
            read_chunk(&in);
            if (chunk_to_write(&out))
                write_chunk(&out);
        }
        read_rest(&in);
        write_rest(&out);
        if (!read_end(&in, &factor)) {
            three_passes(in.row, 0, VEC, 0);
            continue;
        }
#endif
        write_start(&out, &in, factor, close_row(in.row, in.s, &in.keep, 0, 0));
    }
    write_rest(&out);
}
