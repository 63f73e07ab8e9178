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
    struct span rows = own_span(shape.rows);
    for (size_t r = rows.first; r < rows.last; r++)
        three_passes(ROW_AT(r), 0, VEC, 0);
}
