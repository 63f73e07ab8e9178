/* SPDX-License-Identifier: MIT */
/*
 * A top: whole numbers of which the largest is wanted, the first part's, and among equal ones the
 * one whose second part is larger. A mapping defines how its set of workers agrees:
 *     set_top  everybody gets the largest of everybody's, of which `later` more are to come in
 *              this row; VEC of them each
 */
#if defined PLACES && !KEY_BITS
#define TOP_PARTS 2 /* a number and its column */
#else
#define TOP_PARTS 1
#endif
#define EACH_PART(p) UNROLL for (uint p = 0; p < TOP_PARTS; p++)

/* As wide as a real, so that parts go where reals go. */
#if REAL_IS_F64
typedef CAT(ulong, WIDTH) real_bits;
#define AS_BITS(v) CAT(as_ulong, WIDTH)(v)
#define AS_REAL(bits) CAT(as_double, WIDTH)(bits)
#define TO_BITS(v) TO(ulong, v)
#define SIGN_BIT 63
#else
typedef real_u32 real_bits;
#define AS_BITS AS_U32
#define AS_REAL AS_F32
#define TO_BITS(v) (v)
#define SIGN_BIT 31
#endif

struct top {
    real_bits part[TOP_PARTS];
};

INLINE struct top set_top(struct top top, uint later, __local real *scratch);

static real_bits larger_bits(real_bits a, real_bits b)
{
    return b > a ? b : a;
}

static struct top top_of(struct top a, struct top b)
{
#if TOP_PARTS == 2
    real_bits same = larger_bits(a.part[1], b.part[1]);
    a.part[1] = a.part[0] > b.part[0] ? a.part[1] : a.part[0] < b.part[0] ? b.part[1] : same;
#endif
    a.part[0] = larger_bits(a.part[0], b.part[0]);
    return a;
}

/* Reals are in the same order as these bits; -0 and 0 are one. */
static real_bits ordered(real v)
{
    real_bits bits = AS_BITS(v == (real)0 ? (real)0 : v);
    return bits ^ (((real_bits)0 - (bits >> SIGN_BIT)) | (real_bits)1 << SIGN_BIT);
}

static real of_ordered(real_bits bits)
{
    real_bits other = ~bits;
    return AS_REAL(bits ^ (((real_bits)0 - (other >> SIGN_BIT)) | (real_bits)1 << SIGN_BIT));
}

INLINE void top_put(struct top top, __local real *to, uint step)
{
    EACH_PART (p)
        to[p * step] = AS_REAL(top.part[p]);
}

INLINE struct top top_get(const __local real *from, uint step)
{
    struct top top;
    EACH_PART (p)
        top.part[p] = AS_BITS(from[p * step]);
    return top;
}

#if LANES_BY != LANES_NONE
#if LANES_SWAP
/* Of `lanes` neighbours' numbers, the largest of those a multiple of `apart` away; both are powers
 * of two. */
INLINE real_bits apart_most(real_bits v, uint lanes, uint apart, __local real *scratch)
{
    UNROLL for (uint d = lanes / 2; d >= apart; d /= 2)
        v = larger_bits(v, AS_BITS(lanes_swap(AS_REAL(v), d, scratch)));
    return v;
}
#endif

/* Is the largest of all lanes' numbers one step? */
#define MOST_AT_ONCE (LANES_BY == LANES_PTX && !REAL_IS_F64)

/* The largest of `lanes` neighbours' numbers, a power of two, or of all lanes' where that is all
 * there is. */
INLINE real_bits cluster_most(real_bits v, uint lanes, __local real *scratch)
{
#if LANES_BY == LANES_KHR
    return sub_group_reduce_max(v);
#elif LANES_BY == LANES_VECTOR
#define STEP(d) v = larger_bits(v, SWAP_##d(v));
    EACH_SWAP(STEP)
#undef STEP
    return v;
#elif LANES_BY == LANES_LOCAL /* one exchange, where each has two barriers */
    uint i = get_local_id(0), set = i / lanes * lanes;
    scratch[i] = AS_REAL(v);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < lanes; k++)
        v = larger_bits(v, AS_BITS(scratch[set + k]));
    barrier(CLK_LOCAL_MEM_FENCE);
    return v;
#else
#if MOST_AT_ONCE
    if (lanes == LANES)
        return ptx_most(v);
#endif
    return apart_most(v, lanes, 1, scratch);
#endif
}

INLINE struct top cluster_top(struct top top, uint lanes, __local real *scratch)
{
    struct top most;
    most.part[0] = cluster_most(top.part[0], lanes, scratch);
#if TOP_PARTS == 2
    top.part[1] = top.part[0] == most.part[0] ? top.part[1] : (real_bits)0;
    most.part[1] = cluster_most(top.part[1], lanes, scratch);
#endif
    return most;
}

#define lanes_most(v, scratch) cluster_most(v, LANES, scratch)
#define lanes_top(top, scratch) cluster_top(top, LANES, scratch)
#endif
