/* SPDX-License-Identifier: MIT */
/* What kernels call for a work-item by itself. */
#include "convert.h"

#include <math.h>
#include <stdint.h>

/* OpenCL C's functions, by the names that clang gives them for their types ... */
#define NAMED(name) __asm__(name)
float vload_half(size_t at, const uint16_t *p) NAMED("_Z10vload_halfmPU8CLglobalKDh");
float vload_half_private(size_t at, const uint16_t *p)
    NAMED("_Z10vload_halfmPU9CLprivateKDh");
unsigned min_uint(unsigned a, unsigned b) NAMED("_Z3minjj");
unsigned long min_ulong(unsigned long a, unsigned long b) NAMED("_Z3minmm");
long min_long(long a, long b) NAMED("_Z3minll");
long max_long(long a, long b) NAMED("_Z3maxll");
float cl_fma(float a, float b, float c) NAMED("_Z3fmafff");
float cl_fmax(float a, float b) NAMED("_Z4fmaxff");
float cl_fabs(float a) NAMED("_Z4fabsf");
float convert_float(float a) NAMED("_Z13convert_floatf");
float tanh_float(float a) NAMED("_Z4tanhf");
float convert_float_int(int a) NAMED("_Z13convert_floati");
float convert_float_uchar(unsigned char a) NAMED("_Z13convert_floath");
unsigned convert_uint(unsigned short a) NAMED("_Z12convert_uintt");
unsigned short convert_ushort(unsigned a) NAMED("_Z14convert_ushortj");
unsigned convert_uint_uint(unsigned a) NAMED("_Z12convert_uintj");
unsigned convert_uint_ulong(unsigned long a) NAMED("_Z12convert_uintm");
unsigned long convert_ulong(unsigned a) NAMED("_Z13convert_ulongj");
unsigned cl_clz(unsigned a) NAMED("_Z3clzj");
void vstore_half_rte(float v, size_t at, uint16_t *p)
    NAMED("_Z15vstore_half_rtefmPU8CLglobalDh");
void vstore_half_local(float v, size_t at, uint16_t *p)
    NAMED("_Z15vstore_half_rtefmPU7CLlocalDh");
void vstore_half_private(float v, size_t at, uint16_t *p)
    NAMED("_Z15vstore_half_rtefmPU9CLprivateDh");

/* ... and those in the place of cl/ptx.cl's. */
float ptx_exp2(float t);
float ptx_exp2_deep(float t);
float ptx_log2(float v);
float ptx_inverse(float v);
float ptx_max_nan(float a, float b);
float ptx_min_nan(float a, float b);
float ptx_product(float a, float b);
float ptx_anew(float v);
unsigned long ptx_opaque(unsigned long v);
unsigned ptx_opaque_uint(unsigned v);
unsigned ptx_signs(unsigned bytes, unsigned which);
void ptx_add_apart(float *ones, float *others, float x, float one, float term);
void ptx_set_apart(float *ones, float *others, float x, float one, float term);
float ptx_half(unsigned word, unsigned k);
unsigned ptx_pack_f16(float low, float high);
unsigned ptx_pack_bf16(float low, float high);
unsigned ptx_max_f16(unsigned a, unsigned b);
unsigned ptx_max_bf16(unsigned a, unsigned b);
unsigned ptx_min_f16(unsigned a, unsigned b);
unsigned ptx_min_bf16(unsigned a, unsigned b);

unsigned min_uint(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned long min_ulong(unsigned long a, unsigned long b)
{
    return a < b ? a : b;
}

long min_long(long a, long b)
{
    return a < b ? a : b;
}

long max_long(long a, long b)
{
    return a > b ? a : b;
}

float cl_fma(float a, float b, float c)
{
    return fmaf(a, b, c);
}

float cl_fmax(float a, float b)
{
    return fmaxf(a, b);
}

float cl_fabs(float a)
{
    return fabsf(a);
}

float tanh_float(float a)
{
    return tanhf(a);
}

float convert_float(float a)
{
    return a;
}

float convert_float_uchar(unsigned char a)
{
    return (float)a;
}

float convert_float_int(int a)
{
    return (float)a;
}

unsigned short convert_ushort(unsigned a)
{
    return (unsigned short)a;
}

unsigned convert_uint(unsigned short a)
{
    return a;
}

unsigned convert_uint_ulong(unsigned long a)
{
    return (unsigned)a;
}

unsigned long convert_ulong(unsigned a)
{
    return a;
}

unsigned convert_uint_uint(unsigned a)
{
    return a;
}

unsigned cl_clz(unsigned a)
{
    return a ? (unsigned)__builtin_clz(a) : 32;
}

float vload_half(size_t at, const uint16_t *p)
{
    float v;
    clsm_convert(CLSM_F16, p + at, CLSM_F32, &v, 1);
    return v;
}

float vload_half_private(size_t at, const uint16_t *p)
{
    return vload_half(at, p);
}

void vstore_half_rte(float v, size_t at, uint16_t *p)
{
    clsm_convert(CLSM_F32, &v, CLSM_F16, p + at, 1);
}

void vstore_half_local(float v, size_t at, uint16_t *p)
{
    vstore_half_rte(v, at, p);
}

void vstore_half_private(float v, size_t at, uint16_t *p)
{
    vstore_half_rte(v, at, p);
}

float ptx_exp2(float t)
{
    float e = exp2f(t);
    return e < 0x1p-126f ? 0 : e;
}

float ptx_exp2_deep(float t)
{
    return exp2f(t);
}

float ptx_log2(float v)
{
    return log2f(v);
}

float ptx_inverse(float v)
{
    return 1 / v;
}

float ptx_max_nan(float a, float b)
{
    return isnan(a) || isnan(b) ? NAN : fmaxf(a, b);
}

float ptx_min_nan(float a, float b)
{
    return isnan(a) || isnan(b) ? NAN : fminf(a, b);
}

float ptx_product(float a, float b)
{
    return a * b;
}

float ptx_anew(float v)
{
    return v;
}

unsigned long ptx_opaque(unsigned long v)
{
    return v;
}

/* A digit of `which` is 8 more than the byte whose sign is asked for. */
unsigned ptx_signs(unsigned bytes, unsigned which)
{
    unsigned v = 0;
    for (unsigned b = 0; b < 4; b++) {
        unsigned of = which >> 4 * b & 7;
        v |= (bytes >> 8 * of & 0x80 ? 0xffu : 0) << 8 * b;
    }
    return v;
}

unsigned ptx_opaque_uint(unsigned v)
{
    return v;
}

void ptx_add_apart(float *ones, float *others, float x, float one, float term)
{
    *(x == one ? ones : others) += x == one ? 1 : term;
}

void ptx_set_apart(float *ones, float *others, float x, float one, float term)
{
    *ones += x == one ? 1.0f : 0.0f;
    *others = x == one ? 0 : term;
}

/* A word's two 16-bit numbers, and back. */
static void unpack(clsm_type type, unsigned word, float *v)
{
    uint16_t halves[2] = {(uint16_t)word, (uint16_t)(word >> 16)};
    clsm_convert(type, halves, CLSM_F32, v, 2);
}

static unsigned pack(clsm_type type, float low, float high)
{
    float v[2] = {low, high};
    uint16_t halves[2];
    clsm_convert(CLSM_F32, v, type, halves, 2);
    return (unsigned)halves[1] << 16 | halves[0];
}

static unsigned larger(clsm_type type, unsigned a, unsigned b)
{
    float v[2], w[2];
    unpack(type, a, v);
    unpack(type, b, w);
    return pack(type, fmaxf(v[0], w[0]), fmaxf(v[1], w[1]));
}

static unsigned smaller(clsm_type type, unsigned a, unsigned b)
{
    float v[2], w[2];
    unpack(type, a, v);
    unpack(type, b, w);
    return pack(type, ptx_min_nan(v[0], w[0]), ptx_min_nan(v[1], w[1]));
}

float ptx_half(unsigned word, unsigned k)
{
    float v[2];
    unpack(CLSM_F16, word, v);
    return v[k];
}

unsigned ptx_pack_f16(float low, float high)
{
    return pack(CLSM_F16, low, high);
}

unsigned ptx_pack_bf16(float low, float high)
{
    return pack(CLSM_BF16, low, high);
}

unsigned ptx_max_f16(unsigned a, unsigned b)
{
    return larger(CLSM_F16, a, b);
}

unsigned ptx_max_bf16(unsigned a, unsigned b)
{
    return larger(CLSM_BF16, a, b);
}

unsigned ptx_min_f16(unsigned a, unsigned b)
{
    return smaller(CLSM_F16, a, b);
}

unsigned ptx_min_bf16(unsigned a, unsigned b)
{
    return smaller(CLSM_BF16, a, b);
}
