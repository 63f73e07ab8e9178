/* SPDX-License-Identifier: MIT */
/*
 * e^x in units of 2^base, for all x of a row as they are: no difference from a maximum is
 * rounded, and none has to be known before. See exp.cl for how; here n is what x has itself,
 * and the base goes into the number that rounds it, at no cost.
 *
 * Where x is at most MOST_ABOVE above what the base is of, and neither is as far as FARTHEST
 * from 0, within 1.1 ulp in the normal range with a fused multiply-add (without one n ln2 is
 * rounded, so that no more than |x| 2^-24 is certain), and NaN for NaN. What would be
 * subnormal may be 0.
 */
#define MOST_ABOVE 48
#define BASE_BELOW 8 /* powers of 2, so that nothing is 0 that is normal relative to x */
#define MOST_ABOVE_LIFTED 31
#define BASE_BELOW_LIFTED 32 /* for logarithms: nor is what 2^24 of add up to that */
#define FARTHEST 65536

struct base {
    real shift;  /* rounds n, and leaves n - base where the exponent comes from */
    real lowest; /* an x whose result is 0 */
    real highest;
};

static struct base base_below(real x, float below, float above)
{
    real power = (x * 0x1.715476p+0f + 0x1.8p+23f) - (0x1.8p+23f + below);
    struct base b = {(0x1.8p+23f + 127.0f) - power, (power - 127.0f) * 0x1.62e430p-1f,
                     x + above};
    return b;
}

static struct base base_of(real x)
{
    return base_below(x, BASE_BELOW, MOST_ABOVE);
}

static real exp_from(real x, struct base b)
{
    return exp_in_range(b.lowest > x ? b.lowest : x, b.shift);
}

/* The same for what is rounded to 16 bits: within 2.9e-6 of 2^(x times that number for 1 / ln2),
 * so that two terms' ratio is off by 1.4e-8 times their distance besides. */
static real exp_from_rough(real x, struct base b)
{
    return exp_rough_in_range(b.lowest > x ? b.lowest : x, b.shift);
}

#if X86_POWER
/* For what is rounded to 16 bits, in 7 instructions of AVX-512: within 2.8e-6 of 2^t for t as in
 * exp_from_rough, less the base, and 2^-24 t rounded. What is too large is infinite. */
static real exp_from_scaled(real x, struct base b)
{
    real t = FMA(x, (real)0x1.715476p+0f, b.shift - POWER_SHIFT(0));
    return times_power(exp2_polynomial_up(fraction(t)), t);
}
#endif

/* The same added to a sum, for terms that only that is seen of: each within 2.9 units of 2^-24 of
 * e^(x c), where c is off from 1 by 2.7e-9, so that two terms' ratio is off by that times their
 * distance. */
static real exp_added(real x, struct base b, real sum)
{
    x = b.lowest > x ? b.lowest : x;
    real t = FMA(x, (real)0x1.715476p+0f, b.shift);
    real r = FMA(t - b.shift, (real)-0x1.62e430p-1f, x);
    return FMA(exp_polynomial_summed(r), AS_F32(AS_U32(t) << 23), sum);
}

#if X86_TABLE
/* In one instruction less, and three fewer that multiply: n is a multiple of 1/32, and its fraction
 * from a table. Within 3.9 units, of which one is the addition's. */
static real exp_added_by_steps(real x, struct base b, real sum)
{
    real shift = (b.shift - 0x1.8p+23f) * 32 + 0x1.8p+23f;
    x = b.lowest > x ? b.lowest : x;
    real t = FMA(x, (real)(0x1.715476p+0f * 32), shift);
    real r = FMA(t - shift, (real)(-0x1.62e430p-1f / 32), x);
    return FMA(exp_polynomial_short(r), power_of_steps(t), sum);
}
#define EXP_ADDED exp_added_by_steps
#else
#define EXP_ADDED exp_added
#endif

/* Sums of terms that are not larger than what it gives for `highest`. */
#define MOST_BASED 0x1p76f

static real clamp_to_base(real x, struct base b)
{
    return b.highest < x ? b.highest : x;
}
