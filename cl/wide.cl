/* SPDX-License-Identifier: MIT */
/*
 * wide: one work-item a row with vectors of VEC elements, for CPU runtimes, where a
 * work-group of one work-item is a plain loop on one core. Reads x three times (twice from
 * L1 or L2 while a row fits there), writes y once. Each work-group takes a run of
 * consecutive rows. The elements of a vector are the lanes of the reduction.
 */

#include "wide_set.cl"

__kernel WORK_GROUP(1) void
clsm_row(TENSORS)
{
    size_t g = get_group_id(0), groups = get_num_groups(0);
    size_t each = shape.rows / groups, extra = shape.rows % groups;
    size_t first = g * each + (g < extra ? g : extra);
    size_t last = first + each + (g < extra ? 1 : 0);
    for (size_t r = first; r < last; r++)
        three_passes(ROW_AT(r), 0, VEC, 0);
}
