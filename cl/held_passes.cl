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

INLINE real held_max(const struct held *h, struct row row, struct cut cut, uint first)
{
    real max = -INFINITY;
    UNROLL for (uint j = 0; j < KEPT; j++)
    {
        struct pack pack = get_kept(h, j);
        max = real_max(max, pack_max(&pack, row));
    }
    STOCK_LOOP for (uint j = KEPT; j < PACKS; j++)
    {
        struct pack pack = get_stocked(h, j, row.zero);
        max = real_max(max, pack_max(&pack, row));
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

INLINE void pack_terms(const struct pack *pack, struct row row, uint c, real max, real *term)
{
    UNROLL for (uint k = 0; k < PACK; k++)
        term[k] = op_term(row, pack_element(pack, row, c + k, k), max);
}

/* Columns of pack j for an operation that keeps something. */
INLINE void keep_pack(const struct pack *pack, struct row row, struct cut cut, uint first,
                      uint j, struct keep *keep)
{
#if OP_KEEPS
    uint c = pack_column(cut, first, j);
    UNROLL for (uint k = 0; k < PACK; k++)
        if (pack_is_there(cut, first, j) && is_seen(row, c + k))
            keep_add(keep, row, pack_element(pack, row, c + k, k));
#endif
}

/* Is this a term that has to be exactly 1, but is off like the others of its row? */
#if OP_NEEDS_REST && OP_NEEDS_MAX
#define IS_ONE(x, max) (BIASED && (x) == (max) && (x) > (real)(-INFINITY))
#else
#define IS_ONE(x, max) false
#endif

/* Adds the terms of the head and the tail, and leaves them where terms are held. */
INLINE struct pair edge_sum(struct held *h, struct row row, struct cut cut, uint first,
                            real max, struct pair sum, bool holds, real *ones)
{
    UNROLL for (uint i = 0; i < EDGES && cut.ragged; i++)
    {
        struct element e = edge_element(h, row, cut, first, i);
        if (e.c == NO_COLUMN)
            break;
        real term = op_term(row, e, max);
        if (IS_ONE(e.x, max))
            *ones += (real)1;
        else
            sum = pair_add(sum, term);
        if (holds)
            h->edge_x[i] = term;
    }
    return sum;
}

#if OP_NEEDS_REST && OP_NEEDS_MAX
/* Does a pack, of terms if it holds these, have the row's maximum? */
INLINE bool pack_has_max(const struct pack *pack, struct row row, real max, bool holds)
{
    real most = (real)0;
    UNROLL for (uint k = 0; k < PACK; k++)
        most = real_max(most, pack_number(pack, k));
    return holds ? most == (real)1 : pack_max(pack, row) == max;
}

/* A logarithm of a sum barely above 1 wants the last digits of what stands beside the maximum,
 * which those that were added to it in its pack have lost: they are added again, one by one.
 * Where the sum is 2 or more, nobody misses them; so there is no second maximum either. */
INLINE struct pair sum_beside_max(const struct held *h, struct row row, struct cut cut,
                                  uint first, real max, bool holds, struct pair sum, real *ones)
{
    struct pack found;
    bool is_found = false;
    uint c = 0;
    UNROLL for (uint j = 0; j < KEPT; j++)
    {
        struct pack pack = get_kept(h, j);
        pack_forget(&pack, row);
        if (pack_has_max(&pack, row, max, holds)) {
            found = pack;
            is_found = true;
            c = pack_column(cut, first, j);
        }
    }
    STOCK_LOOP for (uint j = KEPT; j < PACKS; j++)
    {
        struct pack pack = get_stocked(h, j, row.zero);
        if (pack_has_max(&pack, row, max, holds)) {
            found = pack;
            is_found = true;
            c = pack_column(cut, first, j);
        }
    }
    if (!is_found)
        return sum;
    real term[PACK], same[PACK];
    if (!holds)
        pack_terms(&found, row, c, max, term);
    UNROLL for (uint k = 0; k < PACK; k++)
        same[k] = term[k] = holds ? pack_number(&found, k) : term[k];
    sum = pair_add(sum, -tree_sum(same));
    UNROLL for (uint k = 0; k < PACK; k++)
        if (IS_ONE(pack_logit(&found, row, k), max))
            *ones += (real)1;
        else
            sum = pair_add(sum, term[k]);
    return sum;
}
#endif

/* Adds the terms of pack j, and leaves them if it holds terms. */
INLINE struct pair pack_sum(struct pack *pack, struct row row, struct cut cut, uint first,
                            uint j, real max, bool holds, struct keep *keep,
                            struct pair sum)
{
    real term[PACK];
    uint c = pack_column(cut, first, j);
    UNROLL for (uint k = 0; k < PACK; k++)
        term[k] = (real)0;
    if (pack_is_seen(row, c))
        pack_terms(pack, row, c, max, term);
    keep_pack(pack, row, cut, first, j, keep);
    if (holds)
        pack_set(pack, term);
    return add_terms(sum, term, false);
}

/* `holds`: leave the terms, where those can be held. `most` is this worker's own maximum. */
INLINE struct pair held_sum(struct held *h, struct row row, struct cut cut, uint first,
                            real max, real most, bool holds, struct keep *keep)
{
    struct pair sum = {(real)0, (real)0};
    holds = holds && HOLDS_TERMS;
    keep_edges(h, row, cut, first, keep, false);
    UNROLL for (uint j = 0; j < KEPT; j++)
    {
        struct pack pack = get_kept(h, j);
        sum = pack_sum(&pack, row, cut, first, j, max, holds, keep, sum);
        if (holds)
            set_kept(h, j, &pack);
    }
    STOCK_LOOP for (uint j = KEPT; j < PACKS; j++)
    {
        struct pack pack = get_stocked(h, j, 0);
        sum = pack_sum(&pack, row, cut, first, j, max, holds, keep, sum);
        if (holds)
            set_stocked(h, j, &pack);
    }
    keep_edges(h, row, cut, first, keep, true);
    real ones = (real)0;
    sum = edge_sum(h, row, cut, first, max, sum, holds, &ones);
#if OP_NEEDS_REST && OP_NEEDS_MAX
    if (most == max && sum.hi < (real)2)
        sum = sum_beside_max(h, row, cut, first, max, holds, sum, &ones);
#endif
#if OP_NEEDS_MAX
    if (BIASED) {
        sum.hi *= exp_unbias(row_max(max));
        sum.lo *= exp_unbias(row_max(max));
        sum = pair_add(sum, ones);
    }
#endif
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

/* How elements become results. */
struct writing {
    struct result result;
    uint hot;
    bool terms;  /* are terms held, */
    real part;   /* and what brings them to the row's maximum? */
    real unseen; /* for columns that do not take part */
};

/* Pack j to y. */
INLINE void write_pack(const struct pack *pack, struct row row, struct cut cut, uint first,
                       uint j, struct writing as)
{
    real v[PACK];
    uint w[Y_WORDS], c = pack_column(cut, first, j);
    __global mem_y *y = row.y + pack_column(cut, first, 0) + (size_t)(j * WORKERS * PACK);
    UNROLL for (uint k = 0; k < PACK; k++)
    {
        struct element e = pack_element(pack, row, c + k, k);
        v[k] = as.unseen;
        if (as.terms)
            v[k] = term_value(row, e.c, pack_number(pack, k), as.result, as.part);
        else if (pack_is_seen(row, c))
            v[k] = held_value(row, e, as.result, as.hot);
    }
    CAT(words_from_, Y)(w, v);
    if (pack_is_there(cut, first, j) && cut.y_fits)
        words_store(w, Y_WORDS, y);
    else if (pack_is_there(cut, first, j))
        words_scatter(w, sizeof(mem_y), y);
}

INLINE void held_write(const struct held *h, struct row row, struct cut cut, uint first,
                       struct result result, uint hot, bool terms, real part)
{
    struct element nothing = {NO_COLUMN, (real)FILL, (real)0};
    real unseen = BOUNDED ? held_value(row, nothing, result, hot) : (real)0;
    struct writing as = {result, hot, terms, part, unseen};
    UNROLL for (uint j = 0; j < KEPT; j++)
    {
        struct pack pack = get_kept(h, j);
        write_pack(&pack, row, cut, first, j, as);
    }
    STOCK_LOOP for (uint j = KEPT; j < PACKS; j++)
    {
        struct pack pack = get_stocked(h, j, 0);
        write_pack(&pack, row, cut, first, j, as);
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
    real max = -INFINITY;
#if OP_NEEDS_MAX
    max = held_max(held, row, cut, first);
    if (max > s.max)
        s = state_raise(s, max);
    if (!MAX_OF_WORDS)
        held_forget(held, row);
#endif
    struct pair sum = held_sum(held, row, cut, first, s.max, max, false, keep);
    s.sum = pair_merge(s.sum, sum);
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
#if TAMED
    if (!HOLDS_TERMS && result.max == (real)INFINITY && max < (real)INFINITY)
        held_tame(held);
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

/* Maximum and sum of what all workers of a set hold. With everybody's maximum first: no state
 * is raised. */
INLINE struct state held_set_state(struct held *held, struct row row, struct cut cut,
                                   uint first, struct keep *keep, __local real *scratch)
{
    struct state s = given_state(row);
#if !OP_GIVEN
    real most = -INFINITY;
#if OP_NEEDS_MAX
    most = held_max(held, row, cut, first);
    s.max = set_max(most, scratch);
    if (TAMED && s.max == (real)INFINITY)
        held_tame(held);
    if (!MAX_OF_WORDS)
        held_forget(held, row);
#endif
    s.sum = set_sum(held_sum(held, row, cut, first, s.max, most, true, keep), scratch);
#endif
    return s;
}

/* One row from memory to memory. */
INLINE void held_row(struct row row, uint first, __local real *scratch,
                     __local uint4 *stock)
{
    struct cut cut = cut_row(row);
    struct held held;
    struct keep keep;
    held.stock = stock + get_local_id(0);
    keep_start(&keep, row);
    hold_row(&held, row, cut, first);
    struct state s = held_set_state(&held, row, cut, first, &keep, scratch);
    held_end(&held, row, cut, first, s, s.max, &keep, scratch);
}
