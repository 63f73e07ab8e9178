/* SPDX-License-Identifier: MIT */
/*
 * Packs of PACK neighbours, of a row 16 bytes of x, as 32-bit words: moved as they are, and
 * turned into reals and back in registers. All loops are unrolled, so that every index is a
 * constant and no array needs memory.
 */
#ifndef PACK
#define PACK (16 / (uint)sizeof(mem_x))
#endif
#define WORDS_OF(T) ((PACK * sizeof(T) + 3) / 4) /* of a pack */
enum { X_WORDS = WORDS_OF(mem_x), DY_WORDS = WORDS_OF(mem_dy), Y_WORDS = WORDS_OF(mem_y) };

/* Where a mapping says WHOLE_LOADS, the compiler may not read a pack in several pieces; nor where
 * there is more to be said of a load. */
#if HAS_PTX && (STAYS || defined WHOLE_LOADS)
#define LOAD_8(p) ptx_load_8(p)
#define LOAD_16(p) ptx_load_16(p)
#else
#define LOAD_8(p) (*(p))
#define LOAD_16(p) (*(p))
#endif

/* n words from an address that is a multiple of as many bytes, or of 16. */
INLINE void words_load(uint *w, uint n, const __global void *p)
{
    if (n == 1)
        w[0] = *(const __global uint *)p;
    else if (n == 2) {
        uint2 v = LOAD_8((const __global uint2 *)p);
        w[0] = v.x, w[1] = v.y;
    }
    UNROLL for (uint i = 0; i + 4 <= n; i += 4)
    {
        uint4 v = LOAD_16((const __global uint4 *)p + i / 4);
        w[i] = v.x, w[i + 1] = v.y, w[i + 2] = v.z, w[i + 3] = v.w;
    }
}

INLINE void words_store(const uint *w, uint n, __global void *p)
{
    if (n == 1)
        *(__global uint *)p = w[0];
    else if (n == 2)
        *(__global uint2 *)p = (uint2)(w[0], w[1]);
    UNROLL for (uint i = 0; i + 4 <= n; i += 4)
        ((__global uint4 *)p)[i / 4] = (uint4)(w[i], w[i + 1], w[i + 2], w[i + 3]);
}

/* A pack from elements of `bytes` bytes, each at an address of its own, `step` bytes apart. */
INLINE void words_gather(uint *w, uint bytes, const __global void *from, size_t step)
{
    const __global char *p = from;
    UNROLL for (uint k = 0; k < PACK; k++, p += step)
        if (bytes == 8) {
            w[2 * k] = ((const __global uint *)p)[0];
            w[2 * k + 1] = ((const __global uint *)p)[1];
        } else if (bytes == 4)
            w[k] = *(const __global uint *)p;
        else if (bytes == 2) {
            uint half_word = *(const __global ushort *)p;
            w[k / 2] = k % 2 ? half_word << 16 | w[k / 2] : half_word;
        } else {
            uint byte = *(const __global uchar *)p;
            w[k / 4] = k % 4 ? byte << 8 * (k % 4) | w[k / 4] : byte;
        }
}

/* A pack to where an element may start, each of `bytes` bytes: by words that stand at any
 * element, which a compiler takes apart last of all. */
typedef uint uint_at_2 __attribute__((aligned(2)));
INLINE void words_scatter(const uint *w, uint bytes, __global void *p)
{
    UNROLL for (uint i = 0; i < 2 * PACK; i++) /* a bound that is known here, see EACH_OF */
    {
        if (i < PACK * bytes / 4 && bytes == 2)
            ((__global uint_at_2 *)p)[i] = w[i];
        else if (i < PACK * bytes / 4)
            ((__global uint *)p)[i] = w[i];
    }
    if (PACK * bytes == 2) /* half a word */
        *(__global ushort *)p = (ushort)w[0];
}

/* Element k of a pack. */
#define word_f32(w, k) ((SCALAR)as_float((w)[k]))
#define word_bf16(w, k)                                                                  \
    ((SCALAR)as_float((k) % 2 ? (w)[(k) / 2] & 0xffff0000u : (w)[(k) / 2] << 16))
#define word_u8(w, k) ((w)[(k) / 4] >> 8 * ((k) % 4) & 0xffu)
#define word_f64(w, k) as_double((uint2)((w)[2 * (k)], (w)[2 * (k) + 1]))
#if HAS_PTX
#define word_f16(w, k) ((SCALAR)ptx_half((w)[(k) / 2], (k) % 2))
#else
INLINE float half_of(uint word, uint k)
{
    ushort bits = (ushort)(word >> (16 * k));
    return vload_half(0, (const half *)&bits);
}
#define word_f16(w, k) ((SCALAR)half_of((w)[(k) / 2], (k) % 2))
#endif

#define BITS_f32 32
#define BITS_f16 16
#define BITS_bf16 16
#define BITS_f64 64
#define X_IS_REAL (CAT(BITS_, X) == (REAL_IS_F64 ? 64 : 32))

/* Where two 16-bit numbers can be compared at once: the larger ones; NaN is passed over. */
#define WORD_MAX (HAS_PTX && CAT(BITS_, X) == 16)
#define word_max CAT(ptx_max_, X)
#define word_min CAT(ptx_min_, X) /* or NaN */

/* Word i of a pack that is nothing but -inf. */
#define minus_inf_f32(i) 0xff800000u
#define minus_inf_f16(i) 0xfc00fc00u
#define minus_inf_bf16(i) 0xff80ff80u
#define minus_inf_f64(i) ((i) % 2 ? 0xfff00000u : 0u)

/* Columns that a row, or a worker, has not got: -inf, or 0 where there is no maximum. */
#define FILL (OP_NEEDS_MAX ? -INFINITY : (SCALAR)0)
#define FILL_WORD(i) (OP_NEEDS_MAX ? CAT(minus_inf_, X)(i) : 0u)

/* A pack of reals as words. */
#define AFTER(k) ((k) + 1 < PACK ? (k) + 1 : (k)) /* a pack may be half a word */
INLINE void words_from_f32(uint *w, const real *v)
{
    UNROLL for (uint k = 0; k < PACK; k++)
        w[k] = as_uint((float)v[k]);
}

INLINE void words_from_f16(uint *w, const real *v)
{
    UNROLL for (uint k = 0; k < PACK; k += 2)
    {
#if HAS_PTX
        w[k / 2] = ptx_pack_f16((float)v[k], (float)v[AFTER(k)]);
#else
        ushort low, high;
        vstore_half_rte((float)v[k], 0, (half *)&low);
        vstore_half_rte((float)v[AFTER(k)], 0, (half *)&high);
        w[k / 2] = (uint)high << 16 | low;
#endif
    }
}

INLINE void words_from_bf16(uint *w, const real *v)
{
    UNROLL for (uint k = 0; k < PACK; k += 2)
#if HAS_PTX
        w[k / 2] = ptx_pack_bf16((float)v[k], (float)v[AFTER(k)]);
#else
        w[k / 2] = (uint)pack_bf16(v[AFTER(k)]) << 16 | pack_bf16(v[k]);
#endif
}

#if REAL_IS_F64
INLINE void words_from_f64(uint *w, const real *v)
{
    UNROLL for (uint k = 0; k < PACK; k++)
    {
        uint2 two = as_uint2(v[k]);
        w[2 * k] = two.x, w[2 * k + 1] = two.y;
    }
}
#endif
