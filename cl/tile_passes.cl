/* SPDX-License-Identifier: MIT */
/* Maximum, sum and writing of the columns that a worker of a tile holds, and its turns over all
 * of its columns, for any operation. */
#include "tile.cl"

#if ONES_TOGETHER || APART
enum { TERMS = HOLD < 2 ? 1 : HOLD < 4 ? 2 : 4, FEW_TERMS = ROUGH ? HOLD : 16 };
#else
enum { TERMS = HOLD < 2 ? 1 : HOLD < 3 ? 2 : HOLD < 5 ? 4 : 8 };
#endif
#include "term_sum.cl"

#if ONE_APART
#include "apart.cl"
#else
#define held_start(h)
/* The largest of what is held, of each softmax. */
INLINE void held_max(const struct held *h, real *max)
{
#if WORD_MAX && !FORMS
    uint most[X_WORDS];
    UNROLL for (uint i = 0; i < X_WORDS; i++)
        most[i] = h->x[i];
    UNROLL for (uint i = X_WORDS; i < HOLD * X_WORDS; i++)
        most[i % X_WORDS] = word_max(most[i % X_WORDS], h->x[i]);
    EACH(v)
        max[v] = real_max(CAT(word_, X)(most, v), (real)(-INFINITY)); /* no NaN */
#else
    EACH(v)
    {
        max[v] = -INFINITY;
        UNROLL for (uint k = 0; k < HOLD; k++)
            max[v] = real_max(max[v], held_element(h, k, v).x);
    }
#endif
}

#if APART
/* A softmax's sum: ones, whole numbers, and the others, of which up to FEW_TERMS are added plainly:
 * more digits than 16-bit results show get lost in more. */
INLINE struct pair held_sum(struct held *h, struct row row, uint v, real max,
                            struct keep *keep)
{
    struct pair sum = {(real)0, (real)0};
    real ones = (real)0, one = ones_at(max);
    UNROLL for (uint j = 0; j < HOLD; j += FEW_TERMS)
    {
        real others[TERMS] = {(real)0};
        UNROLL for (uint k = j; k < HOLD && k < j + FEW_TERMS; k++)
        {
            struct element e = held_element(h, k, v);
            real term = op_other_term(row, e, max);
            if (k - j < TERMS)
                set_apart(&ones, others + k % TERMS, e.x, one, term);
            else
                add_apart(&ones, others + k % TERMS, e.x, one, term);
            if (OP_KEEPS && k < h->n)
                keep_add(keep, row, e);
            hold_term(h, k, v, LIMIT && e.x == one ? (real)1 : term);
        }
        if (j)
            sum = pair_add(sum, tree_sum(others));
        else
            sum.hi = tree_sum(others);
    }
    real beside = HOLD > FEW_TERMS ? sum.hi + sum.lo : sum.hi;
    struct pair apart = {ones, unbiased(beside, max)};
    return apart;
}
#else
INLINE struct pair held_sum(struct held *h, struct row row, uint v, real max,
                            struct keep *keep)
{
    struct pair sum = {(real)0, (real)0};
    UNROLL for (uint j = 0; j < HOLD; j += TERMS)
    {
        real term[TERMS], most = -INFINITY;
        UNROLL for (uint k = 0; k < TERMS; k++)
        {
            term[k] = (real)-0.0f; /* no sum is another with it */
            if (j + k >= HOLD)
                continue;
            struct element e = held_element(h, j + k, v);
            most = real_max(most, e.x);
            term[k] = op_term(row, e, max);
            if (OP_KEEPS && j + k < h->n)
                keep_add(keep, row, e);
            hold_term(h, j + k, v, term[k]);
        }
        sum = add_terms(sum, term, most == max);
    }
    return sum;
}
#endif
#endif

#if OP_WRITES == WRITES_ROW
INLINE real held_value(const struct held *h, struct row row, uint k, uint v,
                       struct result result, uint hot)
{
    struct element e = held_element(h, k, v);
#if HOLDS_TERMS
    real value = op_from_term(row, e.c, held_term(h, k, v), result);
#if SPOT_KNOWN
    value = e.c == op_spot(result) ? op_at_spot(row, result) : value;
#endif
    return value;
#elif MAY_BE_HOT
    if (row.one_hot)
        e.x = pick(e.c, hot, result.max, (real)(-INFINITY));
#endif
    return SPOT_AGAIN ? op_elsewhere(row, e, result) : op_value(row, e, result);
}

/* Softmaxes whose values vanish are written from what leads to 0. */
INLINE void held_vanish(struct held *h, struct result *result)
{
#if OP_VANISHES
    bool any = false;
    EACH(v)
        any = any || op_vanishes(result[v]);
    if (!any)
        return;
    EACH(v)
    {
        if (!op_vanishes(result[v]))
            continue;
        result[v].max = (real)0;
        UNROLL for (uint k = 0; k < HOLD; k++)
            hold_nothing(h, k, v);
    }
#endif
}

/* All values first, so that none waits for another's store. */
INLINE void held_write(const struct held *h, const struct row *row,
                       const struct result *result, const uint *hot)
{
    __global mem_y *y = COL_AT(row->y, h->c, row->y_col);
    uint w[HOLD * Y_WORDS];
    UNROLL for (uint k = 0; k < HOLD; k++)
    {
        real value[PACK];
        EACH(v)
            value[v] = held_value(h, row[v], k, v, result[v], hot[v]);
        CAT(words_from_, Y)(w + k * Y_WORDS, value);
    }
    store_packs(w, Y_WORDS, h->n, y, COL_STEP(row->y_col) * sizeof(mem_y), sizeof(mem_y));
}

/* The columns with a value of their own, by whom they have been written before. */
INLINE void write_spots(const struct row *row, uint first, const struct result *result)
{
#if SPOT_AGAIN
    EACH(v)
    {
        uint c = op_spot(result[v]), at = c - row[v].begin;
        if (at < row[v].end - row[v].begin && at % DEPTH == first)
            row_store(row[v], c, row[v].end, op_at_spot(row[v], result[v]));
    }
#endif
}
#endif

/* A worker's last turn alone. */
INLINE void hold_last(struct held *h, const struct row *row, uint first)
{
    uint c = row->begin + first, n = columns_left(*row, c);
    hold_columns(h, row, c + (n ? (n - 1) / HOLD : 0) * TURN);
}

#if OP_GIVEN
INLINE void given_states(struct state *s, const struct row *row)
{
    EACH(v)
        s[v] = given_state(row[v]);
}
#endif

/* Terms that an exponential left out, asked for once for all. */
INLINE void add_tiny(struct state *s, const struct row *row, __local real *scratch)
{
#if TINY_LATER
    bool any = false;
    EACH(v)
        any = any || wants_tiny(s[v].sum, row[v]);
    if (any)
        EACH(v)
            s[v].sum = sum_with_tiny(s[v].sum, row[v], 0, s[v].max, scratch);
#endif
}

/* Everybody's states of what is held, where that is all there is. */
INLINE void held_states(struct held *h, const struct row *row, struct state *s,
                        struct keep *keep, __local real *scratch)
{
#if OP_GIVEN
    given_states(s, row);
#else
    real max[PACK];
    struct pair sum[PACK];
    EACH(v)
    {
        s[v] = state_empty();
        max[v] = s[v].max;
    }
#if OP_NEEDS_MAX
    held_start(h);
    held_max(h, max);
    set_max_of(max, PACK, scratch);
    if (!WORD_MAX) /* which unpacks nothing */
        held_forget(h, row);
#endif
    EACH(v)
        sum[v] = held_sum(h, row[v], v, max[v], keep + v);
    set_sum_of(sum, PACK, scratch);
    EACH(v)
        s[v].max = max[v], s[v].sum = sum[v];
    add_tiny(s, row, scratch);
    set_wait();
#endif
}

#if !OP_GIVEN
#if APART /* `part` of a state has the others */
/* What were ones before the maximum moved are others. */
INLINE struct state turn_follow(struct state s, real max)
{
    real before = s.max;
    s = state_follow(s, max, (real)1);
    if (!ONE_APART && s.max != before) {
        s.part = pair_add(s.part, s.sum.hi);
        s.sum.hi = (real)0;
    }
    return s;
}

INLINE struct state turn_added(struct state s, struct pair apart)
{
    s.sum.hi = ONE_APART ? apart.hi : s.sum.hi + apart.hi;
    s.part = pair_add(s.part, apart.lo);
    return s;
}

/* Seen from the largest element. */
INLINE struct state turns_closed(struct state s, real most)
{
    s.sum.lo = s.part.hi + s.part.lo;
    s.part.hi = s.part.lo = (real)0;
    real one = s.sum.hi;
    s = state_raise(s, most);
    s.sum.hi = ONE_APART ? one : s.sum.hi;
    return s;
}
#else
INLINE struct state turn_follow(struct state s, real max)
{
    return OP_NEEDS_MAX ? state_follow(s, max, (real)1) : s;
}

INLINE struct state turn_added(struct state s, struct pair sum)
{
    s.part = sum;
    return state_settle(s);
}

INLINE struct state turns_closed(struct state s, real most)
{
    s = state_close(s);
    return OP_NEEDS_MAX ? state_raise(s, most) : s;
}
#endif

/* A worker's columns, turn by turn, with a maximum that is found on the way; what the last
 * turn brought stays held. */
INLINE void read_turns(struct held *h, const struct row *row, uint first, struct state *s,
                       struct keep *keep)
{
    uint c = row->begin + first, n = columns_left(*row, c), done = 0;
    real most[PACK];
    EACH(v)
        most[v] = s[v].max;
    held_start(h);
    do {
        real max[PACK];
        hold_columns(h, row, c + done * DEPTH);
#if OP_NEEDS_MAX
        held_max(h, max);
#endif
        EACH(v)
        {
            most[v] = OP_NEEDS_MAX ? real_max(most[v], max[v]) : most[v];
            s[v] = turn_follow(s[v], most[v]);
            s[v] = turn_added(s[v], held_sum(h, row[v], v, s[v].max, keep + v));
        }
        done += HOLD;
    } while (done < n);
    EACH(v)
        s[v] = turns_closed(s[v], most[v]);
}

/* Everybody's states as one, for each of a set's softmaxes. */
INLINE void set_states(struct state *s, __local real *scratch)
{
    real max[PACK];
    struct pair sum[PACK];
#if OP_NEEDS_MAX
    EACH(v)
        max[v] = s[v].max;
    set_max_of(max, PACK, scratch);
    EACH(v)
        s[v] = state_raise(s[v], max[v]);
#endif
    EACH(v)
        sum[v] = s[v].sum;
    set_sum_of(sum, PACK, scratch);
    set_wait();
    EACH(v)
        s[v].sum = sum[v];
}
#endif

/* Write what is held, and then what came before it, the latest first: that may still be in
 * the cache. */
INLINE void write_turns(struct held *h, const struct row *row, uint first,
                        struct result *result, const uint *hot)
{
#if OP_WRITES == WRITES_ROW
    held_vanish(h, result);
    held_forget(h, row);
    held_write(h, row, result, hot);
    while (!ONE_TURN && h->c >= row->begin + first + TURN) {
        hold_columns(h, row, h->c - TURN);
        held_write(h, row, result, hot);
    }
#endif
}
