/* SPDX-License-Identifier: MIT */
/*
 * registers: one work-group a row, which it holds in registers, and in local memory what these
 * have no room for: reads x once, writes y once, both in packs of 16 bytes. Wins wherever a row
 * fits. Reduces as group does where lanes can exchange values, and as tree does elsewhere.
 */
#ifndef WG
#define WG 256
#endif
#define SIDE_BY_SIDE (OP_WRITES == WRITES_ROW)
#include "any_set.cl"
#include "held_passes.cl"

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS)
{
    __local real scratch[SCRATCH_REALS + KEEP_REALS] KEEP_ALIGNED;
    __local uint4 stock[STOCK];
    for (size_t r = get_group_id(0); r < shape.rows; r += get_num_groups(0))
        HELD_ROW(ROW_AT(r), get_local_id(0), scratch, stock)
}
