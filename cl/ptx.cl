/* SPDX-License-Identifier: MIT */
/*
 * What NVIDIA's OpenCL C has no function for, in inline PTX for compute capability 8.0 and
 * up (TRAIT_PTX): numbers and lanes here, memory in ptx_memory.cl. Each has its portable twin
 * where it is used, behind HAS_PTX.
 */
#ifndef HAS_PTX
#define HAS_PTX 0
#endif
#if HAS_PTX
/* 2^t, subnormal results flushed to 0. */
static float ptx_exp2(float t)
{
    float e;
    __asm__("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(t));
    return e;
}

/* The same with results below 2^-126 as they are, in three steps more. */
static float ptx_exp2_deep(float t)
{
    float e;
    __asm__("ex2.approx.f32 %0, %1;" : "=f"(e) : "f"(t));
    return e;
}

/* log2(v) within 2^-22, for v below 1/2 and above 2 as a share of it. */
static float ptx_log2(float v)
{
    float t;
    __asm__("lg2.approx.ftz.f32 %0, %1;" : "=f"(t) : "f"(v));
    return t;
}

/* 1 / v within a unit of the last digit, for v below 2^126, where the division that OpenCL asks
 * for takes ten steps. */
static float ptx_inverse(float v)
{
    float i;
    __asm__("rcp.approx.ftz.f32 %0, %1;" : "=f"(i) : "f"(v));
    return i;
}

/* a b, which no addition behind it may become one step with. */
#if REAL_IS_F64
static double ptx_product(double a, double b)
{
    double v;
    __asm__("mul.rn.f64 %0, %1, %2;" : "=d"(v) : "d"(a), "d"(b));
    return v;
}
#else
static float ptx_product(float a, float b)
{
    float v;
    __asm__("mul.rn.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
    return v;
}
#endif

/* The larger one, or NaN if one is NaN. */
static float ptx_max_nan(float a, float b)
{
    float v;
    __asm__("max.NaN.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
    return v;
}

/* The smaller one, or NaN if one is NaN. */
static float ptx_min_nan(float a, float b)
{
    float v;
    __asm__("min.NaN.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
    return v;
}

/* Until all lanes that have not ended are here, and see what each left in local memory. */
static void ptx_lanes_wait(void)
{
    __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory");
}

/* Is v true in any lane? All lanes come here. */
static bool ptx_any(bool v)
{
    uint any;
    __asm__ volatile("{.reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync.any.pred q, p, 0xffffffff; "
                     "selp.u32 %0, 1, 0, q;}"
                     : "=r"(any)
                     : "r"((uint)v));
    return any;
}

/* The largest of all lanes' numbers. All lanes come here. */
static uint ptx_most(uint v)
{
    uint most;
    __asm__ volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(most) : "r"(v));
    return most;
}

/* What the lane has whose number differs in the bits of `distance`. */
static float ptx_swap(float v, uint distance)
{
    float other;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                     : "=f"(other)
                     : "f"(v), "r"(distance));
    return other;
}

/* Where x is `one`, 1 to ones; elsewhere term to others. */
static void ptx_add_apart(float *ones, float *others, float x, float one, float term)
{
    __asm__("{.reg .pred p; setp.eq.f32 p, %2, %3; @p add.f32 %0, %0, 0f3f800000; "
            "@!p add.f32 %1, %1, %4;}"
            : "+f"(*ones), "+f"(*others)
            : "f"(x), "f"(one), "f"(term));
}

/* The same where nothing stands in others yet. */
static void ptx_set_apart(float *ones, float *others, float x, float one, float term)
{
    __asm__("{.reg .pred p; setp.eq.f32 p, %2, %3; @p add.f32 %0, %0, 0f3f800000; "
            "selp.f32 %1, 0f00000000, %4, p;}"
            : "+f"(*ones), "=f"(*others)
            : "f"(x), "f"(one), "f"(term));
}

/* v, of which the compiler does not know that it was the same in the turn of a loop before. */
static float ptx_anew(float v)
{
    float w;
    __asm__ volatile("mov.f32 %0, %1;" : "=f"(w) : "f"(v));
    return w;
}

static double ptx_anew_f64(double v)
{
    double w;
    __asm__ volatile("mov.f64 %0, %1;" : "=d"(w) : "d"(v));
    return w;
}

/* v, of which the compiler does not know how it came about. */
static ulong ptx_opaque(ulong v)
{
    ulong w;
    __asm__("mov.b64 %0, %1;" : "=l"(w) : "l"(v));
    return w;
}

static uint ptx_opaque_uint(uint v)
{
    uint w;
    __asm__("mov.b32 %0, %1;" : "=r"(w) : "r"(v));
    return w;
}

/* Half number k of a word as f32. */
static float ptx_half(uint word, uint k)
{
    float v;
    if (k == 0) /* the halves never get registers of their own */
        __asm__("{.reg .b16 a, b; mov.b32 {a, b}, %1; cvt.f32.f16 %0, a;}" : "=f"(v) : "r"(word));
    else
        __asm__("{.reg .b16 a, b; mov.b32 {a, b}, %1; cvt.f32.f16 %0, b;}" : "=f"(v) : "r"(word));
    return v;
}

/* Two numbers rounded to nearest even, the first in the low half. */
static uint ptx_pack_f16(float low, float high)
{
    uint word;
    __asm__("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
    return word;
}

static uint ptx_pack_bf16(float low, float high)
{
    uint word;
    __asm__("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
    return word;
}

/* Bytes that are the signs of those that `which` names. */
static uint ptx_signs(uint bytes, uint which)
{
    uint v;
    __asm__("prmt.b32 %0, %1, 0, %2;" : "=r"(v) : "r"(bytes), "r"(which));
    return v;
}

/* The larger ones of two pairs of 16-bit numbers; NaN is passed over. */
static uint ptx_max_f16(uint a, uint b)
{
    uint v;
    __asm__("max.f16x2 %0, %1, %2;" : "=r"(v) : "r"(a), "r"(b));
    return v;
}

static uint ptx_max_bf16(uint a, uint b)
{
    uint v;
    __asm__("max.bf16x2 %0, %1, %2;" : "=r"(v) : "r"(a), "r"(b));
    return v;
}

/* The smaller ones, or NaN. */
static uint ptx_min_f16(uint a, uint b)
{
    uint v;
    __asm__("min.NaN.f16x2 %0, %1, %2;" : "=r"(v) : "r"(a), "r"(b));
    return v;
}

static uint ptx_min_bf16(uint a, uint b)
{
    uint v;
    __asm__("min.NaN.bf16x2 %0, %1, %2;" : "=r"(v) : "r"(a), "r"(b));
    return v;
}
#endif
