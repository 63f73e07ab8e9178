/* SPDX-License-Identifier: MIT */
/*
 * online: one work-group a row, the running maximum and sum in one pass, then the writing
 * pass. Reads x twice, writes y once. Wins on rows too long for the cache. Reduces as
 * group does where lanes can exchange values, and as tree does elsewhere.
 */
#ifndef WG
#define WG 256
#endif
#include "any_set.cl"
#include "two_passes.cl"

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS)
{
    __local real scratch[SCRATCH_REALS + KEEP_REALS] KEEP_ALIGNED;
    for (size_t r = get_group_id(0); r < shape.rows; r += get_num_groups(0))
        two_passes(ROW_AT(r), get_local_id(0), WG, scratch);
}
