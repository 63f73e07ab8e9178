/* SPDX-License-Identifier: MIT */
/*
 * f16 and bf16 as integers. A double is rounded straight to the target's grid by adding
 * and taking away a number whose ulp is that grid's step, so nothing is rounded twice.
 */
#include "convert.h"

#include "status.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* binary interchange formats: explicit significand bits, exponent of the largest and
 * the smallest normal number */
static const struct format {
    int bits, max_exponent, min_exponent;
} formats[] = {
    [CLSM_F32] = {23, 127, -126},
    [CLSM_F16] = {10, 15, -14},
    [CLSM_BF16] = {7, 127, -126},
    [CLSM_F64] = {52, 1023, -1022},
};

double clsm_element_min_normal(clsm_type type)
{
    return ldexp(1, formats[type].min_exponent);
}

double clsm_element_max(clsm_type type)
{
    return ldexp(2 - ldexp(1, -formats[type].bits), formats[type].max_exponent);
}

double clsm_element_ulp(clsm_type type, double v)
{
    const struct format *f = &formats[type];
    int exponent = v == 0 || !isfinite(v) ? f->min_exponent : ilogb(v);
    if (exponent < f->min_exponent)
        exponent = f->min_exponent;
    return ldexp(1, exponent - f->bits);
}

/* |v| rounded to nearest even on the grid of a 16-bit format, as its bits. */
static uint16_t pack16(const struct format *f, double v)
{
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    uint16_t infinity = (uint16_t)((2 * f->max_exponent + 1) << f->bits);
    if (isnan(v))
        return (uint16_t)(sign | infinity | 1u << (f->bits - 1));
    v = fabs(v);
    if (v >= ldexp(2 - ldexp(1, -f->bits - 1), f->max_exponent))
        return sign | infinity;
    int exponent = v == 0 ? f->min_exponent : ilogb(v);
    if (exponent < f->min_exponent)
        exponent = f->min_exponent;
    /* An integer number of steps, 2^bits or more for a normal number; rounding up to
     * the next power of two carries into the exponent by itself. */
    unsigned steps = (unsigned)nearbyint(ldexp(v, f->bits - exponent));
    unsigned biased = (unsigned)(exponent - f->min_exponent) << f->bits;
    return (uint16_t)(sign | (biased + steps));
}

static double unpack16(const struct format *f, uint16_t bits)
{
    unsigned magnitude = bits & 0x7fffu;
    unsigned exponent = magnitude >> f->bits, rest = magnitude & ((1u << f->bits) - 1);
    double v;
    if (exponent == 2u * (unsigned)f->max_exponent + 1)
        v = rest ? NAN : INFINITY;
    else if (exponent == 0)
        v = ldexp(rest, f->min_exponent - f->bits);
    else
        v = ldexp(rest + ldexp(1, f->bits),
                  f->min_exponent - f->bits + (int)exponent - 1);
    return bits & 0x8000 ? -v : v;
}

double clsm_element_get(clsm_type type, const void *data, size_t i)
{
    switch (type) {
    case CLSM_F32:
        return ((const float *)data)[i];
    case CLSM_F64:
        return ((const double *)data)[i];
    default:
        return unpack16(&formats[type], ((const uint16_t *)data)[i]);
    }
}

void clsm_element_set(clsm_type type, void *data, size_t i, double v)
{
    switch (type) {
    case CLSM_F32:
        ((float *)data)[i] = (float)v;
        break;
    case CLSM_F64:
        ((double *)data)[i] = v;
        break;
    default:
        ((uint16_t *)data)[i] = pack16(&formats[type], v);
    }
}

clsm_status clsm_convert(clsm_type from, const void *src, clsm_type to, void *dst,
                         size_t n)
{
    if (!clsm_type_bytes(from) || !clsm_type_bytes(to))
        return clsm_fail(CLSM_ERR_VALUE, "clsm_convert: types are %d and %d", (int)from,
                         (int)to);
    if (!n)
        return CLSM_OK;
    NEED(src);
    NEED(dst);
    if (from == to)
        memmove(dst, src, n * clsm_type_bytes(from));
    else
        for (size_t i = 0; i < n; i++)
            clsm_element_set(to, dst, i, clsm_element_get(from, src, i));
    return CLSM_OK;
}
