/* SPDX-License-Identifier: MIT */
/*
 * neighbours: one work-item takes a run of softmaxes along an axis that is not the last, whose
 * neighbours are the lanes of its vectors, so that nothing is reduced across lanes. It goes over a
 * strip of some vectors at a time, which are read and written side by side in each column. What is
 * read stays in local memory, where terms take its place, as long as there is room; the next strip
 * is announced while this one's terms are made. Reads x once, writes y once, past the caches where
 * that is large or its columns collide there. Wins on CPU runtimes where inner > 1.
 */
#include "near.cl"
#include "stream.cl"
#include "wide_set.cl"
#include "lane_rows.cl"
#include "strip.cl"
#define TERMS 8 /* added as a tree: more, next to a large one, would be lost */
#include "term_sum.cl"

#define HOLDS_TERMS (MADE_OF_TERMS && HOLD_COLS > 0)
#define FEW_COLS (HOLD_COLS && HOLD_COLS <= SPAN) /* one pair takes all of their terms */

/* The sum of a vector's terms; for a logarithm the largest ones, which are 1, are counted apart. */
struct strip_sums {
    struct state others;
    struct pair ones;
};

/* Some columns of vector b, up to TERMS of them, of which `n` are there, to its sums; leaves the
 * terms, where results are made of them. */
INLINE void strip_add(const struct strip *s, uint c, uint n, uint b, real max, struct near near,
                      struct keep *keep, struct strip_sums *sums)
{
    real term[TERMS], ones = (real)0;
    UNROLL for (uint k = 0; k < TERMS; k++)
    {
        term[k] = (real)0;
        if (k >= n)
            continue;
        struct element e = strip_held(s, c + k, b);
        strip_announce(s, c + k, b);
        keep_add(keep, s->row, e);
#if HOLDS_TERMS
        term[k] = near_term(s->row, e, near);
        s->x[(c + k) * STRIP + b] = kept_term(term[k]);
#else
        term[k] = op_lifted_term(s->row, e, max);
#endif
#if COUNTS_ONES
        set_apart(&ones, term + k, e.x, ones_at(max), term[k]);
#else
        if (OP_NEEDS_REST)
            sums->others.part = pair_add(sums->others.part, term[k]);
#endif
    }
    if (COUNTS_ONES || !OP_NEEDS_REST) {
        real sum = tree_sum(term);
        if (ROUGH && FEW_COLS)
            sums->others.part.hi += sum;
        else
            sums->others.part = pair_add(sums->others.part, sum);
    }
    if (COUNTS_ONES && FEW_COLS)
        sums->ones.hi += ones;
    else if (COUNTS_ONES)
        sums->ones = pair_add(sums->ones, ones);
}

/* Vector b's sum. */
INLINE struct pair strip_sum(const struct strip *s, uint b, real max, struct keep *keep)
{
    struct near near = near_of(max);
    struct strip_sums sums = {state_empty(), {(real)0, (real)0}};
    uint c = 0;
    ROLLED for (; c + TERMS <= s->row.cols; c += TERMS)
    {
        strip_add(s, c, TERMS, b, max, near, keep, &sums);
        if (!FEW_COLS && (c / TERMS + 1) % (SPAN / TERMS) == 0)
            sums.others = state_settle(sums.others);
    }
    if (c < s->row.cols)
        strip_add(s, c, s->row.cols - c, b, max, near, keep, &sums);
    struct pair sum = pair_down(FEW_COLS ? sums.others.part : state_close(sums.others).sum);
    sums.ones.lo += sum.hi + sum.lo; /* a logarithm takes 1 from ones.hi first */
    return COUNTS_ONES ? sums.ones : sum;
}

INLINE struct state strip_state(const struct strip *s, uint b, real max, struct keep *keep)
{
    struct state state = state_empty();
#if OP_GIVEN
    state.max = given(s->given_max + b * VEC, lanes_of(s, b));
    state.sum.hi = given(s->given_sum + b * VEC, lanes_of(s, b));
#else
    state.max = max;
    state.sum = strip_sum(s, b, max, keep);
#endif
#if MAY_BE_HOT
    state = state_one_hot(strip_row(s, b), state);
#endif
    return state;
}

#if MAY_BE_HOT && OP_WRITES == WRITES_ROW
/* The first columns that are the maxima. */
INLINE row_uint strip_hot(const struct strip *s, uint b, real max)
{
    row_uint at = (row_uint)NO_COLUMN;
    ROLLED for (uint c = s->row.cols; c > 0; c--)
        at = strip_held(s, c - 1, b).x == max ? (row_uint)(c - 1) : at;
    return at;
}
#endif

#if OP_WRITES == WRITES_ROW
INLINE real strip_value(const struct strip *s, uint c, uint b, struct result result, row_uint hot)
{
    struct row row = strip_row(s, b);
#if HOLDS_TERMS
    return op_from_term(row, c, s->x[c * STRIP + b], result);
#else
    struct element e = strip_held(s, c, b);
#if MAY_BE_HOT
    e.x = row.one_hot ? pick(c, hot, result.max, (real)(-INFINITY)) : e.x;
#endif
    return op_value(row, e, result);
#endif
}

/* Does all of a strip stand in whole lines? */
INLINE bool strip_is_lines(const struct strip *s)
{
    size_t step = s->row.y_col * sizeof(mem_y);
    return s->whole && ((size_t)s->row.y | step) % LINE_BYTES == 0;
}

/* Out of line, since it may have inline assembly, see x86.cl; with copies of its own of what the
 * results that are written could otherwise change. */
OUTLINE void strip_write(const struct strip *of, const struct result *results,
                         const row_uint *hot_columns, bool past)
{
    const struct strip strip = *of, *s = &strip;
    struct result result[STRIP];
    row_uint hot[STRIP];
    UNROLL for (uint b = 0; b < STRIP; b++)
    {
        result[b] = results[b];
        hot[b] = hot_columns[b];
    }
    bool lines = strip_is_lines(s);
    ROLLED for (uint c = 0; c < s->row.cols; c++)
    {
        __global mem_y *y = s->row.y + c * s->row.y_col;
        real v[STRIP];
        UNROLL for (uint b = 0; b < STRIP; b++)
            if (b < s->vectors)
                v[b] = strip_value(s, c, b, result[b], hot[b]);
        UNROLL for (uint b = 0; b < STRIP && lines; b += LINE_PARTS)
        {
            line_y part[LINE_PARTS];
            LINE_BITS(bits_, v + b, part);
            line_store(part, y + b * VEC, past);
        }
        UNROLL for (uint b = 0; b < STRIP; b++)
            if (!lines && b < s->vectors)
                store_some(v[b], y + b * VEC, lanes_of(s, b));
    }
}
#endif

#if OP_KEEPS
/* x in one column of each row. */
INLINE real strip_logits(struct row row, row_uint columns, uint rows)
{
    uint column[VEC];
    SCALAR lane[VEC];
    *(words_u32 *)column = columns;
    for (uint i = 0; i < VEC; i++)
        lane[i] = row.cols ? CAT(get_, X)(row.x + min(i, rows - 1) + column[i] * row.x_col) : 0;
    return FROM_LANES(lane);
}
#endif

/* Vector b's results; those that are one a row are written. */
INLINE struct result close_vector(const struct strip *s, uint b, real max)
{
    struct row row = strip_row(s, b);
    uint rows = lanes_of(s, b);
    struct keep keep;
#if OP_KEEPS
    keep_lanes(&keep, row, rows);
    keep_logits(&keep, strip_logits(row, keep.target, rows));
#endif
    struct state state = strip_state(s, b, max, &keep);
    struct result result = op_result(row, state, &keep);
#if OP_WRITES == WRITES_ONE
    store_some(op_one(row, result), row.y, rows);
#endif
    if (HOLDS_TERMS)
        result_of_kept(&result);
    write_states(s->row, b * VEC, rows, state);
#if OP_KEEPS
    keep_lanes_end(&keep, row, result, rows);
#endif
    return result;
}

INLINE void take_strip(const struct strip *s, bool past)
{
    real max[STRIP];
    row_uint hot[STRIP];
    struct result result[STRIP];
    UNROLL for (uint b = 0; b < STRIP; b++)
        max[b] = -INFINITY;
    if (HOLD_COLS || (OP_NEEDS_MAX && !OP_GIVEN))
        strip_read(s, max);
    ROLLED for (uint b = 0; b < s->vectors; b++)
    {
#if MAY_BE_HOT && OP_WRITES == WRITES_ROW
        hot[b] = strip_hot(s, b, max[b]);
#endif
        result[b] = close_vector(s, b, max[b]);
    }
#if OP_WRITES == WRITES_ROW
    strip_write(s, result, hot, past);
#endif
}

/* Columns that stand a multiple of a page apart share places in the caches, which a column of
 * results would have to find there before it is written; in the place of x it stands there. */
INLINE bool columns_collide(struct shape shape)
{
    const uint ways = 8;
    return !READ_SOON && shape.cols >= ways && shape.y.col * sizeof(mem_y) % ALIAS_BYTES == 0;
}

__kernel WORK_GROUP(1) void
clsm_row(TENSORS)
{
    __local real x_held[HELD];
#if HAS_DY
    __local real dy_held[HELD];
#endif
    const size_t inner = shape.inner, each_row = (inner + VEC - 1) / VEC;
    struct span vectors = own_span(shape.rows / inner * each_row);
    size_t v = vectors.first, last = vectors.last;
    bool large = is_large(shape), collide = columns_collide(shape);
    while (v < last) {
        size_t at = v % each_row, left = inner - at * VEC;
        size_t r = v / each_row * inner + at * VEC;
        struct strip s;
        s.row = ROW_AT(r);
        s.row.end = NO_COLUMN; /* no vector has any column past it */
        s.vectors = (uint)min(min((size_t)STRIP, last - v), each_row - at);
        s.last = (uint)min((size_t)VEC, left - (s.vectors - 1) * VEC);
        s.whole = s.vectors == STRIP && s.last == VEC;
        s.x = x_held + shape.zero;
#if HAS_DY
        s.dy = dy_held + shape.zero;
#endif
#if HAS_MASK
        s.mask_inner = shape.mask_inner;
#endif
#if HAS_TEMPERATURE
        ROLLED for (uint b = 0; b < s.vectors; b++)
        {
            const __global SCALAR *heat = temperature + (shape.at_temperature + r + b * VEC);
            struct row row = row_heated(s.row, given(heat, lanes_of(&s, b)), shape);
            s.scale[b] = row.scale;
            s.one_hot[b] = row.one_hot;
        }
#endif
#if HAS_FROM_MAX
        s.given_max = from_max + (shape.at_from_max + r);
        s.given_sum = from_sum + (shape.at_from_sum + r);
#endif
        bool in_place = (size_t)s.row.x == (size_t)s.row.y;
        take_strip(&s, large || (collide && !in_place));
        v += s.vectors;
    }
}
