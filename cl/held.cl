/* SPDX-License-Identifier: MIT */
/*
 * A row held in registers: read once, in packs of 16 bytes, whatever address it starts at.
 * WORKERS work-items share it; worker `first` holds the packs first, first + WORKERS, ... and,
 * of the elements before the first and behind the last whole pack, those that are its own.
 */
#include "words.cl"
#include "pack_sum.cl"

#if FORMS
#define LOGITS_READY 1
#else
#define LOGITS_READY 0
#endif

/* Packs start at multiples of 16 bytes; where there are workers enough for all the elements
 * before it, the first one at a multiple of 128, so that no two sets of lanes share a line. */
enum {
    LINE = WORKERS >= 128 / sizeof(mem_x) + PACK ? 128 / sizeof(mem_x) : PACK,
    EDGES = (LINE - 1 + PACK - 1 + WORKERS - 1) / WORKERS
};

/* A row cut at these borders: `head` elements, whole packs, from column `tail` on the rest. Packs `base` to `packs` are this turn's, or the first of them. */
struct cut {
    uint head, tail;
    uint base, packs;
    bool ragged;          /* is there more than whole packs? */
    bool y_fits, dy_fits; /* their packs start at whole addresses too */
};

#define PHASE(p, T, n) (uint)((size_t)(p) / sizeof(mem_##T) % (n))

INLINE struct cut cut_row(struct row row)
{
    struct cut cut;
    uint phase = PHASE(row.x, x, PACK);
    cut.head = min((LINE - PHASE(row.x, x, LINE)) % LINE, row.cols);
    cut.base = 0;
    cut.packs = (row.cols - cut.head) / PACK;
    cut.tail = cut.head + cut.packs * PACK;
    cut.ragged = cut.head || cut.tail < row.cols;
    cut.y_fits = PHASE(row.y, y, PACK) == phase;
    cut.dy_fits = true;
#if HAS_DY
    cut.dy_fits = PHASE(row.dy, dy, PACK) == phase;
#endif
    return cut;
}

/* The first column of pack j. */
INLINE uint pack_column(struct cut cut, uint first, uint j)
{
    return cut.head + (cut.base + j * WORKERS + first) * PACK;
}

INLINE bool pack_is_there(struct cut cut, uint first, uint j)
{
    return cut.base + j * WORKERS + first < cut.packs;
}

/* Edge element i: one of the head, then one of the tail; NO_COLUMN past these. */
INLINE uint edge_column(struct row row, struct cut cut, uint first, uint i)
{
    uint n = i * WORKERS + first, c = n < cut.head ? n : cut.tail + (n - cut.head);
    return c < row.cols ? c : NO_COLUMN;
}

/* Columns that a row has not got, as -inf, or as 0 where there is no maximum. */
#define FILL (OP_NEEDS_MAX ? -INFINITY : (SCALAR)0)

/* What a worker holds. Logits that are more than x are held ready, as reals. */
struct held {
    uint x[PACKS][X_WORDS];
    uint dy[PACKS][DY_WORDS];
    real logit[PACKS][PACK];
    real edge_x[EDGES], edge_dy[EDGES];
};

INLINE bool is_seen(struct row row, uint c)
{
    return !BOUNDED || (c >= row.begin && c < row.end);
}

INLINE void hold_words(struct held *h, struct cut cut, bool there, uint j,
                       const __global mem_x *x)
{
    real fill[PACK];
    uint w[X_WORDS];
    UNROLL for (uint k = 0; k < PACK; k++)
        fill[k] = FILL;
    CAT(words_from_, X)(w, fill);
    if (there)
        words_load(w, X_WORDS, x);
    UNROLL for (uint i = 0; i < X_WORDS; i++)
        h->x[j][i] = w[i];
}

#if HAS_DY
INLINE void hold_dy(struct held *h, struct cut cut, bool there, uint j,
                    const __global mem_dy *dy)
{
    uint w[DY_WORDS];
    UNROLL for (uint i = 0; i < DY_WORDS; i++)
        w[i] = 0;
    if (there && cut.dy_fits)
        words_load(w, DY_WORDS, dy);
    else if (there) {
        real v[PACK];
        UNROLL for (uint k = 0; k < PACK; k++)
            v[k] = CAT(get_, DY)(dy + k);
        CAT(words_from_, DY)(w, v);
    }
    UNROLL for (uint i = 0; i < DY_WORDS; i++)
        h->dy[j][i] = w[i];
}
#endif

INLINE void hold_pack(struct held *h, struct row row, struct cut cut, uint first, uint j)
{
    uint c = pack_column(cut, first, j);
    bool there = pack_is_there(cut, first, j);
    if (BOUNDED)
        there = there && c < row.end && c + PACK > row.begin;
    hold_words(h, cut, there, j, row.x + c);
#if HAS_DY
    hold_dy(h, cut, there, j, row.dy + c);
#endif
}

INLINE void hold_logits(struct held *h, struct row row, struct cut cut, uint first, uint j)
{
    uint c = pack_column(cut, first, j);
    bool there = pack_is_there(cut, first, j);
    UNROLL for (uint k = 0; k < PACK; k++)
    {
        h->logit[j][k] = FILL;
        if (there && is_seen(row, c + k))
            h->logit[j][k] = logit_of(row, c + k, CAT(word_, X)(h->x[j], k));
    }
}

INLINE void hold_edges(struct held *h, struct row row, struct cut cut, uint first)
{
    if (!cut.ragged)
        return;
    UNROLL for (uint i = 0; i < EDGES; i++)
    {
        uint c = edge_column(row, cut, first, i);
        h->edge_x[i] = FILL;
        h->edge_dy[i] = 0;
        if (c != NO_COLUMN && is_seen(row, c)) {
            h->edge_x[i] = row_logit(row, c);
#if HAS_DY
            h->edge_dy[i] = CAT(get_, DY)(row.dy + c);
#endif
        }
    }
}

/* All loads are on their way before the first is waited for. */
INLINE void hold_row(struct held *h, struct row row, struct cut cut, uint first)
{
    UNROLL for (uint j = 0; j < PACKS; j++)
        hold_pack(h, row, cut, first, j);
    hold_edges(h, row, cut, first);
#if FORMS
    UNROLL for (uint j = 0; j < PACKS; j++)
        hold_logits(h, row, cut, first, j);
#endif
}

/* A pack on its way through the arithmetic. */
struct pack {
    uint c; /* its first column */
    uint x[X_WORDS], dy[DY_WORDS];
    real logit[PACK];
};

INLINE struct pack held_pack(const struct held *h, struct cut cut, uint first, uint j)
{
    struct pack pack;
    pack.c = pack_column(cut, first, j);
    UNROLL for (uint i = 0; i < X_WORDS; i++)
        pack.x[i] = h->x[j][i];
    UNROLL for (uint i = 0; i < DY_WORDS; i++)
        pack.dy[i] = h->dy[j][i];
    UNROLL for (uint k = 0; k < PACK; k++)
        pack.logit[k] = h->logit[j][k];
    return pack;
}

INLINE struct element pack_element(const struct pack *pack, struct row row, uint k)
{
    struct element e = {pack->c + k, (real)0, (real)0};
#if FORMS
    e.x = pack->logit[k];
#else
    e.x = CAT(word_, X)(pack->x, k);
    e.x = is_seen(row, e.c) ? e.x : (real)FILL;
#endif
#if HAS_DY
    e.dy = CAT(word_, DY)(pack->dy, k);
#endif
    return e;
}

INLINE struct element edge_element(const struct held *h, struct row row, struct cut cut,
                                   uint first, uint i)
{
    struct element e = {edge_column(row, cut, first, i), h->edge_x[i], h->edge_dy[i]};
    return e;
}

INLINE uint worker_columns(struct row row, uint first, uint step)
{
    return row.cols ? PACKS * PACK + 2 * EDGES : 0;
}

/* Its part of the head, its packs, its part of the tail. */
INLINE uint worker_column(struct row row, uint first, uint step, uint i)
{
    struct cut cut = cut_row(row);
    uint c = NO_COLUMN;
    if (i < EDGES)
        c = edge_column(row, cut, first, i);
    else if (i >= EDGES + PACKS * PACK)
        c = edge_column(row, cut, first, i - EDGES - PACKS * PACK);
    else if (pack_is_there(cut, first, (i - EDGES) / PACK))
        c = pack_column(cut, first, (i - EDGES) / PACK) + (i - EDGES) % PACK;
    bool head = c < cut.head, tail = c >= cut.tail;
    bool wanted = i < EDGES ? head : i >= EDGES + PACKS * PACK ? tail : true;
    return wanted && is_seen(row, c) ? c : NO_COLUMN;
}

/* Between two passes: what the first made of the packs is not worth a register each, so the
 * compiler may not know that the second makes the same of them. */
INLINE void held_forget(struct held *h, struct row row)
{
#if HAS_PTX && !LOGITS_READY
    UNROLL for (uint j = 0; j < PACKS; j++)
    {
        UNROLL for (uint i = 0; i < X_WORDS; i++)
            h->x[j][i] ^= row.zero;
#if HAS_DY
        UNROLL for (uint i = 0; i < DY_WORDS; i++)
            h->dy[j][i] ^= row.zero;
#endif
    }
#endif
}

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
        sum = add_pack(sum, term, most == max);
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
INLINE bool is_hot(const struct held *h, struct row row, uint c, real max)
{
    return row.one_hot && c < row.cols && row_logit(row, c) == max && is_seen(row, c);
}

/* The first column where the row has its maximum, in rows of temperature 0. */
INLINE uint held_hot(const struct held *h, struct row row, real max, uint first,
                     __local real *scratch)
{
    uint at = NO_COLUMN;
    for (uint i = 0; i < worker_columns(row, first, WORKERS); i++) {
        uint c = worker_column(row, first, WORKERS, i);
        at = at == NO_COLUMN && is_hot(h, row, c, max) ? c : at;
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
    hot = held_hot(held, row, s.max, first, scratch);
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
