/* SPDX-License-Identifier: MIT */
/* The set of workers is one work-item: the elements of its vectors. */
#include "span.cl"

INLINE real set_max(real v, __local real *scratch)
{
    return lanes_max(v, scratch);
}

INLINE struct pair set_sum(struct pair s, __local real *scratch)
{
    return lanes_sum(s, scratch);
}

INLINE struct top set_top(struct top top, uint later, __local real *scratch)
{
    return lanes_top(top, scratch);
}
