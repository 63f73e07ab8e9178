/* SPDX-License-Identifier: MIT */
/*
 * exp(d) for d <= 0 or NaN, as softmax needs it: within 0.9 ulp in the normal range (1.2
 * without a fused multiply-add), exactly 1 at 0, and 0 where the result would be subnormal.
 * The same bits on every device with a fused multiply-add, at a third of the built-in
 * function's cost. exp_result is for what is written: within 3 + 1.3 |d| units of 2^-24 where
 * a device has something cheaper.
 *
 * Many terms too small for an f32 may add up to what is not. Sums of which a logarithm is taken
 * are of 2^LIFT times the terms, exp_lifted, at no cost: the power goes into 2^n. LIFT is 0
 * where numbers below the normal range do.
 *
 * d = n ln2 + r with |r| <= ln2 / 2; ln2 is split so that n times its upper part is exact.
 * e^r is a polynomial that is 1 at 0 (scripts/exp_poly.py finds it and the others).
 * n is rounded by adding 1.5 * 2^23, which leaves it in the low bits, and 2^n is made by
 * moving those bits into the exponent.
 */
#if defined(FP_FAST_FMAF) || defined(HAS_FMA)
#define FMA(a, b, c) fma(a, b, c)
#define HAS_FUSED
#else
#define FMA(a, b, c) ((a) * (b) + (c))
#endif

#if !REAL_IS_F64
/* (1 + q) s for s a power of 2, which leaves 1 + q rounded once. */
static real more_times(real q, real s)
{
#ifdef HAS_FUSED
    return FMA(q, s, s);
#else
    return (q + (real)1.0f) * s;
#endif
}

/* e^r - 1 for |r| <= ln2 / 2, in two halves: what comes one after another is what takes time on
 * a CPU. */
static real exp_polynomial(real r)
{
    real square = r * r;
    real low = FMA((real)0x1.555492p-3f, r, (real)0x1.fffffcp-2f);
    real high = FMA((real)0x1.12398ep-7f, r, (real)0x1.5558b2p-5f);
    high = FMA((real)0x1.6a4b38p-10f, square, high);
    low = FMA(high, square, low);
    return FMA(low, square, r);
}

/* What rounds n, and leaves n + 127 + power where the exponent comes from. */
#define POWER_SHIFT(power) ((real)(0x1.8p+23f + 127.0f + (power)))

/* 2^power e^d from -(127 + power) ln2 up. */
static inline real exp_in_range(real d, real shift)
{
    real t = FMA(d, (real)0x1.715476p+0f, shift);
    real n = t - shift;
    real r = FMA(n, (real)-0x1.62e400p-1f, d);
    r = FMA(n, (real)-0x1.7f7d1cp-20f, r);
    return more_times(exp_polynomial(r), AS_F32(AS_U32(t) << 23));
}
#endif

#if !REAL_IS_F64 && defined HAS_FUSED
/* log(1 + r) for -1 <= r < 2^126 or NaN within 2.5 units of 2^-24, in 20 steps where a device's
 * own function takes more for other r. e is the exponent of 1 + r as it stands in its bits, and
 * f = (1 + r) 2^-e - 1 is rounded once. */
static real log1p_short(real r)
{
    real_u32 e = (AS_U32(r + (real)1.0f) - 0x3f3504f3u) & 0xff800000u;
    real scale = AS_F32(0x3f800000u - e);
    real f = FMA(r, scale, scale - (real)1.0f);
    real p = FMA((real)0x1.66032ep-4f, f, (real)-0x1.2510ecp-3f);
    p = FMA(p, f, (real)0x1.317eccp-3f);
    p = FMA(p, f, (real)-0x1.535aaep-3f);
    p = FMA(p, f, (real)0x1.98d332p-3f);
    p = FMA(p, f, (real)-0x1.0004aep-2f);
    p = FMA(p, f, (real)0x1.5556f2p-2f);
    p = FMA(p, f, (real)-0x1.fffffap-2f);
    p = FMA(TO_REAL(AS_S32(e)), (real)0x1.62e430p-24f, FMA(f * f, p, f));
    return r == (real)-1.0f ? (real)(-INFINITY) : p;
}
#define HAS_LOG1P_SHORT
#endif

#if REAL_IS_F64
static real exp_nonpositive(real d)
{
    return exp(d);
}
#define exp_result exp_nonpositive
#define exp_lifted exp_nonpositive
#define exp_rough_lifted exp_nonpositive
#define exp_rough exp_nonpositive
#define exp_clamped exp_nonpositive
#elif HAS_PTX
/* 2^t by the device's own instruction, within 2^-22 and exact at 0. Rounding t = d / ln2
 * costs |d| 2^-24 more, which a result may have but a sum of many equal terms may not: for
 * sums what t lost, d - t ln2, is put back: within 3.3 + 0.05 |d| units of 2^-24. */
static real exp_result(real d)
{
    return ptx_exp2(d * 0x1.715476p+0f);
}

static real exp_nonpositive(real d)
{
    d = ptx_max_nan(d, -150.0f); /* so that -inf leaves no NaN behind */
    real t = d * 0x1.715476p+0f;
    real e = ptx_exp2(t);
    return fma(e, fma(t, -0x1.62e430p-1f, d), e);
}

static real exp_rough_lifted(real d)
{
    return ptx_exp2_deep(d * 0x1.715476p+0f);
}

static real exp_lifted(real d)
{
    d = ptx_max_nan(d, -150.0f);
    real t = d * 0x1.715476p+0f;
    real e = ptx_exp2_deep(t);
    return fma(e, fma(t, -0x1.62e430p-1f, d), e);
}

/* exp(x - max) exp_bias(max) in one step less, for rows of 16-bit numbers: x / ln2 and max / ln2
 * are rounded once each, so all of a row's terms are off by the same factor. Where that might
 * overflow, or max / ln2 itself, the maximum's neighbours are so far from it that 1, which rounds
 * nothing, does as well as 1 / ln2. */
static real exp_slope(real max)
{
    return fabs(max) > 0x1p+20f ? 1.0f : 0x1.715476p+0f;
}

static real exp_biased(real x, real max)
{
    return ptx_exp2(fma(x, exp_slope(max), -max * exp_slope(max)));
}

/* What takes the factor away. */
static real exp_unbias(real max)
{
    return ptx_exp2(-fma(max, exp_slope(max), -max * exp_slope(max)));
}
#define EXP_BIASED 1

/* log1p_short within 2^-15, for results of 16 bits. */
static real log1p_rough(real r)
{
    real beside_one = fma(r * r, -0.5f, r);
    return fabs(r) < 0x1p-7f ? beside_one : ptx_log2(1.0f + r) * 0x1.62e430p-1f;
}

/* exp_tried is for a first try at a logarithm, which may fail where numbers are too large. */
static real exp_tried(real x, real max)
{
    return ptx_exp2(fma(x, 0x1.715476p+0f, -max * 0x1.715476p+0f));
}

/* The logarithm of a sum of these within 2^-22 of itself and 2^-21, from 2^-7 to 32; else NaN. */
static real exp_tried_log(real sum, real max)
{
    real lost = fma(max, 0x1.715476p+0f, -max * 0x1.715476p+0f);
    real v = (ptx_log2(sum) - lost) * 0x1.62e430p-1f;
    return as_uint(v) - as_uint(0x1p-7f) < as_uint(32.0f) - as_uint(0x1p-7f) ? v : NAN;
}

/* 2^RAISE exp(x - max) in as few steps, for a sum of a few hundred of which a logarithm is taken.
 * Rounding x / ln2 - from costs a term as many units of 2^-24 as it lies from 2^RAISE below the
 * maximum: many equal terms count most where that is little. All of a row's terms are off by one
 * factor near 1, 2^f, as `from` is a multiple of 1/16 for t to lose nothing else.
 * Beyond 2^17 the maximum's neighbours are as far from it as above. */
#define RAISE 8
static bool raises(real max)
{
    return fabs(max) <= 0x1p+17f;
}

/* max / ln2 as a multiple of 1/16. */
static real exp_step(real max)
{
    return fma(max, 0x1.715476p+0f, 0x1.8p+19f) - 0x1.8p+19f;
}

static real exp_raised(real x, real max)
{
    real step = exp_step(max) - RAISE; /* on no condition, or it is done again for each x */
    real slope = raises(max) ? 0x1.715476p+0f : 1.0f;
    real from = raises(max) ? step : max;
    return ptx_exp2(fma(x, slope, -from));
}

/* What takes the powers away, 2^(-f - RAISE) with |f| <= 1/32. */
static real exp_lower(real max)
{
    real f = fma(max, 0x1.715476p+0f, -exp_step(max));
    real e = fma(f, -0x1.c6b08ep-5f * 0x1p-8f, 0x1.ebfbe0p-3f * 0x1p-8f);
    e = fma(e, f, -0x1.62e430p-1f * 0x1p-8f);
    e = fma(e, f, 0x1p-8f);
    return raises(max) ? e : 1.0f;
}
#else
/* e^r itself within 2.8 units of 2^-24, for what is scaled and added at once. */
static inline real exp_polynomial_summed(real r)
{
    real e = FMA((real)0x1.1060e6p-7f, r, (real)0x1.572a3cp-5f);
    e = FMA(e, r, (real)0x1.5557b2p-3f);
    e = FMA(e, r, (real)0x1.fffdfcp-2f);
    e = FMA(e, r, (real)1.0f);
    return FMA(e, r, (real)1.0f);
}

static real exp_nonpositive(real d)
{
    real e = exp_in_range(d, POWER_SHIFT(0)); /* computed in any case: no branch */
    return d < -0x1.5d589ep+6f ? (real)0.0f : e;
}

#define LEAST_PLAIN -0x1.601e68p+6f  /* 2^-127 */
#define LEAST_LIFTED -0x1.b8d774p+6f /* 2^-159 */

/* The same in two instructions less; what is barely subnormal may be that. */
static inline real exp_clamped(real d)
{
    return exp_in_range((real)LEAST_PLAIN > d ? (real)LEAST_PLAIN : d, POWER_SHIFT(0));
}
#define exp_result exp_nonpositive

#define LIFT 32
#define UNLIFTED 0x1p-32f /* what takes the power back */
static inline real exp_lifted(real d)
{
    return exp_in_range((real)LEAST_LIFTED > d ? (real)LEAST_LIFTED : d, POWER_SHIFT(LIFT));
}

/* 2^f for |f| <= 1/2, within 2.9e-6 and exactly 1 at 0. */
static real exp2_polynomial(real f)
{
    real e = FMA((real)0x1.3a0114p-7f, f, (real)0x1.c9fcd6p-5f);
    e = FMA(e, f, (real)0x1.ec0380p-3f);
    e = FMA(e, f, (real)0x1.62e12cp-1f);
    return FMA(e, f, (real)1.0f);
}

#if X86_TABLE
/* e^r for |r| <= ln2 / 64, within 0.9 units of 2^-24. */
static inline real exp_polynomial_short(real r)
{
    real e = FMA((real)0x1.00001ep-1f, r, (real)0x1.0000f6p+0f);
    return FMA(e, r, (real)1.0f);
}

/* 2^(t / 32 - 127) for the number t in a real's low bits. The table has the bits of 2^(j/32) above
 * those of 1, less the j 2^18 that come along with the exponent. */
static inline real power_of_steps(real t)
{
    return AS_F32((AS_U32(t) << 18) +
                  x86_entry(AS_U32(t),
                            X86_ENTRIES(0x0, 0xfffecd87, 0xfffdaac3, 0xfffc980f, 0xfffb95c2,
                                        0xfffaa43a, 0xfff9c3d3, 0xfff8f4f0, 0xfff837f0, 0xfff78d3a,
                                        0xfff6f532, 0xfff67043, 0xfff5fed7, 0xfff5a15b, 0xfff5583f,
                                        0xfff523f6),
                            X86_ENTRIES(0xfff504f3, 0xfff4fbaf, 0xfff508a4, 0xfff52c4d, 0xfff5672a,
                                        0xfff5b9be, 0xfff6248c, 0xfff6a81e, 0xfff744fd, 0xfff7fbb8,
                                        0xfff8ccdf, 0xfff9b907, 0xfffac0c7, 0xfffbe4ba, 0xfffd257d,
                                        0xfffe83b3)));
}
#endif

#if X86_POWER
/* 2^f for 0 <= f < 1, within 2.7e-6. */
static real exp2_polynomial_up(real f)
{
    real e = FMA((real)0x1.bb8e96p-7f, f, (real)0x1.aa0b80p-5f);
    e = FMA(e, f, (real)0x1.ee7ad6p-3f);
    e = FMA(e, f, (real)0x1.62d154p-1f);
    return FMA(e, f, (real)0x1.00002cp+0f);
}
#endif

/* The same as exp_nonpositive for what is rounded to 16 bits: within 2.9e-6 + 1.4e-8 |d|, and 0
 * below 2^-126. */
static inline real exp_rough_in_range(real d, real shift)
{
    real t = FMA(d, (real)0x1.715476p+0f, shift);
    real n = t - shift;
    return exp2_polynomial(FMA(d, (real)0x1.715476p+0f, -n)) * AS_F32(AS_U32(t) << 23);
}

static inline real exp_rough(real d)
{
    return exp_rough_in_range((real)LEAST_PLAIN > d ? (real)LEAST_PLAIN : d, POWER_SHIFT(0));
}

static inline real exp_rough_lifted(real d)
{
    return exp_rough_in_range((real)LEAST_LIFTED > d ? (real)LEAST_LIFTED : d,
                              POWER_SHIFT(LIFT));
}
#endif

/* Of a sum of terms. */
#if HAS_PTX && !REAL_IS_F64
#define inverse(v) ptx_inverse(v)
#else
#define inverse(v) ((real)1 / (v))
#endif

#ifndef LIFT
#define LIFT 0
#define UNLIFTED 1
#endif

/* e^d as two factors, so that a product with both is 0 only where it would be subnormal itself,
 * and none overflows by the power. */
struct factors {
    real first, second;
};

static inline struct factors exp_factors(real d)
{
    struct factors f = {exp_lifted(d), (real)UNLIFTED};
#if HAS_PTX && !REAL_IS_F64 /* a whole sum's factor may not be as far off as a term */
    f.first = d < -87.0f ? f.first : exp_in_range(d, POWER_SHIFT(0));
#endif
#if LIFT
    f.first = d < (real)-64.0f ? f.first : f.first * UNLIFTED;
    f.second = d < (real)-64.0f ? (real)UNLIFTED : (real)1.0f;
#endif
    return f;
}

#ifndef EXP_BIASED
#define EXP_BIASED 0
#define exp_biased(x, max) exp_result((x) - (max))
#define exp_unbias(max) ((real)1)
#define exp_tried(x, max) exp_result((x) - (max))
#define exp_tried_log(sum, max) ((real)NAN)
#define exp_raised(x, max) exp_result((x) - (max))
#define exp_lower(max) ((real)1)
#endif
