/* SPDX-License-Identifier: MIT */
/*
 * transposed: one work-item takes a run of short rows, VEC of them at a time: each lane of its
 * vectors is a row, and each vector a column, so that no lane is idle and nothing is reduced
 * across lanes. Four columns at a time are transposed on their way from x and to y. Reads x
 * once, writes y once, in whole lines. Wins on CPU runtimes on short rows. For operations
 * whose rows have nothing of their own but their elements, a target, and a given maximum and sum.
 */
#ifndef COLS
#define COLS 7
#endif
#include "near.cl"
#include "ring.cl"
#include "wide_set.cl"
#include "lane_rows.cl"
#define TERMS 8 /* added as a tree: more, next to a large one, would be lost */
#include "term_sum.cl"

enum {
    FULL = 1024, /* results, at which lines leave */
    SPARE = 64
};
#define IN_REGISTERS (COLS <= 16) /* all of the rows? */
#if IN_REGISTERS
#define FOUR_BY_FOUR UNROLL
#define UNROLL_SHORT UNROLL
#else
#define FOUR_BY_FOUR ROLLED
#define UNROLL_SHORT ROLLED
#endif
#include "turn.cl"

/* Some rows, one in each lane; where there are fewer than lanes, the last one again. */
struct group {
    struct row row; /* the first, without an end: no vector has any column past it */
    uint rows;
    real x[COLS]; /* logits, or their terms */
#if HAS_DY
    real dy[COLS];
#endif
};

/* From rows without gaps and with others behind them; or from wherever they are: is what is behind
 * these `safe` to read? */
#define READ_PACKED(T, what)                                                             \
    {                                                                                    \
        const __global mem_##what *p[VEC];                                               \
        UNROLL for (uint i = 0; i < VEC; i++)                                            \
            p[i] = g->row.what + i * COLS;                                               \
        CAT(read_rows_, T)(p, true, g->what);                                            \
    }
#define READ_APART(T, what)                                                              \
    {                                                                                    \
        const __global mem_##what *p[VEC];                                               \
        ROLLED for (uint i = 0; i < VEC; i++)                                            \
            p[i] = ROW_AT(r + min(i, g->rows - 1)).what;                                 \
        CAT(read_rows_, T)(p, safe, g->what);                                            \
    }

INLINE void read_group(TENSORS, size_t r, bool packed, bool safe, struct group *g)
{
    UNROLL_SHORT for (uint k = 0; k < VEC * COLS * sizeof(mem_x); k += LINE_BYTES)
        announce_far((const __global char *)g->row.x + FAR_BYTES + k);
    if (packed) {
        READ_PACKED(X, x)
#if HAS_DY
        READ_PACKED(DY, dy)
#endif
    } else {
        READ_APART(X, x)
#if HAS_DY
        READ_APART(DY, dy)
#endif
    }
#if FORMS
    FOUR_BY_FOUR for (uint c = 0; c < COLS; c++)
        g->x[c] = masked_logit(g->row, 0, g->x[c], (real)0);
#endif
}

/* The next rows, if these are packed. */
INLINE void group_step(struct group *g)
{
    g->row.x += VEC * COLS;
#if HAS_DY
    g->row.dy += VEC * COLS;
#endif
#if HAS_TARGETS
    g->row.target += VEC;
#endif
#if HAS_LOSS
    g->row.loss_out += VEC;
#endif
}

INLINE struct element group_element(const struct group *g, uint c)
{
    struct element e = {0, g->x[c], (real)0};
#if HAS_DY
    e.dy = g->dy[c];
#endif
    return e;
}

#if OP_KEEPS
/* x in one column of each row. */
INLINE real group_logits(const struct group *g, row_uint columns)
{
    real v = (real)0;
    FOUR_BY_FOUR for (uint c = 0; c < COLS; c++)
        v = pick(c, columns, g->x[c], v);
    return v;
}
#endif

INLINE real group_max(const struct group *g)
{
    real max[4] = {(real)(-INFINITY), (real)(-INFINITY), (real)(-INFINITY), (real)(-INFINITY)};
    FOUR_BY_FOUR for (uint c = 0; c < COLS; c += 4)
        UNROLL for (uint k = 0; k < 4; k++)
            if (c + k < COLS)
                max[k] = real_max(max[k], g->x[c + k]);
    return real_max(real_max(max[0], max[1]), real_max(max[2], max[3]));
}

/* Leaves the terms, where results are made of them. */
INLINE struct pair group_sum(struct group *g, real max, struct keep *keep)
{
    struct near near = near_of(max);
    struct pair sum = {(real)0, (real)0};
    real ones = (real)0;
    FOUR_BY_FOUR for (uint c = 0; c < COLS; c += TERMS)
    {
        real term[TERMS];
        UNROLL for (uint k = 0; k < TERMS; k++)
        {
            term[k] = (real)0;
            if (c + k >= COLS)
                continue;
            struct element e = group_element(g, c + k);
            term[k] = near_term(g->row, e, near);
            if (MADE_OF_TERMS)
                g->x[c + k] = kept_term(term[k]);
#if COUNTS_ONES
            set_apart(&ones, term + k, e.x, ones_at(max), term[k]);
#else
            if (OP_NEEDS_REST)
                sum = pair_add(sum, term[k]);
#endif
        }
        if (OP_NEEDS_REST && !COUNTS_ONES)
            continue;
        if (IN_REGISTERS && c == 0)
            sum.hi = tree_sum(term);
        else if (ROUGH)
            sum.hi += tree_sum(term);
        else
            sum = pair_add(sum, tree_sum(term));
    }
    sum = pair_down(sum);
    struct pair apart = {ones, sum.hi + sum.lo}; /* a logarithm takes 1 from ones first */
    return COUNTS_ONES ? apart : sum;
}

#if OP_WRITES == WRITES_ROW
/* The last columns first: with them go some of the next row's, whose turn comes later. */
INLINE void keep_group(struct group *g, struct result result, __local word_y *to)
{
    FOUR_BY_FOUR for (uint c = (COLS + KEPT_AT_ONCE - 1) / KEPT_AT_ONCE * KEPT_AT_ONCE; c > 0;)
    {
        real v[KEPT_AT_ONCE];
        c -= KEPT_AT_ONCE;
        UNROLL for (uint k = 0; k < KEPT_AT_ONCE; k++)
            if (c + k >= COLS)
                v[k] = v[k > 1 ? k - 2 : 0];
            else
#if MADE_OF_TERMS
                v[k] = op_from_term(g->row, c + k, g->x[c + k], result);
#else
                v[k] = op_value(g->row, group_element(g, c + k), result);
#endif
        keep_columns(v, to + c);
    }
}
#endif

INLINE struct state group_state(struct group *g, struct keep *keep,
                                const __global SCALAR *from_max,
                                const __global SCALAR *from_sum)
{
    struct state s = state_empty();
#if OP_GIVEN
    s.max = given(from_max, g->rows);
    s.sum.hi = given(from_sum, g->rows);
#else
    if (OP_NEEDS_MAX)
        s.max = group_max(g);
    s.sum = group_sum(g, s.max, keep);
#endif
    return log_beside(s);
}

/* Up to here rows have others behind them, of which some may be read with them. */
INLINE size_t safe_up_to(struct shape shape)
{
    enum { BEHIND = (8 - 1) / COLS }; /* eight columns are read at once, or fewer */
    bool apart = are_apart(shape.x, shape, COLS);
#if HAS_DY
    apart = apart && are_apart(shape.dy, shape, COLS);
#endif
    return apart && shape.rows > BEHIND ? shape.rows - BEHIND : 0;
}

/* Do they have no gaps? */
INLINE bool is_packed(struct shape shape)
{
    bool packed = has_no_gaps(shape.x, shape, COLS);
#if HAS_DY
    packed = packed && has_no_gaps(shape.dy, shape, COLS);
#endif
    return packed;
}

/* Results to rows of which each has a place of its own. */
OUTLINE void store_rows(TENSORS, size_t r, uint rows, const __local word_y *from)
{
    for (uint i = 0; i < rows; i++) {
        __global word_y *to = (__global word_y *)ROW_AT(r + i).y;
        for (uint k = 0; k < COLS; k++)
            to[k] = from[i * COLS + k];
    }
}

INLINE void store_ones(TENSORS, size_t r, uint rows, real v)
{
    if (has_no_gaps(shape.y, shape, 1)) {
        store_some(v, ROW_AT(r).y, rows);
        return;
    }
    CAT(lane_, Y) lane[VEC];
    *(CAT(lanes_, Y) *)lane = CAT(pack_, Y)(v);
    for (uint i = 0; i < rows; i++)
        CAT(put_, Y)(lane[i], ROW_AT(r + i).y);
}

OUTLINE void take_rows(TENSORS, size_t first, size_t last, __local word_y *waiting)
{
    bool dense = has_no_gaps(shape.y, shape, COLS), past = is_large(shape);
    size_t safe = safe_up_to(shape), packed = is_packed(shape) ? safe : 0;
    struct lines lines = lines_start(waiting, (__global word_y *)ROW_AT(first).y);
    struct group g;
    g.row = ROW_AT(first);
    g.row.end = NO_COLUMN;
    for (size_t r = first; r < last; r += VEC) {
        g.rows = (uint)min((size_t)VEC, last - r);
        read_group(ALL_TENSORS, r, g.rows == VEC && r + VEC <= packed, r + g.rows <= safe, &g);
        struct keep keep;
#if OP_KEEPS
        keep_lanes(&keep, g.row, g.rows);
        keep_logits(&keep, group_logits(&g, keep.target));
#endif
#if HAS_FROM_MAX
        struct state s = group_state(&g, &keep, from_max + (shape.at_from_max + r),
                                     from_sum + (shape.at_from_sum + r));
#else
        struct state s = group_state(&g, &keep, 0, 0);
#endif
        struct result result = op_result(g.row, s, &keep);
        if (MADE_OF_TERMS)
            result_of_kept(&result);
        write_states(g.row, r - first, g.rows, s);
#if OP_KEEPS
        keep_lanes_end(&keep, g.row, result, g.rows);
#endif
#if OP_WRITES == WRITES_ONE
        store_ones(ALL_TENSORS, r, g.rows, op_one(g.row, result));
#elif OP_WRITES == WRITES_ROW
        keep_group(&g, result, lines.waiting + lines.count);
        if (!dense)
            store_rows(ALL_TENSORS, r, g.rows, lines.waiting + lines.count);
        else if ((lines.count += g.rows * COLS) >= FULL)
            lines_flush(&lines, past);
#endif
        group_step(&g);
    }
    if (OP_WRITES == WRITES_ROW && dense) {
        lines_flush(&lines, past);
        lines_edge(&lines, lines.count);
    }
}

__kernel WORK_GROUP(1) void
clsm_row(TENSORS)
{
    __local uint16 waiting[(FULL + VEC * COLS + 2 * SPARE) / Y_LINE];
    struct span vectors = own_span((shape.rows + VEC - 1) / VEC); /* which are not shared */
    if (vectors.first < vectors.last)
        take_rows(ALL_TENSORS, vectors.first * VEC,
                  min(vectors.last * VEC, (size_t)shape.rows),
                  (__local word_y *)(waiting + shape.zero));
}
