/* SPDX-License-Identifier: MIT */
/*
 * Lanes: workers that can exchange values without a barrier. LANES_BY says how:
 *
 *     LANES_KHR     cl_khr_subgroups, any size the device has
 *     LANES_INTEL   cl_intel_subgroups with the required size LANES
 *     LANES_PTX     NVIDIA's warps, which OpenCL does not show: shuffles in inline PTX
 *     LANES_LOCAL   LANES neighbours through local memory: the portable twin, by which the
 *                   other ways' mappings run (slowly) and are tested on every device
 *     LANES_VECTOR  the elements of one work-item's vector
 *
 * Each gives lanes_size, lane_id, lanes_id (which of the work-group's sets of lanes),
 * lanes_count (how many sets), lanes_max, lanes_any and lanes_sum. Where two lanes can swap values,
 * LANES_SWAP, the same goes for clusters of neighbouring lanes. All work-items of a
 * work-group must call together.
 */
#define LANES_NONE 0
#define LANES_KHR 1
#define LANES_INTEL 2
#define LANES_PTX 3
#define LANES_LOCAL 4
#define LANES_VECTOR 5

#ifndef LANES_BY
#define LANES_BY LANES_NONE
#endif
#ifndef LANES
#define LANES 32
#endif
#define LANES_ATTRIBUTE
#define LANES_SCRATCH 0 /* reals of local memory at the start of scratch */
#define LANES_SWAP (LANES_BY >= LANES_INTEL && LANES_BY != LANES_VECTOR)
#define LANES_ALONE

/* Two lanes' sums: both of them come to the same bits. */
static struct pair lanes_sum_of(struct pair s, struct pair other)
{
    struct pair sum = {s.hi, (real)0};
    sum = pair_add(sum, other.hi);
    sum.lo += s.lo + other.lo;
    return sum;
}

#if LANES_BY == LANES_KHR || LANES_BY == LANES_INTEL
#if LANES_BY == LANES_KHR
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#else
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#undef LANES_ATTRIBUTE
#define LANES_ATTRIBUTE __attribute__((intel_reqd_sub_group_size(LANES)))
#endif
#define lanes_size() get_sub_group_size()
#define lane_id() get_sub_group_local_id()
#define lanes_id() get_sub_group_id()
#define lanes_count() get_num_sub_groups()
#define lanes_max(v, scratch) sub_group_reduce_max(v)
#if LANES_BY == LANES_INTEL /* not a reduction, whose order is not known, and with it the error */
#define lanes_add(v, scratch) cluster_add(v, LANES, scratch)
#define lanes_sum(s, scratch) cluster_sum(s, LANES, scratch)
#define lanes_swap(v, distance, scratch) intel_sub_group_shuffle_xor(v, distance)
#else
#define lanes_add(v, scratch) sub_group_reduce_add(v)
#endif

#elif LANES_BY != LANES_NONE
#define lanes_size() ((uint)LANES)
#define lane_id() ((uint)get_local_id(0) % LANES)
#define lanes_id() ((uint)get_local_id(0) / LANES)
#define lanes_count() ((uint)get_local_size(0) / LANES)

#if LANES_BY == LANES_PTX
#define lanes_any(v, scratch) ptx_any(v)

INLINE real lanes_swap(real v, uint distance, __local real *scratch)
{
#if REAL_IS_F64
    float2 halves = as_float2(v);
    halves.x = ptx_swap(halves.x, distance);
    halves.y = ptx_swap(halves.y, distance);
    return as_double(halves);
#else
    return ptx_swap(v, distance);
#endif
}
#elif LANES_BY == LANES_LOCAL
#undef LANES_SCRATCH
#define LANES_SCRATCH WG
/* PoCL 3.1 turns work-items into one loop, and LLVM's vectoriser got exponentials of a row's
 * maximum and its sink wrong there, and who ends a row; what is volatile it leaves alone. */
#undef LANES_ALONE
#define LANES_ALONE volatile
INLINE real lanes_swap(real v, uint distance, __local real *scratch)
{
    uint i = get_local_id(0);
    scratch[i] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    real other = scratch[i ^ distance];
    barrier(CLK_LOCAL_MEM_FENCE);
    return other;
}
#else
#if VEC == 16
#define SWAP_8(v) (v).s89abcdef01234567
#define SWAP_4(v) (v).s45670123cdef89ab
#define SWAP_2(v) (v).s23016745ab89efcd
#define SWAP_1(v) (v).s1032547698badcfe
#elif VEC == 8
#define SWAP_4(v) (v).s45670123
#define SWAP_2(v) (v).s23016745
#define SWAP_1(v) (v).s10325476
#else
#define SWAP_2(v) (v).s2301
#define SWAP_1(v) (v).s1032
#endif
/* Written out: LLVM left the loops below with a branch for each distance. */
#if VEC == 16
#define EACH_SWAP(STEP) STEP(8) STEP(4) STEP(2) STEP(1)
#elif VEC == 8
#define EACH_SWAP(STEP) STEP(4) STEP(2) STEP(1)
#else
#define EACH_SWAP(STEP) STEP(2) STEP(1)
#endif

INLINE real lanes_max(real v, __local real *scratch)
{
#define STEP(d) v = real_max(v, SWAP_##d(v));
    EACH_SWAP(STEP)
#undef STEP
    return v;
}

INLINE real lanes_add(real v, __local real *scratch)
{
#define STEP(d) v += SWAP_##d(v);
    EACH_SWAP(STEP)
#undef STEP
    return v;
}

INLINE struct pair lanes_sum(struct pair s, __local real *scratch)
{
#define STEP(d)                                                                          \
    {                                                                                    \
        struct pair other = {SWAP_##d(s.hi), SWAP_##d(s.lo)};                            \
        s = lanes_sum_of(s, other);                                                      \
    }
    EACH_SWAP(STEP)
#undef STEP
    return s;
}
#endif

#if LANES_BY != LANES_VECTOR
#define lanes_max(v, scratch) cluster_max(v, LANES, scratch)
#define lanes_add(v, scratch) cluster_add(v, LANES, scratch)
#define lanes_sum(s, scratch) cluster_sum(s, LANES, scratch)
#endif
#endif

#if LANES_SWAP
/* `lanes` neighbours, a power of two, exchange what they have. Both of a pair of lanes do
 * the same sum in the same order, so that all come to the same bits. */
INLINE real cluster_max(real v, uint lanes, __local real *scratch)
{
    UNROLL for (uint d = lanes / 2; d > 0; d /= 2)
        v = real_max(v, lanes_swap(v, d, scratch));
    return v;
}

INLINE real cluster_add(real v, uint lanes, __local real *scratch)
{
    UNROLL for (uint d = lanes / 2; d > 0; d /= 2)
        v += lanes_swap(v, d, scratch);
    return v;
}

INLINE struct pair cluster_sum(struct pair s, uint lanes, __local real *scratch)
{
    UNROLL for (uint d = lanes / 2; d > 0; d /= 2)
    {
        struct pair other = {lanes_swap(s.hi, d, scratch), lanes_swap(s.lo, d, scratch)};
        s = lanes_sum_of(s, other);
    }
    return s;
}
#endif

#ifndef lanes_any
#define lanes_any(v, scratch) (lanes_max((v) ? (real)1 : (real)0, scratch) > (real)0)
#endif

#if LANES_BY == LANES_KHR
/* The sum of all lanes' pairs with plain reductions only. Adding and taking away `grid`
 * rounds each hi to one common grid on which their sum is exact in any order; what the
 * rounding cut off goes to lo. Large numbers are made smaller first, or the grid would be
 * infinite. Source: Rump, Ogita, Oishi, SIAM J. Sci. Comput. 31 (2008). */
INLINE struct pair lanes_sum(struct pair s, __local real *scratch)
{
    real most = lanes_max(fabs(s.hi), scratch);
    bool large = most > (real)0x1p64f;
    real down = large ? (real)0x1p-32f : (real)1, up = large ? (real)0x1p32f : (real)1;
    real grid = most * down * (real)(SCALAR)(2 * lanes_size());
    real exact = s.hi * down, hi = (exact + grid) - grid;
    s.lo = lanes_add(s.lo * down + (exact - hi), scratch) * up;
    s.hi = lanes_add(hi, scratch) * up;
    return s;
}
#endif
