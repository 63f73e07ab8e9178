/* SPDX-License-Identifier: MIT */
/*
 * group: one work-group a row, reduced within subgroups and then across them through local
 * memory. Reads x three times (the second and third time from cache while a row fits
 * there), writes y once. Wins over tree by its two barriers a reduction instead of log2 WG.
 */
#ifndef WG
#define WG 64
#endif
#include "group_set.cl"

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS)
{
    __local real scratch[SCRATCH_REALS];
    for (size_t r = get_group_id(0); r < shape.rows; r += get_num_groups(0))
        three_passes(ROW_AT(r), get_local_id(0), WG, scratch);
}
