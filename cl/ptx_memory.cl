/* SPDX-License-Identifier: MIT */
/*
 * Loads, stores, copies to local memory and messages between work-groups in inline PTX, as
 * ptx.cl has it, and how long what is read stays in the device's cache.
 */
/* Is a pack copied or stored in one step, whether it is there or not? In programs whose rows have
 * bounds that takes registers that are wanted otherwise. */
#define MOVED_IN_ONE (HAS_PTX && !BOUNDED)

#if HAS_PTX
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
 * order. */
static void ptx_ask(void)
{
    ptx_lanes_wait();
}

/* Four words to memory if they are `there`: as one if it fits, or in units of 2 or of 4 bytes.
 * One step, since compilers look longest at branches and at stores. What is asked is joined by
 * and.pred: in setp.and, ptxas (CUDA 13.0) loses q where it stays from one store to the next. */
#define PTX_STORE_16(UNITS)                                                              \
    __asm__ volatile("{.reg .pred p, q; .reg .b32 t; "                                   \
                     "setp.ne.u32 q, %5, 0; setp.ne.u32 p, %6, 0; and.pred p, p, q; "    \
                     "@p st.global.v4.u32 [%0], {%1, %2, %3, %4}; "                      \
                     "setp.eq.u32 p, %6, 0; and.pred p, p, q; @!p bra DONE; " UNITS      \
                     "DONE: }"                                                           \
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
#endif
