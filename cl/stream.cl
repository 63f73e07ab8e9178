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

/* The bits of v as they stand in memory. */
#define bits_f32(v) AS_U32(v)
#define bits_bf16(v) pack_bf16(v)
#define bits_f16(v) f16_bits(v)
/* The same of numbers. */
#define number_bits_f32(v) AS_U32(v)
#define number_bits_f16(v) f16_bits(v)
#define number_bits_bf16(v) TO_U16(round_bf16(AS_U32(v)))
#define word_f32 uint
#define word_f16 ushort
#define word_bf16 ushort
typedef CAT(word_, Y) word_y;
#if VEC == 16
#define HALF_LINE CAT(CAT(word_, Y), 8)
#elif VEC == 8
#define HALF_LINE CAT(CAT(word_, Y), 4)
#else
#define HALF_LINE CAT(CAT(word_, Y), 2)
#endif
typedef real_u32 line_f32;
typedef real_u16 line_f16, line_bf16;
typedef CAT(line_, Y) line_y;

/* VEC elements of a whole line. In halves where they stay in the caches, so that LLVM does not
 * make one store of both ways, and that an ordinary one. */
INLINE void line_store(line_y bits, __global mem_y *p, bool past)
{
    if (past) {
        past_caches(bits, (__global line_y *)p);
    } else {
        ((__global HALF_LINE *)p)[0] = bits.lo;
        ((__global HALF_LINE *)p)[1] = bits.hi;
    }
}

/* The same to local memory, at any element. */
#define keep_bits_f32(bits, p) CAT(vstore, VEC)(bits, 0, p)
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
