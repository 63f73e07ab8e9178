/* SPDX-License-Identifier: MIT */
/* CLUSTER neighbouring lanes as a set of workers, or one work-item by itself. */
#if CLUSTER == 1
#include "alone_set.cl"
#else
INLINE real set_max(real v, __local real *scratch)
{
    return cluster_max(v, CLUSTER, scratch);
}

INLINE struct pair set_sum(struct pair s, __local real *scratch)
{
#if OP_NEEDS_REST
    return cluster_sum(s, CLUSTER, scratch);
#else
    struct pair sum = {cluster_add(s.hi + s.lo, CLUSTER, scratch), (real)0};
    return sum;
#endif
}

INLINE struct top set_top(struct top top, uint later, __local real *scratch)
{
    return cluster_top(top, CLUSTER, scratch);
}

INLINE bool set_again(bool again, __local real *scratch)
{
    return lanes_any(again, scratch);
}

INLINE real set_add(real v, __local real *scratch)
{
    return cluster_add(v, CLUSTER, scratch);
}
#endif

#if HAS_CANDIDATES
INLINE __local real *keep_place(__local real *scratch)
{
    return scratch + LANES_SCRATCH + get_local_id(0) / CLUSTER * KEEP_REALS;
}

INLINE void set_wait(void)
{
#if LANES_BY == LANES_PTX
    ptx_lanes_wait();
#elif LANES_BY == LANES_INTEL
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
#else
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

INLINE void set_summed(void)
{
    set_wait();
}

INLINE bool sets_any(bool v, __local real *scratch)
{
#if LANES_BY == LANES_LOCAL
    return cluster_max(v ? (real)1 : (real)0, WG, scratch) > (real)0;
#else
    return lanes_any(v, scratch);
#endif
}

/* Shares are lanes as far apart as there are shares. */
INLINE struct shares set_shares(real_bits v, bool begins, __local real *kept,
                                __local real *scratch)
{
    set_wait(); /* for all to see how many the row before had */
    if (begins && get_local_id(0) % CLUSTER == 0)
        *(__local uint *)kept = 0;
    set_wait();
    return lanes_shares(apart_most(v, CLUSTER, SHARES, scratch), SHARES, scratch);
}
#endif
