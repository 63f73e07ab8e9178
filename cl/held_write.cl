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
    return set_min_column(at, scratch);
}
#endif

/* How elements become results. */
struct writing {
    struct result result;
    uint hot;
    real max;    /* that terms were taken relative to, */
    real part;   /* and what brings them, if they are held, to the row's */
    real unseen; /* for columns that do not take part */
    uint stays, fill; /* bits of words that stay, and bits instead of others, see held_clear */
};

#if OP_WRITES == WRITES_ROW
/* Element e, or its term if that is held. */
INLINE real written(struct row row, struct element e, const struct writing *as)
{
#if HOLDS_TERMS
    return op_from_term(row, e.c, MAX_MOVES ? e.x * as->part : e.x, as->result);
#else
#if MAY_BE_HOT
    if (row.one_hot)
        e.x = pick(e.c, as->hot, as->result.max, (real)(-INFINITY));
#endif
    return op_elsewhere(row, e, as->result);
#endif
}

INLINE struct writing writing_of(struct row row, struct result result, uint hot, real max)
{
    struct writing as = {result, hot, max, (real)1, (real)0};
#if HOLDS_TERMS && MAX_MOVES
    as.part = exp_nonpositive(below_max(max, result.max));
#endif
#if BOUNDED && !HOLDS_TERMS
    struct element nothing = {NO_COLUMN, (real)FILL, (real)0};
    as.unseen = written(row, nothing, &as);
#endif
    return as;
}

/* Pack j to y. */
INLINE void write_pack(const struct pack *pack, struct row row, struct cut cut, uint first,
                       uint j, const struct writing *as)
{
    real v[PACK];
    uint w[Y_WORDS], c = pack_column(cut, first, j);
    __global mem_y *y = row.y + pack_column(cut, first, 0) + (size_t)(j * SIDE * PACK);
    UNROLL for (uint k = 0; k < PACK; k++)
    {
        struct element e = pack_element(pack, row, c + k, k);
        if (HOLDS_TERMS)
            e.x = pack_number(pack, k);
        v[k] = as->unseen;
        if (HOLDS_TERMS || pack_is_seen(row, c))
            v[k] = written(row, e, as);
    }
    CAT(words_from_, Y)(w, v);
#if MOVED_IN_ONE
    if (Y_WORDS == 4 && sizeof(mem_y) < 8) {
        ptx_store_16(y, (uint4)(w[0], w[1], w[2], w[3]), pack_is_there(cut, first, j),
                     cut.y_fits, sizeof(mem_y));
        return;
    }
#endif
    if (pack_is_there(cut, first, j) && cut.y_fits)
        words_store(w, Y_WORDS, y);
    else if (pack_is_there(cut, first, j))
        words_scatter(w, sizeof(mem_y), y);
}

/* The one column for which the operation has a value of its own, by who wrote it before. */
INLINE void write_spot(struct row row, struct cut cut, uint first, struct result result)
{
#if OP_SPOT
    uint c = op_spot(result);
    bool edge = false;
    UNROLL for (uint i = 0; i < EDGES && cut.ragged; i++)
        edge = edge | (edge_column(row, cut, first, i) == c);
    if ((c < row.cols) & (edge | pack_is_taken(cut, first, c)))
        row_store(row, c, row.cols, op_at_spot(row, result));
#endif
}

/* Words in registers become what adds nothing when they are written. */
#define CLEARS_LATE (OP_VANISHES && HAS_PTX && !HOLDS_LOGITS && (FORGETS || HOLDS_TERMS))
#if CLEARS_LATE
/* A row of which nothing but 0 is written: what is held as what adds nothing. No
 * branch, for which each word in registers would be one of two. */
INLINE void held_clear(struct held *h, uint kept, struct row row, struct writing *as,
                       bool nothing)
{
    struct pack pack;
    as->fill = nothing && !HOLDS_TERMS ? FILL_WORD(0) : 0u;
    as->stays = (nothing ? 0u : ~0u) + row.zero;
    UNROLL for (uint i = 0; i < X_WORDS; i++)
        pack.x[i] = as->fill;
    if (nothing)
        STOCK_LOOP for (uint j = kept; j < PACKS; j++)
            set_stocked(h, j, &pack);
    UNROLL for (uint i = 0; i < EDGES; i++)
        h->edge_x[i] =
            nothing ? (HOLDS_TERMS ? (real)0 : (real)(-INFINITY)) : h->edge_x[i];
}
#elif OP_VANISHES
/* The same; in words of which the compiler does not know what comes of them, or it would compute
 * that here. */
INLINE void held_clear(struct held *h, uint kept, struct row row, struct writing *as,
                       bool nothing)
{
    struct pack pack;
    if (!nothing)
        return;
    UNROLL for (uint i = 0; i < X_WORDS; i++)
        pack.x[i] = (HOLDS_TERMS ? 0u : FILL_WORD(i)) + row.zero;
    UNROLL for (uint k = 0; k < PACK; k++)
        pack.number[k] = (real)0;
    UNROLL for (uint j = 0; j < kept; j++)
        set_kept(h, j, &pack);
    STOCK_LOOP for (uint j = kept; j < PACKS; j++)
        set_stocked(h, j, &pack);
    UNROLL for (uint i = 0; i < EDGES; i++)
        h->edge_x[i] = HOLDS_TERMS ? (real)0 : (real)(-INFINITY);
}
#endif

/* Before it is written: rows with +inf, and those of which nothing but 0 is written. */
INLINE void held_remake(struct held *h, uint kept, struct row row, struct writing *as)
{
#if TAMED
    if (!HOLDS_TERMS && as->result.max == (real)INFINITY && as->max < (real)INFINITY)
        held_tame(h, kept);
#endif
#if OP_VANISHES
    bool nothing = op_vanishes(as->result);
    held_clear(h, kept, row, as, nothing);
    as->part = nothing ? (real)1 : as->part;
#endif
}

/* The same for a pack in registers. */
INLINE void pack_remake(struct pack *pack, struct row row, const struct writing *as)
{
#if CLEARS_LATE
    UNROLL for (uint i = 0; i < X_WORDS; i++)
        pack->x[i] = (pack->x[i] & as->stays) | as->fill;
#else
    pack_forget(pack, row);
#endif
}

#if ONE_PASS
/* The same for bunch b, whose terms are relative to a maximum of its own. */
INLINE struct writing bunch_writing(const struct held *h, uint b, struct writing as)
{
    op_rescale(&as.result, bunch_factor(h, b, as.result.max));
    as.part = (real)1;
    return as;
}
#endif

INLINE void held_write(struct held *h, uint kept, struct row row, struct cut cut, uint first,
                       struct writing as)
{
    held_remake(h, kept, row, &as);
    struct writing packs_as = as;
    UNROLL for (uint j = 0; j < kept; j++)
    {
        struct pack pack = get_kept(h, j);
        if (!READS_AGAIN)
            pack_remake(&pack, row, &as);
#if ONE_PASS
        if (j % GROUP == 0)
            packs_as = bunch_writing(h, j / GROUP, as);
#endif
        write_pack(&pack, row, cut, first, j, &packs_as);
    }
    STOCK_LOOP for (uint j = kept; j < PACKS; j++)
    {
        struct pack pack = get_stocked(h, j, 0);
        write_pack(&pack, row, cut, first, j, &packs_as);
    }
    UNROLL for (uint i = 0; i < EDGES && cut.ragged; i++)
    {
        struct element e = edge_element(h, row, cut, first, i);
        if (e.c == NO_COLUMN)
            break;
#if ONE_PASS
        real v = op_from_term(row, e.c, op_term(row, e, as.result.max), as.result);
        row_store(row, e.c, row.cols, v);
#else
        row_store(row, e.c, row.cols, written(row, e, &as));
#endif
    }
    write_spot(row, cut, first, as.result);
}
#else
#define held_write(h, kept, row, cut, first, as)
#endif

/* The state is the whole row's: what becomes of what is held, where terms were taken relative to
 * `max`; held_write comes next. These two are for kernels themselves: in one function more a
 * compiler would go over all of it once more. */
INLINE struct writing held_close(struct row row, uint first, struct state s, real max,
                                 struct keep *keep, __local real *scratch)
{
    struct writing as;
    uint hot = NO_COLUMN;
#if MAY_BE_HOT && OP_WRITES == WRITES_ROW
    hot = held_hot(row, s.max, first, scratch);
#endif
    struct result result = close_row(row, s, keep, first, scratch);
#if OP_WRITES == WRITES_ROW
    as = writing_of(row, result, hot, max);
#elif OP_WRITES == WRITES_ITSELF
    op_write(row, result, keep, first, WORKERS, scratch);
#endif
    return as;
}
