/* SPDX-License-Identifier: MIT */
/*
 * One row: where its elements stand, and what its operands say of it. Columns are counted in
 * 32 bits, offsets in size_t. HAS_<OPERAND> says which operands came.
 */
#ifndef STRIDED
#define STRIDED 0 /* 1: elements of a row stand x.col, y.col and dy.col apart */
#endif
#ifndef MATRICES
#define MATRICES 0 /* 1: rows are (batch, head, query) */
#endif
#ifndef CAUSAL
#define CAUSAL 0
#endif
#ifndef WINDOW
#define WINDOW 0 /* 1: a query sees the columns around it */
#endif
#define BOUNDED (CAUSAL || WINDOW)
#ifndef LISTS_STAGED
#define LISTS_STAGED 0 /* 1: lists of the largest elements go through local memory */
#endif

#define NO_COLUMN 0xffffffffu /* more than there are */

/* What every kernel takes, in the order of clsoftmax.h, and how it hands it on. An operand that
 * a plan does not have is no argument, since drivers take time for each: GIVEN(MASK, mask) is
 * its argument, or nothing. SHARED comes last, in kernels whose work-groups share rows; see
 * shared.cl. */
#ifndef HAS_DY
#define HAS_DY 0
#endif
#define GIVEN(OPERAND, argument) CAT(GIVEN_, HAS_##OPERAND)(argument)
#define GIVEN_1(argument) argument,
#define GIVEN_0(argument)
#define GIVEN_HAS_MASK(argument)
#define GIVEN_HAS_TEMPERATURE(argument)
#define GIVEN_HAS_SLOPES(argument)
#define GIVEN_HAS_SINKS(argument)
#define GIVEN_HAS_TARGETS(argument)
#define GIVEN_HAS_WEIGHTS(argument)
#define GIVEN_HAS_FROM_MAX(argument)
#define GIVEN_HAS_FROM_SUM(argument)
#define GIVEN_HAS_MAX(argument)
#define GIVEN_HAS_SUM(argument)
#define GIVEN_HAS_LSE(argument)
#define GIVEN_HAS_LOSS(argument)
#define GIVEN_HAS_INDICES(argument)
#define GIVEN_HAS_BAD_TARGETS(argument)
#define TENSORS                                                                          \
    const __global mem_x *x, __global mem_y *y, GIVEN(DY, const __global mem_dy *dy)     \
    GIVEN(MASK, const __global mem_mask *mask)                                           \
    GIVEN(TEMPERATURE, const __global SCALAR *temperature)                               \
    GIVEN(SLOPES, const __global SCALAR *slopes)                                         \
    GIVEN(SINKS, const __global SCALAR *sinks)                                           \
    GIVEN(TARGETS, const __global TARGET *targets)                                       \
    GIVEN(WEIGHTS, const __global SCALAR *weights)                                       \
    GIVEN(FROM_MAX, const __global SCALAR *from_max)                                     \
    GIVEN(FROM_SUM, const __global SCALAR *from_sum)                                     \
    GIVEN(MAX, __global SCALAR *max_out) GIVEN(SUM, __global SCALAR *sum_out)            \
    GIVEN(LSE, __global SCALAR *lse_out) GIVEN(LOSS, __global SCALAR *loss_out)          \
    GIVEN(INDICES, __global int *indices)                                                \
    GIVEN(BAD_TARGETS, volatile __global uint *bad_targets) const struct shape shape
#define SHARED volatile __global uint *shared
#define ALL_TENSORS                                                                      \
    x, y, GIVEN(DY, dy) GIVEN(MASK, mask) GIVEN(TEMPERATURE, temperature)                \
    GIVEN(SLOPES, slopes) GIVEN(SINKS, sinks) GIVEN(TARGETS, targets)                    \
    GIVEN(WEIGHTS, weights) GIVEN(FROM_MAX, from_max) GIVEN(FROM_SUM, from_sum)          \
    GIVEN(MAX, max_out) GIVEN(SUM, sum_out) GIVEN(LSE, lse_out) GIVEN(LOSS, loss_out)    \
    GIVEN(INDICES, indices) GIVEN(BAD_TARGETS, bad_targets) shape
/* Row r, or its neighbour, of which r alone may be past the last one; row k of the block that
 * begins with row r, where the caller knows whether that has it; one not past the last row. */
#define ROW_AT(r) ROW_BESIDE(r, 0)
#define ROW_BESIDE(r, beside) row_at(r, beside, ALL_TENSORS)
#define ROW_NEAR(r, k, inside) row_of(r, (inside) ? (k) : 0, inside, ALL_TENSORS)
#define ROW_INSIDE(r, beside) row_of(r, beside, true, ALL_TENSORS)

struct row {
    const __global mem_x *x;
    __global mem_y *y;
    bool inside;     /* false past the last row: for sets of workers without a row */
    uint cols;       /* 0 past the last row */
    uint begin, end; /* of the columns that take part; others count as -inf */
#if STRIDED
    size_t x_col, y_col;
#endif
#if HAS_DY
    const __global mem_dy *dy;
#if STRIDED
    size_t dy_col;
#endif
#endif
#if HAS_MASK
    const __global mem_mask *mask;
    size_t mask_col;
#endif
    row_real scale;   /* HAS_SCALE, HAS_TEMPERATURE */
    SCALAR softcap;   /* HAS_SOFTCAP */
    SCALAR slope;     /* HAS_SLOPES */
    SCALAR sink;      /* HAS_SINKS */
    SCALAR from_max, from_sum;
    SCALAR smoothing, z_loss, grad_scale;
    long position;    /* the query's own column */
    row_bool one_hot; /* temperature 0 */
    uint zero;        /* see held_forget */
    bool sharp;       /* see held_set_state */
    const __global TARGET *target;
    TARGET label;    /* the target itself, and its x: see cross_entropy.cl */
    SCALAR label_x;
    const __global SCALAR *weights;
    long ignore;
    __global SCALAR *max_out, *sum_out, *lse_out, *loss_out; /* of this row */
    __global int *indices;
    size_t indices_col;
#if LISTS_STAGED
    __local mem_y *staged_y;
    __local int *staged_indices;
#endif
    volatile __global uint *bad_targets;
};

/* How many columns a row has, where a program knows it. */
#ifdef SHORT_COLS
#define ROW_COLS(shape) (uint) SHORT_COLS
#else
#define ROW_COLS(shape) (uint)(shape).cols
#endif

/* A pointer that all work-items of a block of rows compute together, once: NVIDIA's compiler
 * would add up for each row what stands in front of it. */
#if HAS_PTX && defined ROWS
#define IN_COMMON(T, pointer) ((T *)ptx_opaque((ulong)(pointer)))
#define IN_COMMON_UINT(v) ptx_opaque_uint(v)
#else
#define IN_COMMON(T, pointer) (pointer)
#define IN_COMMON_UINT(v) (v)
#endif

/* Are a tensor's rows, of so many columns, one piece of memory? */
static bool has_no_gaps(struct place place, struct shape shape, ulong cols)
{
    bool matrices = MATRICES && shape.rows > shape.queries;
    return place.row == cols && (!matrices || place.matrix == shape.queries * cols);
}

/* Does each row stand behind those before it? */
static bool are_apart(struct place place, struct shape shape, ulong cols)
{
    return MATRICES ? has_no_gaps(place, shape, cols) : place.row >= cols;
}

/* The columns that a query sees. */
static struct row row_bound(struct row row, struct shape shape)
{
    long begin = 0, end = row.cols;
#if WINDOW
    begin = max(begin, row.position - (long)shape.window + 1);
    end = min(end, row.position + (long)shape.window);
#endif
#if CAUSAL
    end = min(end, row.position + 1);
#endif
    row.end = (uint)max(end, 0L);
    row.begin = (uint)min(begin, (long)row.end);
    return row;
}

/* Does the query see a single column, as the first one of causal rows does? */
static bool is_alone(struct row row)
{
    return BOUNDED && row.end - row.begin == 1;
}

/* With its temperature. */
static struct row row_heated(struct row row, row_real t, struct shape shape)
{
    row.one_hot = t == 0;
    row.scale = row.one_hot ? (row_real)1 : 1 / t;
#if HAS_SCALE
    row.scale *= number(shape.scale);
#endif
    return row;
}

/* Does the row's query see column c, of those that it has? */
INLINE bool is_seen(struct row row, uint c)
{
    return !BOUNDED || (c >= row.begin && c < row.end);
}

/* Row r + beside; of a strided tensor a neighbour that has its columns where row r has them.
 * What depends on r alone is the same for all work-items that have the same r. Without columns if
 * it is not `inside`. */
static struct row row_of(size_t r, uint beside, bool inside, TENSORS)
{
    struct row row;
    row.inside = inside;
    row.cols = inside ? ROW_COLS(shape) : 0;
#if STRIDED
    size_t outer = r / shape.inner, inner = r % shape.inner + beside;
    const uint below = 0;
    row.x_col = shape.x.col;
    row.y_col = shape.y.col;
#elif MATRICES
    size_t outer = r + beside, inner = 0;
    const uint below = 0;
#else
    size_t outer = r, inner = 0;
    const uint below = beside;
#endif
    size_t matrix = 0, query = outer, batch = 0, head = 0;
#if MATRICES
    if (outer >= shape.queries) { /* else two divisions are for nothing */
        matrix = outer / shape.queries, query = outer % shape.queries;
        batch = matrix / shape.heads, head = matrix % shape.heads;
    }
#endif
#define AT(tensor, place)                                                                \
    tensor + ((place).offset + matrix * (place).matrix + query * (place).row + inner) +  \
        below * (place).row
    row.x = AT(x, shape.x);
    row.y = AT(y, shape.y);
#if HAS_DY
    row.dy = AT(dy, shape.dy);
#if STRIDED
    row.dy_col = shape.dy.col;
#endif
#endif
#if HAS_MASK
    row.mask = mask + (shape.at_mask + batch * shape.mask_batch + head * shape.mask_head +
                       query * shape.mask_row + inner * shape.mask_inner) +
               below * shape.mask_row;
    row.mask_col = shape.mask_col;
#endif
    row.zero = (uint)shape.zero;
    row.one_hot = (row_bool)-ONE_HOT;
    row.sharp = false;
#if HAS_SCALE
    row.scale = number(shape.scale);
#endif
#if HAS_TEMPERATURE
    row = row_heated(row, temperature[shape.at_temperature + r + beside], shape);
#endif
#if HAS_SOFTCAP
    row.softcap = number(shape.softcap);
#endif
#if HAS_SLOPES
    row.slope = slopes[shape.at_slopes + head];
#endif
#if HAS_SINKS
    row.sink = sinks[shape.at_sinks + head];
#endif
#if HAS_FROM_MAX
    row.from_max = from_max[shape.at_from_max + r + beside];
    row.from_sum = from_sum[shape.at_from_sum + r + beside];
#endif
    row.position = (long)(query + below) + (long)shape.position;
    row.begin = 0;
    row.end = row.cols;
#if BOUNDED
    row = row_bound(row, shape);
#endif
    row.grad_scale = number(shape.grad_scale);
#if HAS_TARGETS
    row.smoothing = number(shape.smoothing);
    row.z_loss = number(shape.z_loss);
    row.ignore = (long)shape.ignore;
    row.target = IN_COMMON(const __global TARGET, targets + (shape.at_targets + r)) + beside;
#endif
#if HAS_WEIGHTS
    row.weights = weights + shape.at_weights;
#endif
#if HAS_BAD_TARGETS
    row.bad_targets = bad_targets + shape.at_bad_targets;
#endif
#if HAS_MAX
    row.max_out = IN_COMMON(__global SCALAR, max_out + (shape.at_max + r)) + beside;
#endif
#if HAS_SUM
    row.sum_out = IN_COMMON(__global SCALAR, sum_out + (shape.at_sum + r)) + beside;
#endif
#if HAS_LSE
    row.lse_out = IN_COMMON(__global SCALAR, lse_out + (shape.at_lse + r)) + beside;
#endif
#if HAS_LOSS
    row.loss_out = IN_COMMON(__global SCALAR, loss_out + (shape.at_loss + r)) + beside;
#endif
#ifdef PLACES
    row.indices = indices + (shape.at_indices + outer * PLACES * shape.inner + inner) +
                  below * PLACES;
    row.indices_col = shape.inner;
#endif
    return row;
}

/* The same for any r: a row without columns past the last one. */
static struct row row_at(size_t r, uint beside, TENSORS)
{
    bool inside = r < shape.rows;
    return row_of(inside ? r : 0, beside, inside, ALL_TENSORS);
}
