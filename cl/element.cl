/* SPDX-License-Identifier: MIT */
/*
 * What is read and written of a row: elements from column c on, VEC at a time in mappings
 * that have it. A logit is x scaled, soft-capped, with its ALiBi term and its mask, in this order.
 */
/* Is all that is written rounded to 16 bits? */
#if HAS_MAX || HAS_SUM || HAS_LSE || HAS_LOSS
#define ROUGH 0
#else
#define ROUGH (sizeof(mem_y) == 2)
#endif

/* May rows have temperature 0? */
#define MAY_BE_HOT (ONE_HOT || HAS_TEMPERATURE)

#ifndef LOGITS_READY
#define LOGITS_READY 0 /* 1: mappings that hold rows hold logits, as reals, instead of x */
#endif

#define FORMS                                                                            \
    (HAS_SCALE || HAS_TEMPERATURE || HAS_SOFTCAP || HAS_SLOPES || HAS_MASK)

/* For the partial vector at a row's end: a vector as lanes of what put writes. */
typedef float lane_f32;
typedef float lane_f16;
typedef ushort lane_bf16;
typedef SCALAR lane_f64;
#if VEC > 1
typedef words_f32 lanes_f32, lanes_f16;
typedef words_u16 lanes_bf16;
typedef reals lanes_f64;
#endif
#define pack_f32(v) TO_F32(v)
#define pack_f16(v) TO_F32(v)
#define pack_f64(v) (v)
#define put_f32(lane, p) (*(p) = (lane))
#define put_f16(lane, p) vstore_half_rte(lane, 0, p)
#define put_bf16(lane, p) (*(p) = (lane))
#define put_f64(lane, p) (*(p) = (lane))
/* One number to memory. */
#define store_one(v, p) CAT(put_, Y)(FIRST(CAT(pack_, Y)((real)(v))), p)

#if VEC == 1
#define LOAD(T, p, left, fill) CAT(load_, T)(p)
#else
/* VEC elements from p on; those past the first `left` are `fill`. */
#define LOAD(T, p, left, fill) CAT(load_upto_, T)(p, left, fill)
#define LOAD_PART(T)                                                                     \
    OUTLINE real load_part_##T(const __global mem_##T *p, uint left, SCALAR fill)        \
    {                                                                                    \
        SCALAR lane[VEC];                                                                \
        ROLLED for (uint k = 0; k < VEC; k++)                                            \
            lane[k] = k < left ? get_##T(p + k) : fill;                                  \
        return FROM_LANES(lane);                                                         \
    }
#define LOAD_UPTO(T)                                                                     \
    static real load_upto_##T(const __global mem_##T *p, uint left, SCALAR fill)         \
    {                                                                                    \
        return left >= VEC ? load_##T(p) : load_part_##T(p, left, fill);                 \
    }
#if X86_PART
#define LOAD_PART_BY(load, reals, T)                                                     \
    static real load_part_##T(const __global mem_##T *p, uint left, SCALAR fill)         \
    {                                                                                    \
        return upto(reals(load(p, left)), left, (real)fill);                             \
    }
LOAD_PART_BY(x86_load_floats, TO_REAL, f32)
LOAD_PART_BY(x86_load_words, f16_reals, f16)
LOAD_PART_BY(x86_load_words, bf16_reals, bf16)
LOAD_PART_BY(x86_load_bytes, TO_REAL, u8)
#else
LOAD_PART(f32)
LOAD_PART(f16)
LOAD_PART(bf16)
LOAD_PART(u8)
#endif
LOAD_UPTO(f32)
LOAD_UPTO(f16)
LOAD_UPTO(bf16)
LOAD_UPTO(u8)
#if REAL_IS_F64
LOAD_PART(f64)
LOAD_UPTO(f64)
#endif
#endif
#if REAL_IS_F64
#define LOAD_REAL(p, left, fill) LOAD(f64, p, left, fill)
#else
#define LOAD_REAL(p, left, fill) LOAD(f32, p, left, fill)
#endif

/* Past the row's end stands -inf, which adds nothing to a sum of exponentials. */
static real row_x(struct row row, uint c)
{
#if STRIDED
    return LOAD(X, row.x + c * row.x_col, 1, 0);
#else
    return LOAD(X, row.x + c, row.end - c, -INFINITY);
#endif
}

#if HAS_DY
static real row_dy(struct row row, uint c)
{
#if STRIDED
    return LOAD(DY, row.dy + c * row.dy_col, 1, 0);
#else
    return LOAD(DY, row.dy + c, row.end - c, 0);
#endif
}
#endif

#if HAS_WEIGHTS
/* Workers of short rows ask for columns that a row has not got as well. */
static real row_weight(struct row row, uint c)
{
#if ROW_PER_LANE
    return (real)row.weights[c];
#elif VEC == 1
    return c < row.end ? (real)row.weights[c] : (real)0;
#else
    return LOAD_REAL(row.weights + c, row.end - c, 0);
#endif
}
#endif

#if HAS_MASK && VEC > 1
OUTLINE real gather_mask(const __global mem_mask *p, size_t apart, uint left)
{
    SCALAR lane[VEC];
    ROLLED for (uint k = 0; k < VEC; k++)
        lane[k] = k < left ? CAT(get_, MASK)(p + k * apart) : 0;
    return FROM_LANES(lane);
}
#endif

#if HAS_MASK
static real row_mask(struct row row, uint c)
{
#if VEC == 1
    return LOAD(MASK, row.mask + c * row.mask_col, 1, 0);
#else
    if (row.mask_col == 1)
        return LOAD(MASK, row.mask + c, row.end - c, 0);
    return gather_mask(row.mask + c * row.mask_col, row.mask_col, row.end - c);
#endif
}
#endif

/* a b, rounded: passes that make a logit anew have to come to the same one, while NVIDIA's
 * assembler makes a single step of a product and what is taken from it. */
static real product(real a, real b)
{
#if HAS_PTX
    return ptx_product(a, b);
#else
    return a * b;
#endif
}

/* The logit of column c from its x and its mask. */
static real masked_logit(struct row row, uint c, real v, real mask)
{
#if HAS_SCALE || HAS_TEMPERATURE
    v = product(v, (real)row.scale);
#endif
#if HAS_SOFTCAP
    v = product((real)row.softcap, tanh(v / (real)row.softcap));
#endif
#if HAS_SLOPES
    v += product((real)row.slope, columns_from(c, row.position));
#endif
#if HAS_MASK && MASK_IS_BOOL
    v = mask != (real)0 ? v : (real)(-INFINITY);
#elif HAS_MASK
    v += mask;
#endif
#if FORMS
    v = upto(v, row.end - c, (real)(-INFINITY));
#endif
    return v;
}

static real logit_of(struct row row, uint c, real v)
{
#if HAS_MASK
    return masked_logit(row, c, v, row_mask(row, c));
#else
    return masked_logit(row, c, v, (real)0);
#endif
}

static real row_logit(struct row row, uint c)
{
    return logit_of(row, c, row_x(row, c));
}

/* What an operation gets to see of column c. */
struct element {
    uint c;
    real x; /* the logit */
    real dy;
};

static struct element row_element(struct row row, uint c)
{
    struct element e = {c, row_logit(row, c), (real)0};
#if HAS_DY
    e.dy = row_dy(row, c);
#endif
    return e;
}

#if X86_PART
#define store_part_f32(v, p, count) x86_store_floats(v, p, count)
#define store_part_f16(v, p, count) x86_store_words(f16_bits(v), p, count)
#define store_part_bf16(v, p, count) x86_store_words(pack_bf16(v), p, count)
#define store_part CAT(store_part_, Y)
#elif VEC > 1
OUTLINE void store_part(real v, __global mem_y *p, uint count)
{
    CAT(lane_, Y) lane[VEC];
    *(CAT(lanes_, Y) *)lane = CAT(pack_, Y)(v);
    ROLLED for (uint k = 0; k < count; k++)
        CAT(put_, Y)(lane[k], p + k);
}
#endif

#if VEC > 1
/* As many of a vector's elements as there are, which may be more than it has. */
INLINE void store_some(real v, __global mem_y *p, uint count)
{
    if (count >= VEC)
        store_y(v, p);
    else
        store_part(v, p, count);
}
#endif

/* Columns c on, up to but not including `end`. */
static void row_store(struct row row, uint c, uint end, real v)
{
#if STRIDED
    store_y(v, row.y + c * row.y_col);
#elif VEC == 1
    store_y(v, row.y + c);
#else
    store_some(v, row.y + c, end - c);
#endif
}
