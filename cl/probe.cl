/* SPDX-License-Identifier: MIT */
/*
 * What an engine runs once before it trusts a device's lanes: each work-item reports who
 * it is, what its lanes reduce to and what it takes exp for, and the host does the same sums.
 */
#ifndef WG
#define WG 128 /* two sets of as many lanes as devices have, and more of fewer */
#endif

/* As src/probe.c has it; copied is the size that stood there before. */
struct report {
    float size, lane, set, sets, max, sum, exp, exp_result, copied, unused[3];
};

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_probe(__global struct report *out /* (work-items) */)
{
    __local real scratch[LANES_SCRATCH + 1];
    uint i = get_local_id(0);
    float v = (float)(i * 37 % WG); /* each of 0 to WG - 1 once, in no simple order */
    struct pair one = {v, 0.25f};
    struct pair sum = lanes_sum(one, scratch);
    __global struct report *mine = out + get_global_id(0);
    mine->copied = mine->size;
#if HAS_PTX
    __local uint4 copied[WG];
    ptx_copy_16(copied + i, (const __global uint4 *)mine);
    ptx_wait_copies();
    mine->copied = as_float(copied[i].x);
#endif
    mine->size = lanes_size();
    mine->lane = lane_id();
    mine->set = lanes_id();
    mine->sets = lanes_count();
    mine->max = lanes_max(v, scratch);
    mine->sum = sum.hi + sum.lo;
    mine->exp = exp_nonpositive(-0.37f * v);
    mine->exp_result = exp_result(-0.37f * v);
}
