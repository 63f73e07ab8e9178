/* SPDX-License-Identifier: MIT */
/* What a worker holds of a row in registers: read once, and given out element by element. */
#include "words.cl"
#include "cut.cl"

#if FORMS
#define LOGITS_READY 1
#else
#define LOGITS_READY 0
#endif

/* Columns that a row has not got, as -inf, or as 0 where there is no maximum. */
#define FILL (OP_NEEDS_MAX ? -INFINITY : (SCALAR)0)

/* What a worker holds. Logits that are more than x are held ready, as reals. */
struct held {
    uint x[PACKS][X_WORDS];
    uint dy[PACKS][DY_WORDS];
    real logit[PACKS][PACK];
    real edge_x[EDGES], edge_dy[EDGES];
};

INLINE void hold_words(struct held *h, bool there, uint j, const __global mem_x *x)
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
    hold_words(h, there, j, row.x + c);
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
