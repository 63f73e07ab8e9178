/* SPDX-License-Identifier: MIT */
/*
 * What cl/exp.cl takes from its surroundings, said in C, so that it can be included in
 * a translation unit and held against the host's exp(). Whether fma() is used is
 * decided by FP_FAST_FMAF as in OpenCL C; a libm may define that too.
 */
#ifndef CLSM_TEST_EXP_IN_C_H
#define CLSM_TEST_EXP_IN_C_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#undef FP_FAST_FMAF

typedef float real;
typedef uint32_t real_u32;
#define REAL_IS_F64 0
#define fma fmaf

static inline uint32_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static inline float float_of(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

#define AS_U32(v) bits_of(v)
#define AS_F32(v) float_of(v)
#define AS_S32(v) ((int32_t)(v))
#define TO_REAL(v) ((float)(v))

/* cl/exp.cl compiled with fma(), and without. */
float exp_fused(float d);
float exp_unfused(float d);

#endif
