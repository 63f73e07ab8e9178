/* SPDX-License-Identifier: MIT */
/*
 * What AVX-512 has an instruction for and OpenCL C no function, for vectors of 16. Clang says
 * what the processor has, older ones of builtins only whether they know them. Each has its
 * portable twin where it is used.
 */
#ifndef HAS_X86_BF16
#define HAS_X86_BF16 0
#endif
#if VEC == 16 && defined __has_builtin && !REAL_IS_F64
typedef float x86_reals __attribute__((vector_size(64)));
typedef short x86_words __attribute__((vector_size(32)));
typedef char x86_bytes __attribute__((vector_size(16)));
#define X86_REALS(v) __builtin_astype(v, x86_reals)
#define X86_WORDS(v) __builtin_astype(v, x86_words)
#define X86_BYTES(v) __builtin_astype(v, x86_bytes)
#define X86_ALL ((short)-1) /* lanes */
#define X86_AS_SET 4        /* rounding */
#define X86_NEAREST 0
#define X86_DOWN 1

/* Vectors of f16 at once: PoCL's vload_half16 and vstore_half16 turn halves of them. */
#if defined __AVX512F__ && __has_builtin(__builtin_ia32_vcvtph2ps512_mask) &&            \
    __has_builtin(__builtin_ia32_vcvtps2ph512_mask)
#define X86_F16 1
static float16 x86_f16_reals(ushort16 bits)
{
    x86_reals v = __builtin_ia32_vcvtph2ps512_mask(X86_WORDS(bits), X86_REALS((float16)0),
                                                   X86_ALL, X86_AS_SET);
    return __builtin_astype(v, float16);
}

static ushort16 x86_f16_bits(float16 v)
{
    x86_words bits = __builtin_ia32_vcvtps2ph512_mask(X86_REALS(v), X86_NEAREST,
                                                      X86_WORDS((ushort16)0), X86_ALL);
    return __builtin_astype(bits, ushort16);
}
#endif

/* The first `count` of a vector, fewer than all; what follows them in memory is not touched. */
#if defined __AVX512BW__ && defined __AVX512VL__ && X86_F16 &&                           \
    __has_builtin(__builtin_ia32_loadups512_mask) &&                                     \
    __has_builtin(__builtin_ia32_storeups512_mask) &&                                    \
    __has_builtin(__builtin_ia32_loaddquhi256_mask) &&                                   \
    __has_builtin(__builtin_ia32_loaddquqi128_mask) &&                                   \
    __has_builtin(__builtin_ia32_storedquhi256_mask)
#define X86_PART 1
#define X86_FIRST(count) ((short)((1u << (count)) - 1)) /* lanes */
static float16 x86_load_floats(const __global void *p, uint count)
{
    x86_reals v = __builtin_ia32_loadups512_mask((const float *)(size_t)p,
                                                 X86_REALS((float16)0), X86_FIRST(count));
    return __builtin_astype(v, float16);
}

static ushort16 x86_load_words(const __global void *p, uint count)
{
    x86_words v = __builtin_ia32_loaddquhi256_mask((const x86_words *)(size_t)p,
                                                   X86_WORDS((ushort16)0), X86_FIRST(count));
    return __builtin_astype(v, ushort16);
}

static uchar16 x86_load_bytes(const __global void *p, uint count)
{
    x86_bytes v = __builtin_ia32_loaddquqi128_mask(
        (const x86_bytes *)(size_t)p, X86_BYTES((uchar16)0), X86_FIRST(count));
    return __builtin_astype(v, uchar16);
}

static void x86_store_floats(float16 v, __global void *p, uint count)
{
    __builtin_ia32_storeups512_mask((float *)(size_t)p, X86_REALS(v), X86_FIRST(count));
}

static void x86_store_words(ushort16 v, __global void *p, uint count)
{
    __builtin_ia32_storedquhi256_mask((x86_words *)(size_t)p, X86_WORDS(v), X86_FIRST(count));
}
#endif

/* Two vectors to nearest even; a NaN becomes quiet, and what is subnormal 0. The host may know of
 * the instruction (HAS_X86_BF16) where the driver's compiler takes the processor for an older one.
 * Where inline assembly ends up in the kernel itself, PoCL 5 and 6 take it for a call of their own
 * when they are asked for the program's binary, and abort: what uses it is out of line. */
#if defined __AVX512BF16__ && __has_builtin(__builtin_ia32_cvtne2ps2bf16_512)
#define X86_BF16 1
static uint16 x86_bf16_pair(float16 low, float16 high)
{
    return __builtin_astype(
        __builtin_ia32_cvtne2ps2bf16_512(X86_REALS(high), X86_REALS(low)), uint16);
}
#elif defined __AVX512BW__ && HAS_X86_BF16
#define X86_BF16 1
static uint16 x86_bf16_pair(float16 low, float16 high)
{
    x86_reals both;
    __asm__("vcvtne2ps2bf16 %2, %1, %0" : "=v"(both) : "v"(X86_REALS(high)), "v"(X86_REALS(low)));
    return __builtin_astype(both, uint16);
}
#endif

#if X86_BF16
static ushort16 x86_bf16_bits(float16 v)
{
    return __builtin_astype(x86_bf16_pair(v, v).lo, ushort16);
}

/* The bits of `low` in the lower half of each word, those of `high` in the upper. */
typedef ushort x86_halves __attribute__((ext_vector_type(32)));
static uint16 x86_bf16_words(float16 low, float16 high)
{
    x86_halves both = __builtin_astype(x86_bf16_pair(low, high), x86_halves);
    return __builtin_astype(
        __builtin_shufflevector(both, both, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23,
                                8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31),
        uint16);
}

/* Both halves of a line. */
static void x86_bf16_parts(const float16 *v, ushort16 *part)
{
    uint16 both = x86_bf16_pair(v[0], v[1]);
    part[0] = __builtin_astype(both.lo, ushort16);
    part[1] = __builtin_astype(both.hi, ushort16);
}
#endif

/* What t is above the next integer below, and v times 2 to the power of that; t may be infinite. */
#if defined __AVX512DQ__ && __has_builtin(__builtin_ia32_reduceps512_mask) &&            \
    __has_builtin(__builtin_ia32_scalefps512_mask)
#define X86_POWER 1
static float16 fraction(float16 t)
{
    x86_reals v = X86_REALS(t);
    return __builtin_astype(__builtin_ia32_reduceps512_mask(v, X86_DOWN, v, X86_ALL, X86_AS_SET),
                            float16);
}

static float16 times_power(float16 v, float16 t)
{
    x86_reals u = X86_REALS(v);
    return __builtin_astype(
        __builtin_ia32_scalefps512_mask(u, X86_REALS(t), u, X86_ALL, X86_AS_SET), float16);
}
#endif

/* Of 32 numbers, in two vectors, those that the lowest 5 bits of each of `of` tell. */
#if defined __AVX512F__ && __has_builtin(__builtin_ia32_vpermi2vard512)
#define X86_TABLE 1
#define X86_ENTRIES(...) (uint16)(__VA_ARGS__)
typedef int x86_ints __attribute__((vector_size(64)));
#define X86_INTS(v) __builtin_astype(v, x86_ints)
static uint16 x86_entry(uint16 of, uint16 low, uint16 high)
{
    return __builtin_astype(
        __builtin_ia32_vpermi2vard512(X86_INTS(low), X86_INTS(of), X86_INTS(high)), uint16);
}
#endif
#endif

#ifndef X86_F16
#define X86_F16 0
#endif
#ifndef X86_PART
#define X86_PART 0
#endif
#ifndef X86_BF16
#define X86_BF16 0
#endif
#ifndef X86_TABLE
#define X86_TABLE 0
#endif
#ifndef X86_POWER
#define X86_POWER 0
#endif
