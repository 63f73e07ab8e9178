/* SPDX-License-Identifier: MIT */
/*
 * tree: one work-group a row, reduced by a tree in local memory. Reads x three times (the
 * second and third time from cache while a row fits there), writes y once. Needs nothing
 * but OpenCL C 1.2 and 2 WG reals of local memory: the floor that serves every device.
 */
#ifndef WG
#define WG 64
#endif
#include "tree_set.cl"

__kernel WORK_GROUP(WG) void
clsm_row(TENSORS)
{
    __local real scratch[SCRATCH_REALS];
    for (size_t r = get_group_id(0); r < shape.rows; r += get_num_groups(0))
        three_passes(ROW_AT(r), get_local_id(0), WG, scratch);
}
