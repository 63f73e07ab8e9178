/* SPDX-License-Identifier: MIT */
/* Maximum, sum and writing of a row that is held in registers, for any operation. */
#include "held.cl"
enum { TERMS = PACK };
#include "term_sum.cl"

INLINE real held_max(const struct held *h, struct row row, struct cut cut, uint first)
{
    real max[PACK];
    UNROLL for (uint k = 0; k < PACK; k++)
        max[k] = -INFINITY;
    UNROLL for (uint j = 0; j < PACKS; j++)
    {
        struct pack pack = held_pack(h, cut, first, j);
        UNROLL for (uint k = 0; k < PACK; k++)
            max[k] = real_max(max[k], pack_element(&pack, row, k).x);
    }
    UNROLL for (uint i = 0; i < EDGES && cut.ragged; i++)
        max[0] = real_max(max[0], h->edge_x[i]);
    UNROLL for (uint k = 1; k < PACK; k++)
        max[0] = real_max(max[0], max[k]);
    return max[0];
}

INLINE struct pair held_sum(const struct held *h, struct row row, struct cut cut,
                            uint first, real max, struct keep *keep)
{
    struct pair sum = {(real)0, (real)0};
    UNROLL for (uint i = 0; i < EDGES && cut.ragged; i++)
    {
        struct element e = edge_element(h, row, cut, first, i);
        if (e.c == NO_COLUMN)
            break;
        sum = pair_add(sum, op_term(row, e, max));
        if (OP_KEEPS && e.c < cut.head && is_seen(row, e.c))
            keep_add(keep, row, e);
    }
    UNROLL for (uint j = 0; j < PACKS; j++)
    {
        struct pack pack = held_pack(h, cut, first, j);
        real term[PACK], most = -INFINITY;
        UNROLL for (uint k = 0; k < PACK; k++)
        {
            struct element e = pack_element(&pack, row, k);
            most = real_max(most, e.x);
            term[k] = op_term(row, e, max);
            if (OP_KEEPS && pack_is_there(cut, first, j) && is_seen(row, e.c))
                keep_add(keep, row, e);
        }
        sum = add_terms(sum, term, most == max);
    }
    UNROLL for (uint i = 0; i < EDGES && cut.ragged; i++)
    {
        struct element e = edge_element(h, row, cut, first, i);
        if (OP_KEEPS && e.c >= cut.tail && e.c != NO_COLUMN && is_seen(row, e.c))
            keep_add(keep, row, e);
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
INLINE real held_value(struct row row, struct element e, struct result result, uint hot)
{
#if MAY_BE_HOT
    if (row.one_hot)
        e.x = pick(e.c, hot, result.max, (real)(-INFINITY));
#endif
    return op_value(row, e, result);
}

INLINE void held_write(const struct held *h, struct row row, struct cut cut, uint first,
                       struct result result, uint hot)
{
    UNROLL for (uint j = 0; j < PACKS; j++)
    {
        real v[PACK];
        struct pack pack = held_pack(h, cut, first, j);
        uint w[Y_WORDS], c = pack.c;
        UNROLL for (uint k = 0; k < PACK; k++)
            v[k] = held_value(row, pack_element(&pack, row, k), result, hot);
        CAT(words_from_, Y)(w, v);
        if (pack_is_there(cut, first, j) && cut.y_fits)
            words_store(w, Y_WORDS, row.y + c);
        else if (pack_is_there(cut, first, j))
            UNROLL for (uint k = 0; k < PACK; k++)
                row_store(row, c + k, row.cols, v[k]);
    }
    UNROLL for (uint i = 0; i < EDGES && cut.ragged; i++)
    {
        struct element e = edge_element(h, row, cut, first, i);
        if (e.c != NO_COLUMN)
            row_store(row, e.c, row.cols, held_value(row, e, result, hot));
    }
}
#endif

/* Maximum and sum of what is held, as this worker sees them. */
INLINE struct state held_state(struct held *held, struct row row, struct cut cut,
                               uint first, struct state s, struct keep *keep)
{
#if OP_NEEDS_MAX
    real max = held_max(held, row, cut, first);
    if (max > s.max)
        s = state_raise(s, max);
    held_forget(held, row);
#endif
    s.sum = pair_merge(s.sum, held_sum(held, row, cut, first, s.max, keep));
    return s;
}


/* The state is the whole row's: write what is held. */
INLINE void held_end(struct held *held, struct row row, struct cut cut, uint first,
                     struct state s, struct keep *keep, __local real *scratch)
{
    uint hot = NO_COLUMN;
#if MAY_BE_HOT && OP_WRITES == WRITES_ROW
    hot = held_hot(row, s.max, first, scratch);
#endif
    struct result result = close_row(row, s, keep, first, scratch);
#if OP_WRITES == WRITES_ROW
    held_forget(held, row);
    held_write(held, row, cut, first, result, hot);
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
INLINE void held_row(struct row row, uint first, __local real *scratch)
{
    struct state s = given_state(row);
    struct cut cut = cut_row(row);
    struct held held;
    struct keep keep;
    keep_start(&keep, row);
    hold_row(&held, row, cut, first);
#if !OP_GIVEN
#if OP_NEEDS_MAX
    s.max = set_max(held_max(&held, row, cut, first), scratch);
    held_forget(&held, row);
#endif
    s.sum = set_sum(held_sum(&held, row, cut, first, s.max, &keep), scratch);
#endif
    held_end(&held, row, cut, first, s, &keep, scratch);
}
