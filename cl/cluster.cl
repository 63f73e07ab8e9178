/* SPDX-License-Identifier: MIT */
/*
 * cluster: CLUSTER neighbouring lanes of a subgroup take a row and hold it in registers:
 * several rows a subgroup, no barrier; reads x once, writes y once, in packs of 16 bytes.
 * Wins on short rows. The row loop counts whole work-groups, so that all work-items go round
 * it equally often.
 */
#ifndef WG
#define WG 64
#endif
#ifndef CLUSTER
#define CLUSTER 8
#endif

#include "cluster_set.cl"
#include "held_passes.cl"

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS)
{
    const size_t sets = WG / CLUSTER;
    __local real scratch[LANES_SCRATCH + KEEP_REALS * (WG / CLUSTER) + 1] KEEP_ALIGNED;
    __local uint4 stock[STOCK];
    for (size_t r = get_group_id(0) * sets; r < shape.rows; r += get_num_groups(0) * sets)
        HELD_ROW(ROW_AT(r + get_local_id(0) / CLUSTER), get_local_id(0) % CLUSTER, scratch,
                 stock)
}
