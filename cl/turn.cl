/* SPDX-License-Identifier: MIT */
/*
 * Rows in memory to vectors whose lanes are rows, and back, four columns at a time: four
 * vectors, of which the one of number k has four neighbours each of the rows k, k + 4, ...,
 * become one for each column, with a row in each lane. The same steps lead back.
 */
#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif
#endif
#if VEC == 16
#define LOW_OF 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define HIGH_OF 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define FOURS(type, p, k)                                                                \
    (four(type, p, k), four(type, p, k + 4), four(type, p, k + 8), four(type, p, k + 12))
#define QUARTERS(STEP) STEP(0, s0123) STEP(4, s4567) STEP(8, s89ab) STEP(12, scdef)
#elif VEC == 8
#define LOW_OF 0, 8, 1, 9, 4, 12, 5, 13
#define HIGH_OF 2, 10, 3, 11, 6, 14, 7, 15
#define FOURS(type, p, k) (four(type, p, k), four(type, p, k + 4))
#define QUARTERS(STEP) STEP(0, s0123) STEP(4, s4567)
#else
#define LOW_OF 0, 4, 1, 5
#define HIGH_OF 2, 6, 3, 7
#define FOURS(type, p, k) (four(type, p, k))
#define QUARTERS(STEP) STEP(0, s0123)
#endif
#ifndef MIX
#define MIX(a, b, ...) shuffle2(a, b, (real_u32)(__VA_ARGS__))
#endif
#define LOW(a, b) MIX(a, b, LOW_OF)
#define HIGH(a, b) MIX(a, b, HIGH_OF)

INLINE void turn(real *v)
{
    real a = LOW(v[0], v[2]), b = LOW(v[1], v[3]);
    real c = HIGH(v[0], v[2]), d = HIGH(v[1], v[3]);
    v[0] = LOW(a, b);
    v[1] = HIGH(a, b);
    v[2] = LOW(c, d);
    v[3] = HIGH(c, d);
}

/* Four neighbours, wherever they stand. */
typedef float4 four_float __attribute__((aligned(4)));
typedef uint4 four_uint __attribute__((aligned(4)));
typedef ushort4 four_ushort __attribute__((aligned(2)));
#define four(type, p, k) (*(const __global four_##type *)((p)[k] + c))

/* Four of columns c on of the rows k, k + 4, ..., each of which has an address. */
INLINE real fours_f32(const __global mem_f32 *const *p, uint k, uint c)
{
    return (real)FOURS(float, p, k);
}

INLINE real fours_f16(const __global mem_f16 *const *p, uint k, uint c)
{
    return f16_reals((real_u16)FOURS(ushort, p, k));
}

INLINE real fours_bf16(const __global mem_bf16 *const *p, uint k, uint c)
{
    return bf16_reals((real_u16)FOURS(ushort, p, k));
}

/* Columns c on of all rows, `count` of them, where no more may be read; and columns `first` to
 * COLS of all rows. */
#define READ_ROWS(T)                                                                     \
    OUTLINE void read_few_##T(const __global mem_##T *const *p, uint c, uint count,      \
                              real *v)                                                   \
    {                                                                                    \
        ROLLED for (uint k = 0; k < count; k++)                                          \
        {                                                                                \
            SCALAR lane[VEC];                                                            \
            ROLLED for (uint i = 0; i < VEC; i++)                                        \
                lane[i] = get_##T(p[i] + c + k);                                         \
            v[k] = FROM_LANES(lane);                                                     \
        }                                                                                \
    }                                                                                    \
    INLINE void read_four_##T(const __global mem_##T *const *p, uint c, real *v)         \
    {                                                                                    \
        UNROLL for (uint k = 0; k < 4; k++)                                              \
            v[k] = fours_##T(p, k, c);                                                   \
        turn(v);                                                                         \
    }                                                                                    \
    INLINE void read_from_##T(const __global mem_##T *const *p, uint first, bool safe,   \
                              real *v)                                                   \
    {                                                                                    \
        FOUR_BY_FOUR for (uint c = first; c < WHOLE_COLS; c += 4)                        \
            read_four_##T(p, c, v + c);                                                  \
        if (WHOLE_COLS < COLS) {                                                         \
            real last[4];                                                                \
            if (safe)                                                                    \
                read_four_##T(p, WHOLE_COLS, last);                                      \
            else                                                                         \
                read_few_##T(p, WHOLE_COLS, COLS - WHOLE_COLS, last);                    \
            UNROLL for (uint k = WHOLE_COLS; k < COLS; k++)                              \
                v[k] = last[k - WHOLE_COLS];                                             \
        }                                                                                \
    }
READ_ROWS(f32)
READ_ROWS(f16)
READ_ROWS(bf16)
#define read_rows_f32(p, safe, v) read_from_f32(p, 0, safe, v)
#define read_rows_f16(p, safe, v) read_from_f16(p, 0, safe, v)

/* Two neighbours of bf16 are a word of which each half is a number: eight columns at a time. */
typedef float4 four_pairs __attribute__((aligned(2)));
INLINE void read_eight_bf16(const __global mem_bf16 *const *p, uint c, real *v)
{
    real pairs[4];
    UNROLL for (uint k = 0; k < 4; k++)
        pairs[k] = (real)FOURS(pairs, p, k);
    turn(pairs);
    UNROLL for (uint k = 0; k < 4; k++)
    {
        real_u32 bits = AS_U32(pairs[k]);
        v[2 * k] = AS_F32(bits << 16);
        v[2 * k + 1] = AS_F32(bits & 0xffff0000u);
    }
}

enum { WHOLE_EIGHTS = COLS / 8 * 8 };
INLINE void read_rows_bf16(const __global mem_bf16 *const *p, bool safe, real *v)
{
    FOUR_BY_FOUR for (uint c = 0; c < WHOLE_EIGHTS; c += 8)
        read_eight_bf16(p, c, v + c);
    if (COLS - WHOLE_EIGHTS > 4 && safe) {
        real last[8];
        read_eight_bf16(p, WHOLE_EIGHTS, last);
        UNROLL for (uint k = WHOLE_EIGHTS; k < COLS; k++)
            v[k] = last[k - WHOLE_EIGHTS];
    } else if (WHOLE_EIGHTS < COLS)
        read_from_bf16(p, WHOLE_EIGHTS, safe, v);
}

/* Four columns of all rows, which stand COLS apart at `to`; rows in their order, since they
 * may be shorter than four. */
#define KEEP_f32(k, j, part) *(__local four_uint *)(to + (k + j) * COLS) = bits[k].part;
#define KEEP_f16(k, j, part) *(__local four_ushort *)(to + (k + j) * COLS) = bits[k].part;
#define KEEP_bf16 KEEP_f16
#define KEEP CAT(KEEP_, Y)
#define KEEP_FOUR(j, part) KEEP(0, j, part) KEEP(1, j, part) KEEP(2, j, part) KEEP(3, j, part)
INLINE void keep_four(real *v, __local word_y *to)
{
    line_y bits[4];
    turn(v);
    UNROLL for (uint k = 0; k < 4; k++)
        bits[k] = CAT(bits_, Y)(v[k]);
    QUARTERS(KEEP_FOUR)
}
