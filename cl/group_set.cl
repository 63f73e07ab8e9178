/* SPDX-License-Identifier: MIT */
/*
 * A work-group as a set of workers where lanes can exchange values: each set of lanes
 * reduces on its own, then everybody goes over the partial results in local memory, however
 * many there are.
 */
#define SCRATCH_REALS (LANES_SCRATCH + 2 * WG)

INLINE real set_max(real v, __local real *scratch)
{
    __local real *part = scratch + LANES_SCRATCH;
    v = lanes_max(v, scratch);
    if (lane_id() == 0)
        part[lanes_id()] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    v = part[0];
    for (uint k = 1; k < lanes_count(); k++)
        v = real_max(v, part[k]);
    barrier(CLK_LOCAL_MEM_FENCE); /* everybody has read before scratch is used again */
    return v;
}

INLINE struct pair set_sum(struct pair s, __local real *scratch)
{
    __local real *hi = scratch + LANES_SCRATCH, *lo = hi + WG;
    s = lanes_sum(s, scratch);
    if (lane_id() == 0) {
        hi[lanes_id()] = s.hi;
        lo[lanes_id()] = s.lo;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    s.hi = hi[0];
    s.lo = lo[0];
    for (uint k = 1; k < lanes_count(); k++) {
        struct pair part = {hi[k], lo[k]};
        s = pair_merge(s, part);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return s;
}
