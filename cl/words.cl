/* SPDX-License-Identifier: MIT */
/*
 * Packs of PACK neighbours of a row, 16 bytes of x, as 32-bit words: moved as they are, and
 * turned into reals and back in registers. All loops are unrolled, so that every index is a
 * constant and no array needs memory.
 */
enum {
    PACK = 16 / sizeof(mem_x),
    X_WORDS = 4,
    DY_WORDS = PACK * sizeof(mem_dy) / 4,
    Y_WORDS = PACK * sizeof(mem_y) / 4
};

/* n words from an address that is a multiple of as many bytes, or of 16. */
INLINE void words_load(uint *w, uint n, const __global void *p)
{
    if (n == 1)
        w[0] = *(const __global uint *)p;
    else if (n == 2) {
        uint2 v = *(const __global uint2 *)p;
        w[0] = v.x, w[1] = v.y;
    }
    UNROLL for (uint i = 0; i + 4 <= n; i += 4)
    {
        uint4 v = ((const __global uint4 *)p)[i / 4];
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

#define BITS_u8 8
#define BITS_f32 32
#define BITS_f16 16
#define BITS_bf16 16
#define BITS_f64 64
#define X_IS_REAL (CAT(BITS_, X) == (REAL_IS_F64 ? 64 : 32))

/* n words of a pack from elements that stand `step` apart, each at an address of its own. */
#define words_gather(w, n, T, p, step)                                                   \
    do {                                                                                 \
        UNROLL for (uint i_ = 0; i_ < (n); i_++)                                         \
            (w)[i_] = 0;                                                                 \
        UNROLL for (uint k_ = 0; k_ < PACK; k_++)                                        \
            CAT(word_set_, CAT(BITS_, T))(w, k_, (p) + k_ * (step));                     \
    } while (0)
#define word_set_8(w, k, p) ((w)[(k) / 4] |= (uint) * (p) << 8 * ((k) % 4))
#define word_set_16(w, k, p)                                                             \
    ((w)[(k) / 2] |= (uint) * (const __global ushort *)(p) << 16 * ((k) % 2))
#define word_set_32(w, k, p) ((w)[k] = *(const __global uint *)(p))
#define word_set_64(w, k, p)                                                             \
    ((w)[2 * (k)] = ((const __global uint *)(p))[0],                                     \
     (w)[2 * (k) + 1] = ((const __global uint *)(p))[1])

/* Where two 16-bit numbers can be compared at once: the larger ones; NaN is passed over. */
#define WORD_MAX (HAS_PTX && CAT(BITS_, X) == 16)
#define word_max CAT(ptx_max_, X)

/* Word i of a pack that is nothing but -inf. */
#define minus_inf_f32(i) 0xff800000u
#define minus_inf_f16(i) 0xfc00fc00u
#define minus_inf_bf16(i) 0xff80ff80u
#define minus_inf_f64(i) ((i) % 2 ? 0xfff00000u : 0u)

/* A pack of reals as words. */
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
        w[k / 2] = ptx_pack_f16((float)v[k], (float)v[k + 1]);
#else
        ushort low, high;
        vstore_half_rte((float)v[k], 0, (half *)&low);
        vstore_half_rte((float)v[k + 1], 0, (half *)&high);
        w[k / 2] = (uint)high << 16 | low;
#endif
    }
}

INLINE void words_from_bf16(uint *w, const real *v)
{
    UNROLL for (uint k = 0; k < PACK; k += 2)
#if HAS_PTX
        w[k / 2] = ptx_pack_bf16((float)v[k], (float)v[k + 1]);
#else
        w[k / 2] = (uint)pack_bf16(v[k + 1]) << 16 | pack_bf16(v[k]);
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
