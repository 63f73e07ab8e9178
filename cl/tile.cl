/* SPDX-License-Identifier: MIT */
/*
 * A tile: TILE neighbouring softmaxes, PACK of them shared by DEPTH workers of a work-group;
 * see tile_set.cl. A worker holds HOLD of its columns at a time, DEPTH apart, in registers: all
 * of them (ONE_TURN), or one turn's; of each column a pack, in words, which are one load
 * where their address allows that. Every loop over them is unrolled, so that all loads are on
 * their way before the first is waited for.
 */
#ifndef HOLD
#define HOLD 16
#endif
#ifndef ONE_TURN
#define ONE_TURN 0 /* 1: no worker has more than HOLD columns */
#endif
#ifndef LEAST_HELD
#define LEAST_HELD 0 /* columns that every worker has of each row that there is */
#endif
#define WHOLE_LOADS
#include "words.cl"

enum { TURN = HOLD * DEPTH }; /* columns of a turn */

/* A worker that has its softmaxes to itself has registers for the terms of 16-bit numbers, which
 * are wider, if they are few; and a column with a value of its own it knows by comparison, or
 * where columns are many, or shared with others, writes it again. */
#ifdef HOLDS_ALL
#define WIDE_TERMS (HOLD * PACK <= 64)
#define FEW_COLUMNS 16
#define SPOT_KNOWN (OP_SPOT && HOLD <= FEW_COLUMNS)
#define SPOT_AGAIN (OP_SPOT && HOLD > FEW_COLUMNS)
#else
#define FEW_COLUMNS 0
#define WIDE_TERMS 0
#define SPOT_KNOWN 0
#ifdef SHORT_MOST
#define SPOT_AGAIN OP_SPOT
#else
#define SPOT_AGAIN 0
#endif
#endif

/* Do terms take the place of what they are made of? */
#if ONE_TURN && TERMS_SERVE && !MAX_MOVES && !REAL_IS_F64 &&                             \
    OP_SPOT == (SPOT_KNOWN || SPOT_AGAIN) && (FORMS || X_IS_REAL || WIDE_TERMS)
#define HOLDS_TERMS 1
#else
#define HOLDS_TERMS 0
#endif
#define HOLDS_REALS (FORMS || (HOLDS_TERMS && !X_IS_REAL)) /* logits or terms, beside words */

/* Does one of a softmax's largest elements stand apart from all others? See apart.cl. Where a
 * row is written from what is held, there have to be registers for these as well. */
#define FEW_BESIDE_REALS 64
#if APART && !OP_FROM_TERM && !OP_ADDS && !FORMS && !REAL_IS_F64 && \
    (!LIMIT || (OP_SUM_AT_INF && !HAS_SUM))
#define ONE_APART (OP_WRITES != WRITES_ROW || HOLD * PACK <= FEW_BESIDE_REALS)
#else
#define ONE_APART 0
#endif
#if WORD_MAX
typedef uint apart_number; /* a pair of 16-bit numbers */
enum { APART_EACH = X_WORDS };
#else
typedef real apart_number;
enum { APART_EACH = PACK };
#endif

struct held {
    uint c, n; /* the first column, and how many of them there are */
    uint x[HOLD * X_WORDS], dy[HOLD * DY_WORDS];
#if ONE_APART
    apart_number most[APART_EACH], other[HOLD * APART_EACH];
#endif
#if HOLDS_REALS
    real number[HOLD][PACK];
#endif
};

/* How many of columns c, c + DEPTH, ... take part. */
static uint columns_left(struct row row, uint c)
{
    return c < row.end ? (row.end - c - 1) / DEPTH + 1 : 0;
}

#if STRIDED
#define COL_STEP(col) (DEPTH * (col))
#define COL_AT(p, c, col) ((p) + (c) * (col))
#else
#define COL_STEP(col) DEPTH
#define COL_AT(p, c, col) ((p) + (c))
#endif

/* May packs of elements of so many bytes be moved as they are, from p on and then every
 * `step` bytes? */
INLINE bool packs_fit(const __global void *p, size_t step, uint bytes)
{
    return PACK > 1 && ((size_t)p | step) % min(PACK * bytes, 16u) == 0;
}

INLINE void load_packs(uint *w, uint words, uint n, const __global void *from, size_t step,
                       uint bytes)
{
    const __global char *p = from;
    if (packs_fit(from, step, bytes))
        UNROLL for (uint k = 0; k < HOLD; k++, p += step)
        {
            if (k < LEAST_HELD || k < n)
                words_load(w + k * words, words, p);
        }
    else
        UNROLL for (uint k = 0; k < HOLD; k++, p += step)
            if (k < LEAST_HELD || k < n)
                words_gather(w + k * words, bytes, p, bytes);
}

INLINE void store_packs(const uint *w, uint words, uint n, __global void *to, size_t step,
                        uint bytes)
{
    __global char *p = to;
    if (n < LEAST_HELD) /* of a row that is not there */
        return;
    if (packs_fit(to, step, bytes))
        UNROLL for (uint k = 0; k < HOLD; k++, p += step)
        {
            if (k < LEAST_HELD || k < n)
                words_store(w + k * words, words, p);
        }
    else
        UNROLL for (uint k = 0; k < HOLD; k++, p += step)
            if (k < LEAST_HELD || k < n)
                words_scatter(w + k * words, bytes, p);
}

/* A worker's softmaxes stand side by side, so the first one's place is that of the packs. */
INLINE void hold_columns(struct held *h, const struct row *row, uint c)
{
    h->c = c;
    h->n = columns_left(*row, c);
    UNROLL for (uint i = 0; i < HOLD * X_WORDS; i++)
        h->x[i] = FILL_WORD(i % X_WORDS);
    load_packs(h->x, X_WORDS, h->n, COL_AT(row->x, c, row->x_col),
               COL_STEP(row->x_col) * sizeof(mem_x), sizeof(mem_x));
#if HAS_DY
    UNROLL for (uint i = 0; i < HOLD * DY_WORDS; i++)
        h->dy[i] = 0;
    load_packs(h->dy, DY_WORDS, h->n, COL_AT(row->dy, c, row->dy_col),
               COL_STEP(row->dy_col) * sizeof(mem_dy), sizeof(mem_dy));
#endif
#if FORMS
    UNROLL for (uint k = 0; k < HOLD; k++)
        EACH(v)
        {
            h->number[k][v] = CAT(word_, X)(h->x + k * X_WORDS, v);
            if (k < h->n)
                h->number[k][v] = logit_of(row[v], c + k * DEPTH, h->number[k][v]);
        }
#endif
}

/* Between two passes: what the first unpacked is not worth a register each, so the compiler
 * may not know that the second unpacks the same. Added, as twice an exclusive or is none. */
INLINE void held_forget(struct held *h, const struct row *row)
{
#if HAS_PTX && !FORMS
    UNROLL for (uint i = 0; i < HOLD * X_WORDS && sizeof(mem_x) == 2; i++)
        h->x[i] += row->zero;
#endif
}

INLINE struct element held_element(const struct held *h, uint k, uint v)
{
#if FORMS
    struct element e = {h->c + k * DEPTH, h->number[k][v], (real)0};
#else
    struct element e = {h->c + k * DEPTH, CAT(word_, X)(h->x + k * X_WORDS, v), (real)0};
#endif
#if HAS_DY
    e.dy = CAT(word_, DY)(h->dy + k * DY_WORDS, v);
#endif
    return e;
}

INLINE void hold_term(struct held *h, uint k, uint v, real term)
{
#if HOLDS_TERMS && HOLDS_REALS
    h->number[k][v] = term;
#elif HOLDS_TERMS
    h->x[k * X_WORDS + v] = as_uint(term);
#endif
}

#if HOLDS_TERMS
INLINE real held_term(const struct held *h, uint k, uint v)
{
#if HOLDS_REALS
    return h->number[k][v];
#else
    return as_float(h->x[k * X_WORDS + v]);
#endif
}
#endif

/* Column k of softmax v as what leads to 0: its term, or -inf. */
INLINE void hold_nothing(struct held *h, uint k, uint v)
{
#if HOLDS_TERMS
    hold_term(h, k, v, (real)0);
#elif FORMS
    h->number[k][v] = FILL;
#else
    uint *w = h->x + k * X_WORDS, half_word = v % 2 ? 0xffff0000u : 0xffffu;
    if (sizeof(mem_x) == 2)
        w[v / 2] = (w[v / 2] & ~half_word) | (FILL_WORD(0) & half_word);
    else
        UNROLL for (uint i = 0; i < sizeof(mem_x) / 4; i++)
            w[sizeof(mem_x) / 4 * v + i] = FILL_WORD(i);
#endif
}
