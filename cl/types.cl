/* SPDX-License-Identifier: MIT */
/*
 * Types, loads and stores. X, Y and DY are the storage types of input, output and second
 * input (f32, f16, bf16, f64), MASK that of a mask (f32, f16, u8); `real` is what everything
 * is computed in: float, or double where one of them is f64 (REAL_IS_F64), or a vector of
 * VEC of these in mappings that have it.
 *
 * 16-bit floats are only stored: f16 through vload_half and vstore_half_rte, which are
 * core OpenCL C 1.2, and bf16 as the upper half of an f32.
 */
#ifndef X
#define X f32
#endif
#ifndef Y
#define Y f32
#endif
#ifndef DY
#define DY X
#endif
#ifndef MASK
#define MASK f32
#endif
#ifndef TARGET
#define TARGET int /* or long */
#endif
#ifndef REAL_IS_F64
#define REAL_IS_F64 0
#endif
#ifndef VEC
#define VEC 1
#endif

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

#if REAL_IS_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double mem_f64;
#define SCALAR double
#else
#define SCALAR float
#endif
typedef float mem_f32;
typedef half mem_f16;
typedef ushort mem_bf16;
typedef uchar mem_u8;
typedef CAT(mem_, X) mem_x;
typedef CAT(mem_, Y) mem_y;
typedef CAT(mem_, DY) mem_dy;
typedef CAT(mem_, MASK) mem_mask;

#if VEC == 1
#define WIDTH
#define LOAD_AS(words, p) (*(p))
#define STORE_AS(words, v, p) (*(p) = (v))
#else
#define WIDTH VEC
#define LOAD_AS(words, p) (*(const __global words *)(p))
#define STORE_AS(words, v, p) (*(__global words *)(p) = (v))
#endif

typedef CAT(SCALAR, WIDTH) real;
typedef CAT(float, WIDTH) real_f32;
typedef CAT(uint, WIDTH) real_u32;
typedef CAT(ushort, WIDTH) real_u16;
/* A CPU's convert_ functions may be calls, or one element after the other. */
#if VEC > 1 && defined __has_builtin
#if __has_builtin(__builtin_convertvector)
#define TO(type, v) __builtin_convertvector(v, CAT(type, WIDTH))
#endif
#endif
#ifndef TO
#define TO(type, v) CAT(CAT(convert_, type), WIDTH)(v)
#endif
#define TO_REAL(v) TO(SCALAR, v)
#define TO_F32(v) TO(float, v)
#define TO_U32(v) TO(uint, v)
#define TO_U16(v) TO(ushort, v)
#define AS_F32(v) CAT(as_float, WIDTH)(v)
#define AS_U32(v) CAT(as_uint, WIDTH)(v)
#define AS_S32(v) CAT(as_int, WIDTH)(v)

#if VEC > 1
/* Vectors at any element; vload and vstore leave LLVM several loads and stores of parts. */
typedef CAT(uchar, WIDTH) words_u8 __attribute__((aligned(1)));
typedef real_u16 words_u16 __attribute__((aligned(2)));
typedef real_f32 words_f32 __attribute__((aligned(4)));
typedef real_u32 words_u32 __attribute__((aligned(4)));
typedef real reals __attribute__((aligned(sizeof(SCALAR))));
#define STORE_U16(v, space, p) (*(space words_u16 *)(p) = (v))
#define STORE_U32(v, space, p) (*(space words_u32 *)(p) = (v))
#define STORE_REAL(v, space, p) (*(space reals *)(p) = (v))
#define LOAD_HELD(p) (*(const __local reals *)(p))
#endif

static real load_f32(const __global mem_f32 *p)
{
    return TO_REAL(LOAD_AS(words_f32, p));
}

/* Vectors of f16 by way of a variable: PoCL 3.1 takes any address of theirs for a multiple of
 * their size. */
#if VEC > 1
static real f16_reals(real_u16 bits)
{
#if X86_F16
    return x86_f16_reals(bits);
#else
    return TO_REAL(CAT(vload_half, VEC)(0, (const half *)&bits));
#endif
}
#endif

static real load_f16(const __global mem_f16 *p)
{
#if VEC == 1
    return TO_REAL(vload_half(0, p));
#else
    return f16_reals(LOAD_AS(words_u16, p));
#endif
}

static real bf16_reals(real_u16 bits)
{
    return TO_REAL(AS_F32(TO_U32(bits) << 16));
}

static real load_bf16(const __global mem_bf16 *p)
{
    return bf16_reals(LOAD_AS(words_u16, p));
}

static real load_u8(const __global mem_u8 *p)
{
    return TO_REAL(LOAD_AS(words_u8, p));
}

static void store_f32(real v, __global mem_f32 *p)
{
    STORE_AS(words_f32, TO_F32(v), p);
}

#if VEC > 1
static real_u16 f16_bits(real v)
{
#if X86_F16
    return x86_f16_bits(v);
#else
    real_u16 bits;
    CAT(CAT(vstore_half, VEC), _rte)(TO_F32(v), 0, (half *)&bits);
    return bits;
#endif
}
#endif

static void store_f16(real v, __global mem_f16 *p)
{
#if VEC == 1
    vstore_half_rte(TO_F32(v), 0, p);
#else
    STORE_U16(f16_bits(v), __global, p);
#endif
}

/* To nearest even, by adding just under half of what is cut off. A NaN is quiet, as arithmetic
 * leaves it; where the addition would turn its sign it stays as it is. */
static real_u16 pack_bf16(real v)
{
#if HAS_PTX && VEC == 1
    return (ushort)ptx_pack_bf16((float)v, 0.0f);
#endif
    real_u32 u = AS_U32(TO_F32(v)), rounded = u + 0x7fffu + ((u >> 16) & 1u);
    return TO_U16(((rounded ^ u) >= 0x80000000u ? u : rounded) >> 16);
}

static void store_bf16(real v, __global mem_bf16 *p)
{
#if VEC == 1
    *p = pack_bf16(v);
#else
    STORE_U16(pack_bf16(v), __global, p);
#endif
}

#if REAL_IS_F64
static real load_f64(const __global mem_f64 *p)
{
    return LOAD_AS(reals, p);
}

static void store_f64(real v, __global mem_f64 *p)
{
    STORE_AS(reals, v, p);
}
#endif

#define store_y CAT(store_, Y)

/* One element, as a SCALAR. */
#define get_f32(p) ((SCALAR) * (p))
#define get_f16(p) ((SCALAR)vload_half(0, p))
#define get_bf16(p) ((SCALAR)as_float((uint) * (p) << 16))
#define get_u8(p) ((SCALAR) * (p))
#define get_f64(p) (*(p))

/* One number of a vector whose elements are all the same. */
#if VEC == 1
#define FIRST(v) (v)
#else
#define FIRST(v) ((v).s0)
#endif

/* What a row has besides its elements: one number, or one for each lane where a vector's lanes
 * are rows, which is then a column of theirs. */
#ifndef ROW_PER_LANE
#define ROW_PER_LANE 0
#endif
#if ROW_PER_LANE
typedef real row_real;
typedef real_u32 row_uint;
typedef CAT(int, WIDTH) row_bool;
#define ROW_OF(v) (v)
#else
typedef SCALAR row_real;
typedef uint row_uint;
typedef bool row_bool;
#define ROW_OF(v) FIRST(v)
#endif

#if VEC == 4
#define LANE_IDS ((real)(0, 1, 2, 3))
#elif VEC == 8
#define LANE_IDS ((real)(0, 1, 2, 3, 4, 5, 6, 7))
#elif VEC == 16
#define LANE_IDS ((real)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#endif

/* The numbers of columns c, c + 1, ... as seen from column `from`. */
static real columns_from(uint c, long from)
{
#if VEC == 1 || ROW_PER_LANE
    return (real)(SCALAR)((long)c - from);
#else
    return (real)(SCALAR)((long)c - from) + LANE_IDS;
#endif
}

/* `yes` where column c, c + 1, ... is column `at`, and `no` elsewhere. */
static real pick(uint c, row_uint at, real yes, real no)
{
#if VEC == 1
    return c == at ? yes : no;
#elif ROW_PER_LANE
    return (row_uint)c == at ? yes : no;
#else
    return at - c < VEC ? (LANE_IDS == (real)(SCALAR)(at - c) ? yes : no) : no;
#endif
}

/* A vector as an array, and back. */
#if VEC == 1
#define TO_LANES(v, lane) ((lane)[0] = (v))
#define FROM_LANES(lane) ((lane)[0])
#else
#define TO_LANES(v, lane) (*(reals *)(lane) = (v))
#define FROM_LANES(lane) (*(const reals *)(lane))
#endif

/* The first `count` lanes. */
static void write_lanes(real v, uint count, __global SCALAR *to)
{
    SCALAR lane[VEC];
    TO_LANES(v, lane);
    for (uint i = 0; i < count; i++)
        to[i] = lane[i];
}

/* v in the first `left` lanes, `fill` in those past them; where rows are lanes, no matter what. */
static real upto(real v, uint left, real fill)
{
#if VEC == 1 || ROW_PER_LANE
    return v;
#else
    return left >= VEC ? v : (LANE_IDS < (real)(SCALAR)left ? v : fill);
#endif
}

/* A number that came as bits. */
static SCALAR number(ulong bits)
{
#if REAL_IS_F64
    return as_double(bits);
#else
    return as_float((uint)bits);
#endif
}

/* a is no NaN; one in b is passed over: the sum brings it back. */
static real real_max(real a, real b)
{
#if HAS_PTX
    return fmax(a, b);
#else
    return b > a ? b : a;
#endif
}

/* The smaller one, or NaN if b is; a is none, or HAS_PTX. */
static real real_min(real a, real b)
{
#if HAS_PTX && !REAL_IS_F64
    return ptx_min_nan(a, b);
#else
    return a < b ? a : b;
#endif
}
