/* SPDX-License-Identifier: MIT */
/* What is held of a row as y. */
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
    __global mem_y *y = row.y + pack_column(cut, first, 0) + (size_t)(j * SIDE * PACK);
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

INLINE void held_write(const struct held *h, uint kept, struct row row, struct cut cut,
                       uint first, struct result result, uint hot, bool terms, real part)
{
    struct element nothing = {NO_COLUMN, (real)FILL, (real)0};
    real unseen = BOUNDED ? held_value(row, nothing, result, hot) : (real)0;
    struct writing as = {result, hot, terms, part, unseen};
    UNROLL for (uint j = 0; j < kept; j++)
    {
        struct pack pack = get_kept(h, j);
#if ONE_PASS
        if (j % GROUP == 0) {
            as.result = result;
            op_rescale(&as.result, bunch_factor(h, j / GROUP, result.max));
        }
        as.part = (real)1;
#endif
        write_pack(&pack, row, cut, first, j, as);
    }
    STOCK_LOOP for (uint j = kept; j < PACKS; j++)
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

#if OP_VANISHES
/* All that is held as what adds nothing; in words of which the compiler does not know what comes
 * of them, or it would compute that here. */
INLINE void held_clear(struct held *h, uint kept, struct row row)
{
    struct pack nothing;
    UNROLL for (uint i = 0; i < X_WORDS; i++)
        nothing.x[i] = (HOLDS_TERMS ? 0u : FILL_WORD(i)) + row.zero;
    UNROLL for (uint k = 0; k < PACK; k++)
        nothing.logit[k] = (real)0;
    UNROLL for (uint j = 0; j < kept; j++)
        set_kept(h, j, &nothing);
    STOCK_LOOP for (uint j = kept; j < PACKS; j++)
        set_stocked(h, j, &nothing);
    UNROLL for (uint i = 0; i < EDGES; i++)
        h->edge_x[i] = HOLDS_TERMS ? (real)0 : (real)(-INFINITY);
}
#endif

/* The state is the whole row's: write what is held, where terms were taken relative to
 * `max`. */
INLINE void held_end(struct held *held, uint kept, struct row row, struct cut cut,
                     uint first, struct state s, real max, struct keep *keep,
                     __local real *scratch)
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
        held_tame(held, kept);
#endif
#if OP_VANISHES
    if (op_vanishes(result)) {
        held_clear(held, kept, row);
        part = (real)1;
    }
#endif
    if (!HOLDS_TERMS)
        held_forget(held, kept, row);
    held_write(held, kept, row, cut, first, result, hot, HOLDS_TERMS, part);
#elif OP_WRITES == WRITES_ITSELF
    op_write(row, result, keep, first, WORKERS, scratch);
#endif
}
