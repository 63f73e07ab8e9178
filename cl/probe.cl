/* SPDX-License-Identifier: MIT */
/*
 * What an engine runs once before it trusts a device's lanes: each work-item reports who
 * it is, what its lanes reduce to and what it takes exp for, and the host does the same sums.
 */
#ifndef WG
#define WG 64
#endif

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_probe(__global float *out /* (work-items, 12) */)
{
    __local real scratch[LANES_SCRATCH + 1];
    uint i = get_local_id(0);
    float v = (float)(i * 37 % WG); /* each of 0 to WG - 1 once, in no simple order */
    struct pair one = {v, 0.25f};
    struct pair sum = lanes_sum(one, scratch);
    __global float *mine = out + get_global_id(0) * 12;
    mine[8] = mine[0];
#if HAS_PTX
    __local uint4 copied[WG];
    ptx_copy_16(copied + i, (const __global uint4 *)mine);
    ptx_wait_copies();
    mine[8] = as_float(copied[i].x);
#endif
    mine[0] = lanes_size();
    mine[1] = lane_id();
    mine[2] = lanes_id();
    mine[3] = lanes_count();
    mine[4] = lanes_max(v, scratch);
    mine[5] = sum.hi + sum.lo;
    mine[6] = exp_nonpositive(-0.37f * v);
    mine[7] = exp_result(-0.37f * v);
}
