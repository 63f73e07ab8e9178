/* SPDX-License-Identifier: MIT */
/*
 * A row's way to memory and back on a CPU: what is read soon is announced, and whole lines are
 * written past the caches where the caller says so, without being read first. A line is
 * written one way only: where both meet in one, it travels twice. Compilers without these
 * functions read and write as ever.
 */
#ifndef READ_SOON
#define READ_SOON 0 /* 1: y is kept in the caches in any case */
#endif
#ifndef PAST_BYTES
#define PAST_BYTES 50331648 /* x and y in all, from which on y goes past the caches */
#endif

#ifdef __has_builtin
#if __has_builtin(__builtin_prefetch)
#define announce_far(p) __builtin_prefetch(p, 0, 2)  /* to the last level */
#define announce_near(p) __builtin_prefetch(p, 0, 3) /* to the first one */
#endif
#if __has_builtin(__builtin_nontemporal_store)
#define past_caches(v, p) __builtin_nontemporal_store(v, p)
#endif
#endif
#ifndef announce_far
#define announce_far(p)
#define announce_near(p)
#endif
#ifndef past_caches
#define past_caches(v, p) (*(p) = (v))
#endif

enum {
    LINE_BYTES = 64,
    ALIAS_BYTES = 4096, /* a load waits for a store before it that stands a multiple of this apart */
    Y_LINE = LINE_BYTES / sizeof(mem_y), /* elements */
    FAR_BYTES = 4096,
    NEAR_BYTES = 1024
};

/* Do the rows and their results leave no room in the caches for each other? */
INLINE bool is_large(struct shape shape)
{
    ulong each = sizeof(mem_x) + sizeof(mem_y);
    return !READ_SOON && shape.rows * shape.cols * each > PAST_BYTES;
}

/* Elements from p on before the first whole line. */
INLINE uint before_line(const __global mem_y *p)
{
    return (uint)(-(size_t)p % LINE_BYTES / sizeof(mem_y));
}

#if !REAL_IS_F64
/* To nearest, ties either way: v beside 2^16 times itself keeps as many digits as a bf16 has. What
 * is subnormal is cut off. */
INLINE real_u16 short_bf16(real v)
{
    real high = FMA(v, (real)-65536.0f, v * 65537.0f);
    return TO_U16(AS_U32(high) >> 16);
}
#endif

/* The bits of v as they stand in memory. */
#define bits_f32(v) AS_U32(v)
#if X86_BF16 && FLUSHES
#define bits_bf16(v) x86_bf16_bits(v)
#define number_bits_bf16(v) x86_bf16_bits(v)
#define PAIRED_bf16 1
#else
#define PAIRED_bf16 0
#define bits_bf16(v) pack_bf16(v)
#define number_bits_bf16(v) short_bf16(v)
#endif
#define bits_f16(v) f16_bits(v)
/* The same of numbers below 2^111, and of NaN. */
#define number_bits_f32(v) AS_U32(v)
#define number_bits_f16(v) f16_bits(v)
#define word_f32 uint
#define word_f16 ushort
#define word_bf16 ushort
typedef CAT(word_, Y) word_y;
typedef real_u32 line_f32;
typedef real_u16 line_f16, line_bf16;
typedef CAT(line_, Y) line_y; /* a line has LINE_PARTS of them */
#define BYTES_f32 4
#define BYTES_f16 2
#define BYTES_bf16 2
#define LINE_PARTS (LINE_BYTES / (VEC * CAT(BYTES_, Y)))
#if VEC * CAT(BYTES_, Y) == 64
#define WHOLE_LINE(part) as_uint16((part)[0])
#elif VEC * CAT(BYTES_, Y) == 32
#define WHOLE_LINE(part) ((uint16)(as_uint8((part)[0]), as_uint8((part)[1])))
#elif VEC * CAT(BYTES_, Y) == 16
#define QUARTER(part, k) as_uint4((part)[k])
#define WHOLE_LINE(part)                                                                 \
    ((uint16)(QUARTER(part, 0), QUARTER(part, 1), QUARTER(part, 2), QUARTER(part, 3)))
#else
#define QUARTER(part, k) ((uint4)(as_uint2((part)[k]), as_uint2((part)[(k) + 1])))
#define WHOLE_LINE(part)                                                                 \
    ((uint16)(QUARTER(part, 0), QUARTER(part, 2), QUARTER(part, 4), QUARTER(part, 6)))
#endif

/* The same of a line's vectors, by bits_ or number_bits_. */
#define PAIRED_f32 0
#define PAIRED_f16 0
#if CAT(PAIRED_, Y)
#define LINE_BITS(bits, v, part) x86_bf16_parts(v, part)
#else
#define LINE_BITS(bits, v, part)                                                         \
    UNROLL for (uint n = 0; n < LINE_PARTS; n++)                                         \
        (part)[n] = CAT(bits, Y)((v)[n])
#endif

/* A whole line. Past the caches all of it at once: of a part that an instruction narrows and
 * stores LLVM forgets the way past them, and half a line each way costs a CPU the line's way to
 * memory and back. Into them in parts that it does not take for the same store. */
INLINE void line_store(const line_y *part, __global mem_y *p, bool past)
{
    if (past) {
        past_caches(WHOLE_LINE(part), (__global uint16 *)p);
    } else if (LINE_PARTS == 1) {
        ((__global uint8 *)p)[0] = WHOLE_LINE(part).lo;
        ((__global uint8 *)p)[1] = WHOLE_LINE(part).hi;
    } else {
        UNROLL for (uint k = 0; k < LINE_PARTS; k++)
            ((__global line_y *)p)[k] = part[k];
    }
}

/* The same to local memory, at any element. */
#define keep_bits_f32(bits, p) STORE_U32(bits, __local, p)
#define keep_bits_f16(bits, p) STORE_U16(bits, __local, p)
#define keep_bits_bf16(bits, p) STORE_U16(bits, __local, p)

/* Whole lines that are ready in local memory. */
INLINE void lines_move(const __local uint16 *from, __global uint16 *to, uint count, bool past)
{
    if (past)
        for (uint k = 0; k < count; k++)
            past_caches(from[k], to + k);
    else
        for (uint k = 0; k < count; k++)
            to[k] = from[k];
}
