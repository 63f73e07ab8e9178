/* SPDX-License-Identifier: MIT */
/* One work-item by itself as a set of workers. */
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
