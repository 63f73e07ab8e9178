/* SPDX-License-Identifier: MIT */
/*
 * Rows in memory to vectors whose lanes are rows, and back, four words at a time: four
 * vectors, of which the one of number k has four neighbours each of the rows k, k + 4, ...,
 * become one for each of the four, with a row in each lane. The same steps lead back. A word
 * is a column, or two of 16 bits.
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

/* Four neighbours, or pairs of them, wherever they stand. */
typedef float4 four_float __attribute__((aligned(4)));
typedef ushort4 four_ushort __attribute__((aligned(2)));
typedef float4 four_pair __attribute__((aligned(2)));
#define four(type, p, k) (*(const __global four_##type *)((p)[k] + c))
#define SHORTS(p, k) ((real_u16)FOURS(ushort, p, k))

/* Columns c to c + 3 of all rows. */
#define READ_4(T, FROM)                                                                  \
    INLINE void read_4_##T(const __global mem_##T *const *p, uint c, real *v)            \
    {                                                                                    \
        UNROLL for (uint k = 0; k < 4; k++)                                              \
            v[k] = FROM;                                                                 \
        turn(v);                                                                         \
    }
READ_4(f32, (real)FOURS(float, p, k))
READ_4(f16, f16_reals(SHORTS(p, k)))
READ_4(bf16, bf16_reals(SHORTS(p, k)))

/* Columns c to c + 7: two neighbours of 16 bits are a word. */
#define READ_8(T, EVEN, ODD)                                                             \
    INLINE void read_8_##T(const __global mem_##T *const *p, uint c, real *v)            \
    {                                                                                    \
        real pairs[4];                                                                   \
        UNROLL for (uint k = 0; k < 4; k++)                                              \
            pairs[k] = (real)FOURS(pair, p, k);                                          \
        turn(pairs);                                                                     \
        UNROLL for (uint k = 0; k < 4; k++)                                              \
        {                                                                                \
            real_u32 bits = AS_U32(pairs[k]);                                            \
            v[2 * k] = EVEN;                                                             \
            v[2 * k + 1] = ODD;                                                          \
        }                                                                                \
    }
READ_8(f16, f16_reals(TO_U16(bits & 0xffffu)), f16_reals(TO_U16(bits >> 16)))
READ_8(bf16, AS_F32(bits << 16), AS_F32(bits & 0xffff0000u))

/* All columns. Those that are left over from so many at once come with the ones before them; where
 * there are none before, with what is behind the row, if that is `safe` to read. */
#define READ_ROWS(T, AT_ONCE)                                                            \
    OUTLINE void read_each_##T(const __global mem_##T *const *p, real *v)                \
    {                                                                                    \
        ROLLED for (uint k = 0; k < COLS; k++)                                           \
        {                                                                                \
            SCALAR lane[VEC];                                                            \
            ROLLED for (uint i = 0; i < VEC; i++)                                        \
                lane[i] = get_##T(p[i] + k);                                             \
            v[k] = FROM_LANES(lane);                                                     \
        }                                                                                \
    }                                                                                    \
    INLINE void read_rows_##T(const __global mem_##T *const *p, bool safe, real *v)      \
    {                                                                                    \
        enum { WHOLE = COLS / AT_ONCE * AT_ONCE };                                       \
        enum { LAST = COLS < AT_ONCE ? 0 : COLS - AT_ONCE };                             \
        FOUR_BY_FOUR for (uint c = 0; c < WHOLE; c += AT_ONCE)                           \
            CAT(CAT(read_, AT_ONCE), _##T)(p, c, v + c);                                 \
        if (WHOLE == COLS)                                                               \
            return;                                                                      \
        if (WHOLE == 0 && !safe) {                                                       \
            read_each_##T(p, v);                                                         \
            return;                                                                      \
        }                                                                                \
        real last[AT_ONCE];                                                              \
        CAT(CAT(read_, AT_ONCE), _##T)(p, LAST, last);                                   \
        UNROLL for (uint k = WHOLE; k < COLS; k++)                                       \
            v[k] = last[k - LAST];                                                       \
    }
#if COLS > 4
#define PAIRS_PAY 1
#define SHORTS_AT_ONCE 8
#else
#define PAIRS_PAY 0
#define SHORTS_AT_ONCE 4
#endif
READ_ROWS(f32, 4)
READ_ROWS(f16, SHORTS_AT_ONCE)
READ_ROWS(bf16, SHORTS_AT_ONCE)

/* The bits of two neighbours. */
INLINE real_u32 joined_f16(real low, real high)
{
    return TO_U32(f16_bits(low)) | TO_U32(f16_bits(high)) << 16;
}

INLINE real_u32 joined_bf16(real low, real high)
{
#if X86_BF16 && FLUSHES
    return x86_bf16_words(low, high);
#else
    return TO_U32(pack_bf16(low)) | TO_U32(pack_bf16(high)) << 16;
#endif
}

/* `KEPT_AT_ONCE` columns of all rows, which stand COLS apart at `to`; rows in their order, since
 * they may be shorter. */
#if CAT(BYTES_, Y) == 2 && PAIRS_PAY
#define KEPT_AT_ONCE 8
typedef uint4 four_kept __attribute__((aligned(2)));
typedef real_u32 kept;
#define BEFORE_TURN(v, k) AS_F32(CAT(joined_, Y)((v)[2 * (k)], (v)[2 * (k) + 1]))
#define AFTER_TURN(v) AS_U32(v)
#else
#define KEPT_AT_ONCE 4
#if CAT(BYTES_, Y) == 2
typedef four_ushort four_kept;
#else
typedef uint4 four_kept __attribute__((aligned(4)));
#endif
typedef line_y kept;
#define BEFORE_TURN(v, k) (v)[k]
#define AFTER_TURN(v) CAT(bits_, Y)(v)
#endif
#define KEEP(k, j, part) *(__local four_kept *)(to + (k + j) * COLS) = bits[k].part;
#define KEEP_FOUR(j, part) KEEP(0, j, part) KEEP(1, j, part) KEEP(2, j, part) KEEP(3, j, part)
INLINE void keep_columns(const real *v, __local word_y *to)
{
    real turned[4];
    UNROLL for (uint k = 0; k < 4; k++)
        turned[k] = BEFORE_TURN(v, k);
    turn(turned);
    kept bits[4];
    UNROLL for (uint k = 0; k < 4; k++)
        bits[k] = AFTER_TURN(turned[k]);
    QUARTERS(KEEP_FOUR)
}
