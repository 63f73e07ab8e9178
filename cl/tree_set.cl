/* SPDX-License-Identifier: MIT */
/*
 * A work-group of WG work-items (a power of two) as a set of workers: local-memory trees,
 * halving the number of active work-items each step. Plain OpenCL C 1.2.
 */
#define SCRATCH_REALS (2 * WG)

INLINE real set_max(real v, __local real *scratch)
{
    uint i = get_local_id(0);
    scratch[i] = v;
    barrier(FIRST_FENCE);
    for (uint half_set = WG / 2; half_set > 0; half_set /= 2) {
        if (i < half_set)
            scratch[i] = real_max(scratch[i], scratch[i + half_set]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    v = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE); /* everybody has read before scratch is used again */
    return v;
}

INLINE struct pair set_sum(struct pair s, __local real *scratch)
{
    uint i = get_local_id(0);
    __local real *hi = scratch, *lo = scratch + WG;
    hi[i] = s.hi;
    lo[i] = s.lo;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_set = WG / 2; half_set > 0; half_set /= 2) {
        if (i < half_set) {
            struct pair other = {hi[i + half_set], lo[i + half_set]};
            s = pair_merge(s, other);
            hi[i] = s.hi;
            lo[i] = s.lo;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    s.hi = hi[0];
    s.lo = lo[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return s;
}

INLINE struct top set_top(struct top top, uint later, __local real *scratch)
{
    uint i = get_local_id(0);
    top_put(top, scratch + i, WG);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_set = WG / 2; half_set > 0; half_set /= 2) {
        if (i < half_set) {
            top = top_of(top, top_get(scratch + i + half_set, WG));
            top_put(top, scratch + i, WG);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    top = top_get(scratch, WG);
    barrier(CLK_LOCAL_MEM_FENCE);
    return top;
}

INLINE bool set_again(bool again, __local real *scratch)
{
    return again;
}

INLINE real set_add(real v, __local real *scratch)
{
    struct pair s = {v, (real)0};
    return set_sum(s, scratch).hi;
}
