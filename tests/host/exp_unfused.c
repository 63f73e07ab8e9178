/* SPDX-License-Identifier: MIT */
/* cl/exp.cl as on a device without a fast fma(). */
#include "exp_in_c.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
#include "exp.cl"

float exp_unfused(float d)
{
    return exp_nonpositive(d);
}
