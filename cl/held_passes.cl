/* SPDX-License-Identifier: MIT */
/* Maximum, sum and writing of a row that is held in registers, for any operation. */
#include "held.cl"
enum { TERMS = PACK };
#include "term_sum.cl"

/* Terms as wide as what they are made of take its place, where the result is made of them. */
#if OP_FROM_TERM && !OP_GIVEN && !MAY_BE_HOT && (LOGITS_READY || X_IS_REAL)
#define HOLDS_TERMS 1
#else
#define HOLDS_TERMS 0
#endif

/* May the row's maximum be another one than that which its terms were taken relative to? */
#if HAS_SINKS || defined PARTS && PARTS > 1
#define MAX_MOVES 1
#else
#define MAX_MOVES 0
#endif

/* Are words compared as they are? */
#if WORD_MAX && !LOGITS_READY && !HAS_SCALE
#define MAX_OF_WORDS 1
#else
#define MAX_OF_WORDS 0
#endif

/* The maximum of a pack; NaN is passed over. */
INLINE real pack_max(const struct pack *pack, struct row row)
{
    real most = -INFINITY;
#if MAX_OF_WORDS
    const uint *x = pack->x;
    uint w = word_max(word_max(x[0], x[1]), word_max(x[2], x[3]));
    return real_max(real_max(most, CAT(word_, X)(&w, 0)), CAT(word_, X)(&w, 1));
#endif
    UNROLL for (uint k = 0; k < PACK; k++)
        most = real_max(most, pack_logit(pack, row, k));
    return most;
}

INLINE real held_max(struct held *h, struct row row, struct cut cut, uint first)
{
    real max = -INFINITY;
    UNROLL for (uint j = 0; j < PACKS; j++)
    {
        struct pack pack = held_pack(h, j);
        real most = pack_max(&pack, row);
        max = real_max(max, most);
        if (j < KEPT)
            h->most[j] = most;
    }
    UNROLL for (uint i = 0; i < EDGES && cut.ragged; i++)
        max = real_max(max, h->edge_x[i]);
    return max;
}

/* Elements of the head, or of the tail, for an operation that keeps something. */
INLINE void keep_edges(const struct held *h, struct row row, struct cut cut, uint first,
                       struct keep *keep, bool tail)
{
#if OP_KEEPS
    UNROLL for (uint i = 0; i < EDGES && cut.ragged; i++)
    {
        struct element e = edge_element(h, row, cut, first, i);
        if (e.c != NO_COLUMN && e.c < cut.head != tail && is_seen(row, e.c))
            keep_add(keep, row, e);
    }
#endif
}

/* Leaves the terms, if those are held. */
INLINE struct pair held_sum(struct held *h, struct row row, struct cut cut, uint first,
                            real max, struct keep *keep)
{
    struct pair sum = {(real)0, (real)0};
    keep_edges(h, row, cut, first, keep, false);
    UNROLL for (uint j = 0; j < PACKS; j++)
    {
        struct pack pack = held_pack(h, j);
        real term[PACK];
        if (!pack_is_seen(row, pack_column(cut, first, j))) {
            UNROLL for (uint k = 0; k < PACK; k++)
                term[k] = 0;
            if (HOLDS_TERMS)
                hold_terms(h, j, term);
            continue;
        }
        UNROLL for (uint k = 0; k < PACK; k++)
        {
            uint c = pack_column(cut, first, j) + k;
            struct element e = pack_element(&pack, row, c, k);
            term[k] = op_term(row, e, max);
            if (OP_KEEPS && pack_is_there(cut, first, j) && is_seen(row, e.c))
                keep_add(keep, row, e);
        }
        if (HOLDS_TERMS)
            hold_terms(h, j, term);
        bool with_max = false;
#if OP_NEEDS_MAX
        with_max = (j < KEPT ? h->most[j] : pack_max(&pack, row)) == max;
#endif
        sum = add_terms(sum, term, with_max);
    }
    keep_edges(h, row, cut, first, keep, true);
    UNROLL for (uint i = 0; i < EDGES && cut.ragged; i++)
    {
        struct element e = edge_element(h, row, cut, first, i);
        if (e.c == NO_COLUMN)
            break;
        real term = op_term(row, e, max);
        sum = pair_add(sum, term);
        if (HOLDS_TERMS)
            h->edge_x[i] = term;
    }
    return sum;
}

#if MAY_BE_HOT && OP_WRITES == WRITES_ROW
INLINE bool is_hot(struct row row, uint c, real max)
{
    return row.one_hot && c < row.cols && row_logit(row, c) == max && is_seen(row, c);
}

/* The first column where the row has its maximum, in rows of temperature 0. */
INLINE uint held_hot(struct row row, real max, uint first, __local real *scratch)
{
    uint at = NO_COLUMN;
    for (uint i = 0; i < worker_columns(row, first, WORKERS); i++) {
        uint c = worker_column(row, first, WORKERS, i);
        at = at == NO_COLUMN && is_hot(row, c, max) ? c : at;
    }
    return set_min_column(&at, scratch);
}
#endif

#if OP_WRITES == WRITES_ROW
/* What is written for an element of which the term is held: `part` brings that to the row's
 * own maximum. */
INLINE real term_value(struct row row, uint c, real term, struct result result,
                       real part)
{
#if OP_FROM_TERM
    return op_from_term(row, c, MAX_MOVES ? term * part : term, result);
#else
    return term;
#endif
}

INLINE real held_value(struct row row, struct element e, struct result result, uint hot)
{
#if MAY_BE_HOT
    if (row.one_hot)
        e.x = pick(e.c, hot, result.max, (real)(-INFINITY));
#endif
    return op_elsewhere(row, e, result);
}

/* The one column for which the operation has a value of its own, by who wrote it before. */
INLINE void write_spot(struct row row, struct cut cut, uint first, struct result result)
{
#if OP_SPOT
    uint c = op_spot(result);
    bool edge = false;
    UNROLL for (uint i = 0; i < EDGES && cut.ragged; i++)
        edge = edge || edge_column(row, cut, first, i) == c;
    if (c < row.cols && (edge || pack_is_taken(cut, first, c)))
        row_store(row, c, row.cols, op_at_spot(row, result));
#endif
}

/* `terms`: are terms held, and `part` what brings them to the row's maximum? */
INLINE void held_write(const struct held *h, struct row row, struct cut cut, uint first,
                       struct result result, uint hot, bool terms, real part)
{
    uint start = pack_column(cut, first, 0);
    struct element nothing = {NO_COLUMN, (real)FILL, (real)0};
    real unseen = BOUNDED ? held_value(row, nothing, result, hot) : (real)0;
    UNROLL for (uint j = 0; j < PACKS; j++)
    {
        real v[PACK];
        uint w[Y_WORDS], on = j * WORKERS * PACK;
        struct pack pack = held_pack(h, j);
        UNROLL for (uint k = 0; k < PACK; k++)
        {
            struct element e = pack_element(&pack, row, start + on + k, k);
            v[k] = unseen;
            if (terms)
                v[k] = term_value(row, e.c, pack_term(&pack, k), result, part);
            else if (pack_is_seen(row, start + on))
                v[k] = held_value(row, e, result, hot);
        }
        CAT(words_from_, Y)(w, v);
        if (pack_is_there(cut, first, j) && cut.y_fits)
            words_store(w, Y_WORDS, row.y + start + (size_t)on);
        else if (pack_is_there(cut, first, j))
            UNROLL for (uint k = 0; k < PACK; k++)
                row_store(row, start + on + k, row.cols, v[k]);
    }
    UNROLL for (uint i = 0; i < EDGES && cut.ragged; i++)
    {
        struct element e = edge_element(h, row, cut, first, i);
        if (e.c != NO_COLUMN)
            row_store(row, e.c, row.cols,
                      terms ? term_value(row, e.c, e.x, result, part)
                            : held_value(row, e, result, hot));
    }
    write_spot(row, cut, first, result);
}
#endif

/* Maximum and sum of what is held, as this worker sees them; it stays held as it is. */
INLINE struct state held_state(struct held *held, struct row row, struct cut cut,
                               uint first, struct state s, struct keep *keep)
{
    struct held spent;
#if OP_NEEDS_MAX
    real max = held_max(held, row, cut, first);
    if (max > s.max)
        s = state_raise(s, max);
    if (!MAX_OF_WORDS)
        held_forget(held, row);
#endif
    spent = *held;
    s.sum = pair_merge(s.sum, held_sum(&spent, row, cut, first, s.max, keep));
    return s;
}

/* The state is the whole row's: write what is held, where terms were taken relative to
 * `max`. */
INLINE void held_end(struct held *held, struct row row, struct cut cut, uint first,
                     struct state s, real max, struct keep *keep, __local real *scratch)
{
    uint hot = NO_COLUMN;
#if MAY_BE_HOT && OP_WRITES == WRITES_ROW
    hot = held_hot(row, s.max, first, scratch);
#endif
    struct result result = close_row(row, s, keep, first, scratch);
#if OP_WRITES == WRITES_ROW
    real part = (real)1;
#if OP_FROM_TERM && MAX_MOVES
    part = exp_nonpositive(below_max(max, result.max));
#endif
    if (!HOLDS_TERMS)
        held_forget(held, row);
    held_write(held, row, cut, first, result, hot, HOLDS_TERMS, part);
#elif OP_WRITES == WRITES_ITSELF
    op_write(row, result, keep, first, WORKERS, scratch);
#endif
}

INLINE struct state given_state(struct row row)
{
    struct state s = state_empty();
#if OP_GIVEN
    s.max = row.from_max;
    s.sum.hi = row.from_sum;
#endif
    return s;
}

/* One row from memory to memory. With everybody's maximum first: no state is raised. */
INLINE void held_row(struct row row, uint first, __local real *scratch,
                     __local uint4 *stock)
{
    struct state s = given_state(row);
    struct cut cut = cut_row(row);
    struct held held;
    struct keep keep;
    held.stock = stock + get_local_id(0);
    keep_start(&keep, row);
    hold_row(&held, row, cut, first);
#if !OP_GIVEN
#if OP_NEEDS_MAX
    s.max = set_max(held_max(&held, row, cut, first), scratch);
    if (!MAX_OF_WORDS)
        held_forget(&held, row);
#endif
    s.sum = set_sum(held_sum(&held, row, cut, first, s.max, &keep), scratch);
#endif
    held_end(&held, row, cut, first, s, s.max, &keep, scratch);
}
