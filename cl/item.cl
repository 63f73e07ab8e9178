/* SPDX-License-Identifier: MIT */
/*
 * item: one work-item a row, the naive port of the C loop. Reads x three times, writes y
 * once. Neighbouring work-items read a row apart, so on a GPU it wins only where rows are
 * tiny, or many and short and neighbours in memory (inner > 1). Takes any axis.
 */
#ifndef WG
#define WG 64
#endif
#include "alone_set.cl"

__kernel WORK_GROUP(WG) void
clsm_row(TENSORS)
{
    for (size_t r = get_global_id(0); r < shape.rows; r += get_global_size(0))
        three_passes(ROW_AT(r), 0, 1, 0);
}
