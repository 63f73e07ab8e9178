/* SPDX-License-Identifier: MIT */
/*
 * What NVIDIA's OpenCL C has no function for, in inline PTX for compute capability 8.0 and
 * up (TRAIT_PTX). Each has its portable twin where it is used, behind HAS_PTX.
 */
#ifndef HAS_PTX
#define HAS_PTX 0
#endif
/* Is a pack copied or stored in one step, whether it is there or not? In programs whose rows have
 * bounds that takes registers that are wanted otherwise. */
#define MOVED_IN_ONE (HAS_PTX && !BOUNDED)

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

#ifndef STAYS
#define STAYS 0 /* 1: what is read is the last that leaves the device's cache, */
#endif
/* and so what is written leaves it first. Where rows are written that takes 1 to 3% less time, see
 * bench/NOTES.md. */
#if STAYS
#define PTX_HINT ".L2::cache_hint"
#define PTX_POLICY(operand) ", " operand
#else
#define PTX_HINT ""
#define PTX_POLICY(operand) ""
#endif
static ulong ptx_stays(void)
{
    ulong policy = 0;
#if STAYS
    __asm__("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}

/* 16 and 8 bytes in one piece, where the compiler would like to have them in several. */
static uint4 ptx_load_16(const __global uint4 *p)
{
    uint4 v;
    __asm__ volatile("ld.global" PTX_HINT ".v4.u32 {%0, %1, %2, %3}, [%4]" PTX_POLICY("%5") ";"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p), "l"(ptx_stays())
                     : "memory");
    return v;
}

static uint2 ptx_load_8(const __global uint2 *p)
{
    uint2 v;
    __asm__ volatile("ld.global" PTX_HINT ".v2.u32 {%0, %1}, [%2]" PTX_POLICY("%3") ";"
                     : "=r"(v.x), "=r"(v.y)
                     : "l"(p), "l"(ptx_stays())
                     : "memory");
    return v;
}

/* Two words for other work-groups in one piece of 16 bytes, each with a sign beside it. */
static void ptx_send(volatile __global ulong2 *p, uint low, uint high, uint sign)
{
    ulong a = (ulong)sign << 32 | low, b = (ulong)sign << 32 | high;
    __asm__ volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};"
                     :
                     : "l"(p), "l"(a), "l"(b)
                     : "memory");
}

/* Before looking again: looking costs memory traffic. */
static void ptx_pause(void)
{
    __asm__ volatile("nanosleep.u32 200;");
}

static ulong2 ptx_look(volatile __global ulong2 *p)
{
    ulong2 v;
    __asm__ volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                     : "=l"(v.x), "=l"(v.y)
                     : "l"(p)
                     : "memory");
    return v;
}

/* 16, 8 or 4 bytes from global to local memory, without registers; they are there for this
 * work-item after ptx_wait_copies. The rest of their line comes to the device's cache with them: a
 * tile's neighbour wants it. */
#define PTX_COPY "cp.async.ca.shared.global.L2::128B "
#if PAST_NEAR_CACHE /* a unit's own, where that was measured to be faster */
#define PTX_COPY_16 "cp.async.cg.shared.global" PTX_HINT ".L2::128B "
#else
#define PTX_COPY_16 "cp.async.ca.shared.global" PTX_HINT ".L2::128B "
#endif

/* Where it is, as no compiler sees through, since no kernel has a third dimension: of a copy with a
 * policy CUDA 13.0's assembler makes what is no valid instruction, if its place is a sum with a
 * number that all lanes share. */
static uint ptx_place(__local uint4 *to)
{
    uint zero = 0;
#if STAYS
    __asm__("mov.u32 %0, %%ctaid.z;" : "=r"(zero));
#endif
    return (uint)(size_t)to ^ zero;
}

static void ptx_copy_16(__local uint4 *to, const __global uint4 *from)
{
    __asm__ volatile(PTX_COPY_16 "[%0], [%1], 16" PTX_POLICY("%2") ";"
                     :
                     : "r"(ptx_place(to)), "l"(from), "l"(ptx_stays())
                     : "memory");
}

/* The same where they are `there`, and else `fill`: no branch, as in ptx_store_16. */
static void ptx_copy_or_fill(__local uint4 *to, const __global uint4 *from, bool there,
                             uint4 fill)
{
    __asm__ volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; "
                     "@p " PTX_COPY_16 "[%0], [%1], 16" PTX_POLICY("%7") "; "
                     "@!p st.shared.v4.u32 [%0], {%3, %4, %5, %6};}"
                     :
                     : "r"(ptx_place(to)), "l"(from), "r"((uint)there), "r"(fill.x), "r"(fill.y),
                       "r"(fill.z), "r"(fill.w), "l"(ptx_stays())
                     : "memory");
}

static void ptx_copy_8(__local uint2 *to, const __global uint2 *from)
{
    __asm__ volatile(PTX_COPY "[%0], [%1], 8;" : : "l"(to), "l"(from) : "memory");
}

static void ptx_copy_4(__local uint *to, const __global uint *from)
{
    __asm__ volatile(PTX_COPY "[%0], [%1], 4;" : : "l"(to), "l"(from) : "memory");
}

static void ptx_wait_copies(void)
{
    __asm__ volatile("cp.async.wait_all;" : : : "memory");
}

/* Loads before this are sent for before those behind it, whatever the compiler thinks of the
 * order; all lanes that have not ended come here. */
static void ptx_ask(void)
{
    __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory");
}

/* Four words to memory if they are `there`: as one if it fits, or in units of 2 or of 4 bytes.
 * One step, since compilers look longest at branches and at stores. */
#define PTX_STORE_16(UNITS)                                                              \
    __asm__ volatile("{.reg .pred p, q; .reg .b32 t; setp.ne.u32 q, %5, 0; "             \
                     "setp.ne.and.u32 p, %6, 0, q; "                                     \
                     "@p st.global.v4.u32 [%0], {%1, %2, %3, %4}; "                      \
                     "setp.eq.and.u32 p, %6, 0, q; @!p bra DONE; " UNITS "DONE: }"       \
                     :                                                                   \
                     : "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w),                   \
                       "r"((uint)there), "r"((uint)fits)                                 \
                     : "memory")
#define PTX_HALVES(word, low, high)                                                      \
    "st.global.u16 [%0 + " low "], " word "; shr.u32 t, " word ", 16; "                  \
    "st.global.u16 [%0 + " high "], t; "

static void ptx_store_16(__global void *p, uint4 v, bool there, bool fits, uint unit)
{
    if (unit == 2)
        PTX_STORE_16(PTX_HALVES("%1", "0", "2") PTX_HALVES("%2", "4", "6")
                     PTX_HALVES("%3", "8", "10") PTX_HALVES("%4", "12", "14"));
    else
        PTX_STORE_16("st.global.u32 [%0], %1; st.global.u32 [%0 + 4], %2; "
                     "st.global.u32 [%0 + 8], %3; st.global.u32 [%0 + 12], %4; ");
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
