/* SPDX-License-Identifier: MIT */
/*
 * A tile: TILE neighbouring softmaxes, each shared by DEPTH workers of a work-group; see
 * tile_set.cl. A worker holds HOLD of its columns at a time, DEPTH apart, in registers: all
 * of them (ONE_TURN), or one turn's. Every loop over them is unrolled, so that all loads are
 * on their way before the first is waited for.
 */
#ifndef HOLD
#define HOLD 16
#endif
#ifndef ONE_TURN
#define ONE_TURN 0 /* 1: no worker has more than HOLD columns */
#endif

enum { TURN = HOLD * DEPTH }; /* columns of a turn */

/* Columns that a row has not got, as -inf, or as 0 where there is no maximum. */
#define FILL (OP_NEEDS_MAX ? -INFINITY : (SCALAR)0)

struct held {
    uint c, n; /* the first column, and how many of them there are */
    real x[HOLD]; /* logits */
    real dy[HOLD];
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

static void hold_columns(struct held *h, struct row row, uint c)
{
    const __global mem_x *x = COL_AT(row.x, c, row.x_col);
    h->c = c;
    h->n = columns_left(row, c);
    UNROLL for (uint k = 0; k < HOLD; k++, x += COL_STEP(row.x_col))
    {
        h->x[k] = FILL;
        if (k < h->n)
            h->x[k] = LOAD(X, x, 1, 0);
    }
#if HAS_DY
    const __global mem_dy *dy = COL_AT(row.dy, c, row.dy_col);
    UNROLL for (uint k = 0; k < HOLD; k++, dy += COL_STEP(row.dy_col))
    {
        h->dy[k] = (real)0;
        if (k < h->n)
            h->dy[k] = LOAD(DY, dy, 1, 0);
    }
#endif
#if FORMS
    UNROLL for (uint k = 0; k < HOLD; k++)
        if (k < h->n)
            h->x[k] = logit_of(row, c + k * DEPTH, h->x[k]);
#endif
}

static struct element held_element(const struct held *h, uint k)
{
    struct element e = {h->c + k * DEPTH, h->x[k], (real)0};
#if HAS_DY
    e.dy = h->dy[k];
#endif
    return e;
}

static real held_max(const struct held *h)
{
    real max[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    UNROLL for (uint k = 0; k < HOLD; k++)
        max[k % 4] = real_max(max[k % 4], h->x[k]);
    return real_max(real_max(max[0], max[1]), real_max(max[2], max[3]));
}

enum { TERMS = 8 };
#include "term_sum.cl"

static struct pair held_sum(const struct held *h, struct row row, real max,
                            struct keep *keep)
{
    struct pair sum = {(real)0, (real)0};
    UNROLL for (uint j = 0; j < HOLD; j += TERMS)
    {
        real term[TERMS], most = -INFINITY;
        UNROLL for (uint k = 0; k < TERMS; k++)
        {
            term[k] = (real)0;
            if (j + k >= HOLD)
                continue;
            struct element e = held_element(h, j + k);
            most = real_max(most, e.x);
            term[k] = op_term(row, e, max);
            if (OP_KEEPS && j + k < h->n)
                keep_add(keep, row, e);
        }
        sum = add_terms(sum, term, most == max);
    }
    return sum;
}

#if !OP_GIVEN
/* One more turn of a row whose maximum is found on the way. */
static struct state held_state(const struct held *h, struct row row, struct state s,
                               struct keep *keep)
{
#if OP_NEEDS_MAX
    real max = held_max(h);
    if (max > s.max)
        s = state_raise(s, max);
#endif
    s.part = held_sum(h, row, s.max, keep);
    return state_settle(s);
}
#endif

#if OP_WRITES == WRITES_ROW
static void held_write(const struct held *h, struct row row, struct result result,
                       uint hot)
{
    __global mem_y *y = COL_AT(row.y, h->c, row.y_col);
    UNROLL for (uint k = 0; k < HOLD; k++, y += COL_STEP(row.y_col))
    {
        struct element e = held_element(h, k);
#if MAY_BE_HOT
        if (row.one_hot)
            e.x = pick(e.c, hot, result.max, (real)(-INFINITY));
#endif
        if (k < h->n)
            store_y(op_value(row, e, result), y);
    }
}
#endif

/* A worker's last turn alone. */
static void hold_last(struct held *h, struct row row, uint first)
{
    uint c = row.begin + first, n = columns_left(row, c);
    hold_columns(h, row, c + (n ? (n - 1) / HOLD : 0) * TURN);
}

#if !OP_GIVEN
/* A worker's columns, turn by turn; what the last one brought stays held. */
static struct state read_turns(struct held *h, struct row row, uint first, struct state s,
                               struct keep *keep)
{
    uint c = row.begin + first, n = columns_left(row, c), done = 0;
    do {
        hold_columns(h, row, c + done * DEPTH);
        s = held_state(h, row, s, keep);
        done += HOLD;
    } while (done < n);
    return state_close(s);
}
#endif

/* Write what is held, and then what came before it, the latest first: that may still be in
 * the cache. */
static void write_turns(struct held *h, struct row row, uint first, struct result result,
                        uint hot)
{
#if OP_WRITES == WRITES_ROW
    held_write(h, row, result, hot);
    while (!ONE_TURN && h->c >= row.begin + first + TURN) {
        hold_columns(h, row, h->c - TURN);
        held_write(h, row, result, hot);
    }
#endif
}
