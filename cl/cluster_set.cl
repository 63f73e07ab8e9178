/* SPDX-License-Identifier: MIT */
/* CLUSTER neighbouring lanes as a set of workers, or one work-item by itself. */
#if CLUSTER == 1
INLINE real set_max(real v, __local real *scratch)
{
    return v;
}

INLINE struct pair set_sum(struct pair s, __local real *scratch)
{
    return s;
}

INLINE struct top set_top(struct top top, uint later, __local real *scratch)
{
    return top;
}

INLINE bool set_again(bool again, __local real *scratch)
{
    return again;
}

INLINE real set_add(real v, __local real *scratch)
{
    return v;
}
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
