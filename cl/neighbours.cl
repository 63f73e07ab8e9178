/* SPDX-License-Identifier: MIT */
/*
 * neighbours: one work-item takes a run of softmaxes along an axis that is not the last, whose
 * neighbours are the lanes of its vectors, so that nothing is reduced across lanes. It goes over a
 * strip of some vectors at a time, which are read and written side by side in each column. What is
 * read stays in local memory, where terms take its place, as long as there is room; the next strip
 * is announced while this one's terms are made. Reads x once, writes y once, past the caches where
 * that is large. Wins on CPU runtimes where inner > 1. For operations whose rows have nothing of
 * their own but their elements and a given maximum and sum.
 */
#ifndef HOLD_COLS
#define HOLD_COLS 0 /* columns of a strip for which there is room; 0: they are read again */
#endif
#include "near.cl"
#include "stream.cl"
#include "wide_set.cl"
#include "lane_rows.cl"

enum {
    STRIP = 64 / VEC, /* vectors: whole lines of any type */
    TOGETHER = 8,     /* terms added as a tree: more, next to a large one, would be lost */
    HELD = HOLD_COLS ? HOLD_COLS * STRIP : 1
};
#define HOLDS_TERMS (MADE_OF_TERMS && HOLD_COLS > 0)
#define FEW_COLS (HOLD_COLS && HOLD_COLS <= SPAN) /* one pair takes all of their terms */

/* Some vectors' softmaxes; the last one may have fewer than lanes. */
struct strip {
    struct row row; /* the first of them, with columns without end: no vector has any past it */
    uint cols, vectors, last;
    bool whole;           /* no vector is missing, and no lane */
    __local real *x, *dy; /* column by column: logits, or their terms */
    const __global SCALAR *given_max, *given_sum;
};

INLINE uint lanes_of(const struct strip *s, uint b)
{
    return b + 1 < s->vectors ? VEC : s->last;
}

INLINE const __global mem_x *x_at(const struct strip *s, uint c, uint b)
{
    return s->row.x + c * s->row.x_col + b * VEC;
}

#if HAS_DY
INLINE const __global mem_dy *dy_at(const struct strip *s, uint c, uint b)
{
    return s->row.dy + c * s->row.dy_col + b * VEC;
}
#endif

/* Vector b's column c, of which `left` lanes are there. */
INLINE struct element strip_element(const struct strip *s, uint c, uint b, uint left)
{
    struct element e = {0};
    e.x = masked_logit(s->row, 0, LOAD(X, x_at(s, c, b), left, 0), (real)0);
#if HAS_DY
    e.dy = LOAD(DY, dy_at(s, c, b), left, 0);
#endif
    return e;
}

INLINE struct element strip_held(const struct strip *s, uint c, uint b)
{
#if HOLD_COLS
    struct element e = {0, s->x[c * STRIP + b], (real)0};
#if HAS_DY
    e.dy = s->dy[c * STRIP + b];
#endif
    return e;
#else
    return strip_element(s, c, b, lanes_of(s, b));
#endif
}

/* The same place of the next strip is read soon. */
INLINE void strip_announce(const struct strip *s, uint c, uint b)
{
    announce_near(x_at(s, c, b + STRIP));
#if HAS_DY
    announce_near(dy_at(s, c, b + STRIP));
#endif
}

INLINE void strip_take(const struct strip *s, uint c, uint b, uint left, real *max)
{
    struct element e = strip_element(s, c, b, left);
    *max = real_max(*max, e.x);
#if HOLD_COLS
    s->x[c * STRIP + b] = e.x;
#if HAS_DY
    s->dy[c * STRIP + b] = e.dy;
#endif
#endif
}

/* All of it, and its maxima. */
INLINE void strip_read(const struct strip *s, real *max)
{
    real most[STRIP];
    UNROLL for (uint b = 0; b < STRIP; b++)
        most[b] = -INFINITY;
    if (s->whole)
        ROLLED for (uint c = 0; c < s->cols; c++)
            UNROLL for (uint b = 0; b < STRIP; b++)
                strip_take(s, c, b, VEC, most + b);
    else
        ROLLED for (uint c = 0; c < s->cols; c++)
            ROLLED for (uint b = 0; b < s->vectors; b++)
                strip_take(s, c, b, lanes_of(s, b), most + b);
    UNROLL for (uint b = 0; b < STRIP; b++)
        max[b] = most[b];
}

/* Some columns of vector b, up to TOGETHER of them, of which `n` are there, to its sum; leaves the
 * terms, where results are made of them. */
INLINE struct pair strip_add(const struct strip *s, uint c, uint n, uint b, real max,
                             struct near near, struct pair sum)
{
    real term[TOGETHER];
    UNROLL for (uint k = 0; k < TOGETHER; k++)
    {
        term[k] = (real)0;
        if (k >= n)
            continue;
        struct element e = strip_held(s, c + k, b);
        strip_announce(s, c + k, b);
#if HOLDS_TERMS
        term[k] = near_term(s->row, e, near);
        s->x[(c + k) * STRIP + b] = OP_LIFTS && !OP_RESCALES ? term[k] * UNLIFTED : term[k];
#else
        term[k] = op_lifted_term(s->row, e, max);
#endif
        if (OP_NEEDS_REST)
            sum = pair_add(sum, term[k]);
    }
    UNROLL for (uint d = TOGETHER / 2; d > 0 && !OP_NEEDS_REST; d /= 2)
        UNROLL for (uint k = 0; k < d; k++)
            term[k] += term[k + d];
    if (!OP_NEEDS_REST && ROUGH && FEW_COLS)
        sum.hi += term[0];
    else if (!OP_NEEDS_REST)
        sum = pair_add(sum, term[0]);
    return sum;
}

/* Vector b's sum. */
INLINE struct pair strip_sum(const struct strip *s, uint b, real max)
{
    struct near near = near_of(max);
    struct state sum = state_empty();
    uint c = 0;
    ROLLED for (; c + TOGETHER <= s->cols; c += TOGETHER)
    {
        sum.part = strip_add(s, c, TOGETHER, b, max, near, sum.part);
        if (!FEW_COLS && (c / TOGETHER + 1) % (SPAN / TOGETHER) == 0)
            sum = state_settle(sum);
    }
    if (c < s->cols)
        sum.part = strip_add(s, c, s->cols - c, b, max, near, sum.part);
    if (FEW_COLS)
        return pair_down(sum.part);
    return pair_down(state_close(sum).sum);
}

INLINE struct state strip_state(const struct strip *s, uint b, real max)
{
    struct state state = state_empty();
#if OP_GIVEN
    state.max = given(s->given_max + b * VEC, lanes_of(s, b));
    state.sum.hi = given(s->given_sum + b * VEC, lanes_of(s, b));
#else
    state.max = max;
    state.sum = strip_sum(s, b, max);
#endif
    return state;
}

#if OP_WRITES == WRITES_ROW
INLINE real strip_value(const struct strip *s, uint c, uint b, struct result result)
{
#if HOLDS_TERMS
    return op_from_term(s->row, 0, s->x[c * STRIP + b], result);
#else
    return op_value(s->row, strip_held(s, c, b), result);
#endif
}

/* Does all of a strip stand in whole lines? */
INLINE bool strip_is_lines(const struct strip *s)
{
    size_t step = s->row.y_col * sizeof(mem_y);
    return s->whole && ((size_t)s->row.y | step) % LINE_BYTES == 0;
}

INLINE void strip_write(const struct strip *s, const struct result *result, bool past)
{
    bool lines = strip_is_lines(s);
    ROLLED for (uint c = 0; c < s->cols; c++)
    {
        __global mem_y *y = s->row.y + c * s->row.y_col;
        real v[STRIP];
        UNROLL for (uint b = 0; b < STRIP; b++)
            if (b < s->vectors)
                v[b] = strip_value(s, c, b, result[b]);
        UNROLL for (uint b = 0; b < STRIP && lines; b += LINE_PARTS)
        {
            line_y part[LINE_PARTS];
            LINE_BITS(bits_, v + b, part);
            line_store(part, y + b * VEC, past);
        }
        UNROLL for (uint b = 0; b < STRIP; b++)
            if (!lines && b < s->vectors) {
                if (lanes_of(s, b) == VEC)
                    store_y(v[b], y + b * VEC);
                else
                    store_part(v[b], y + b * VEC, s->last);
            }
    }
}
#endif

INLINE void take_strip(const struct strip *s, bool past)
{
    real max[STRIP];
    struct result result[STRIP];
    struct keep keep;
    keep_start(&keep, s->row);
    UNROLL for (uint b = 0; b < STRIP; b++)
        max[b] = -INFINITY;
    if (HOLD_COLS || (OP_NEEDS_MAX && !OP_GIVEN))
        strip_read(s, max);
    ROLLED for (uint b = 0; b < s->vectors; b++)
    {
        struct state state = strip_state(s, b, max[b]);
        result[b] = op_result(s->row, state, &keep);
#if OP_WRITES == WRITES_ONE
        real one = op_one(s->row, result[b]);
        if (lanes_of(s, b) == VEC)
            store_y(one, s->row.y + b * VEC);
        else
            store_part(one, s->row.y + b * VEC, s->last);
#endif
#if OP_RESCALES && HOLDS_TERMS && OP_LIFTS
        op_rescale(&result[b], (real)UNLIFTED);
#endif
        write_states(s->row, b * VEC, lanes_of(s, b), state);
    }
#if OP_WRITES == WRITES_ROW
    strip_write(s, result, past);
#endif
}

__kernel WORK_GROUP(1) void
clsm_row(TENSORS)
{
    __local real x_held[HELD];
#if HAS_DY
    __local real dy_held[HELD];
#endif
    size_t g = get_group_id(0), groups = get_num_groups(0);
    const size_t inner = shape.inner, each_row = (inner + VEC - 1) / VEC;
    size_t vectors = shape.rows / inner * each_row;
    size_t each = vectors / groups, extra = vectors % groups;
    size_t v = g * each + min(g, extra), last = v + each + (g < extra ? 1 : 0);
    bool past = is_large(shape);
    while (v < last) {
        size_t at = v % each_row, left = inner - at * VEC;
        size_t r = v / each_row * inner + at * VEC;
        struct strip s;
        s.row = ROW_AT(r);
        s.cols = s.row.cols;
        s.row.end = s.row.cols = NO_COLUMN;
        s.vectors = (uint)min(min((size_t)STRIP, last - v), each_row - at);
        s.last = (uint)min((size_t)VEC, left - (s.vectors - 1) * VEC);
        s.whole = s.vectors == STRIP && s.last == VEC;
        s.x = x_held + shape.zero;
#if HAS_DY
        s.dy = dy_held + shape.zero;
#endif
#if HAS_FROM_MAX
        s.given_max = from_max + (shape.at_from_max + r);
        s.given_sum = from_sum + (shape.at_from_sum + r);
#endif
        take_strip(&s, past);
        v += s.vectors;
    }
}
