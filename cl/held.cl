/* SPDX-License-Identifier: MIT */
/* What a worker holds of a row in registers: read once, and given out element by element. */
#include "words.cl"
#include "cut.cl"

#ifndef LOGITS_READY
#define LOGITS_READY 0 /* 1: logits are held, as reals, instead of x */
#endif

/* Columns that a row has not got, as -inf, or as 0 where there is no maximum. */
#define FILL (OP_NEEDS_MAX ? -INFINITY : (SCALAR)0)
#define FILL_WORD(i) (OP_NEEDS_MAX ? CAT(minus_inf_, X)(i) : 0u)

#if HAS_MASK
enum { MASK_WORDS = PACK * sizeof(mem_mask) / 4 };
#else
enum { MASK_WORDS = 0 };
#endif

struct held {
    uint x[PACKS][X_WORDS]; /* what does not take part is FILL */
    uint dy[PACKS][DY_WORDS];
    uint mask[PACKS][MASK_WORDS + 1];
    real logit[PACKS][PACK];
    real most[PACKS]; /* OP_NEEDS_REST: each pack's maximum */
    real edge_x[EDGES], edge_dy[EDGES];
};

/* Words of a tensor from element p on, one by one where they stand at no whole address. */
#define HOLD(name, NAME)                                                                 \
    INLINE void hold_##name(uint *w, uint n, const __global mem_##name *p, bool fits)    \
    {                                                                                    \
        real v[PACK];                                                                    \
        if (fits) {                                                                      \
            words_load(w, n, p);                                                         \
            return;                                                                      \
        }                                                                                \
        UNROLL for (uint k = 0; k < PACK; k++)                                           \
            v[k] = CAT(get_, NAME)(p + k);                                               \
        CAT(words_from_, NAME)(w, v);                                                    \
    }
HOLD(x, X)
#if HAS_DY
HOLD(dy, DY)
#endif

INLINE void fill_pack(struct held *h, uint j)
{
    UNROLL for (uint i = 0; i < X_WORDS; i++)
        h->x[j][i] = FILL_WORD(i);
    UNROLL for (uint i = 0; i < DY_WORDS; i++)
        h->dy[j][i] = 0;
}

INLINE bool pack_is_seen(struct row row, uint c)
{
    return !BOUNDED || (c < row.end && c + PACK > row.begin);
}

INLINE void hold_pack(struct held *h, struct row row, struct cut cut, uint first, uint j)
{
    uint start = pack_column(cut, first, 0), on = j * WORKERS * PACK;
    fill_pack(h, j);
    if (!pack_is_there(cut, first, j) || !pack_is_seen(row, start + on))
        return;
    hold_x(h->x[j], X_WORDS, row.x + start + (size_t)on, cut.x_fits);
#if HAS_DY
    hold_dy(h->dy[j], DY_WORDS, row.dy + start + (size_t)on, cut.dy_fits);
#endif
}

/* The columns of pack j that do not take part, as FILL. */
INLINE void forget_columns(struct held *h, uint j, const bool *stays)
{
    UNROLL for (uint i = 0; i < X_WORDS; i++)
    {
        uint low = i * PACK / X_WORDS, high = (i * PACK + PACK - 1) / X_WORDS;
        uint a = stays[low] ? h->x[j][i] : FILL_WORD(i);
        uint b = stays[high] ? h->x[j][i] : FILL_WORD(i);
        h->x[j][i] = low == high ? a : (a & 0xffffu) | (b & 0xffff0000u);
    }
}

/* A pack that the row's bounds cut through. */
INLINE void hold_bounds(struct held *h, struct row row, struct cut cut, uint first, uint j)
{
    uint c = pack_column(cut, first, j);
    if (c >= row.begin && c + PACK <= row.end)
        return;
    bool stays[PACK];
    UNROLL for (uint k = 0; k < PACK; k++)
        stays[k] = is_seen(row, c + k);
    forget_columns(h, j, stays);
}

#if HAS_MASK
/* Packs of the mask, where they stand at whole addresses. */
INLINE void hold_mask(struct held *h, struct row row, struct cut cut, uint first, uint j)
{
    uint start = pack_column(cut, first, 0), on = j * WORKERS * PACK;
    UNROLL for (uint i = 0; i < MASK_WORDS; i++)
        h->mask[j][i] = 0;
    if (cut.mask_fits && pack_is_there(cut, first, j) && pack_is_seen(row, start + on))
        words_load(h->mask[j], MASK_WORDS, row.mask + start + (size_t)on);
}

INLINE real held_mask(const struct held *h, struct row row, struct cut cut, uint first,
                      uint j, uint k)
{
    if (cut.mask_fits && MASK_WORDS)
        return CAT(word_, MASK)(h->mask[j], k);
    return pack_is_there(cut, first, j) ? row_mask(row, pack_column(cut, first, j) + k)
                                        : (real)0;
}
#else
#define hold_mask(h, row, cut, first, j)
#define held_mask(h, row, cut, first, j, k) ((real)0)
#endif

/* What the mask, the bounds and the rest make of the words that were read. */
INLINE void hold_logits(struct held *h, struct row row, struct cut cut, uint first, uint j)
{
#if BOUNDED
    hold_bounds(h, row, cut, first, j);
#endif
#if LOGITS_READY
    uint c = pack_column(cut, first, j);
    bool there = pack_is_there(cut, first, j);
    UNROLL for (uint k = 0; k < PACK; k++)
    {
        real mask = held_mask(h, row, cut, first, j, k);
        h->logit[j][k] = FILL;
        if (there && is_seen(row, c + k))
            h->logit[j][k] = masked_logit(row, c + k, CAT(word_, X)(h->x[j], k), mask);
    }
#elif HAS_MASK
    bool stays[PACK];
    UNROLL for (uint k = 0; k < PACK; k++)
        stays[k] = held_mask(h, row, cut, first, j, k) != (real)0;
    forget_columns(h, j, stays);
#endif
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
    UNROLL for (uint j = 0; j < PACKS; j++)
        hold_mask(h, row, cut, first, j);
    hold_edges(h, row, cut, first);
    UNROLL for (uint j = 0; j < PACKS; j++)
        hold_logits(h, row, cut, first, j);
}

/* The logit that is held as element k of pack j. */
INLINE real held_logit(const struct held *h, struct row row, uint j, uint k)
{
#if LOGITS_READY
    return h->logit[j][k];
#elif HAS_SCALE
    return CAT(word_, X)(h->x[j], k) * (real)row.scale;
#else
    return CAT(word_, X)(h->x[j], k);
#endif
}

/* A pack's terms, as reals in the place of its logits or of x. */
INLINE void hold_terms(struct held *h, uint j, const real *term)
{
#if LOGITS_READY
    UNROLL for (uint k = 0; k < PACK; k++)
        h->logit[j][k] = term[k];
#else
    CAT(words_from_, X)(h->x[j], term);
#endif
}

INLINE real held_term(const struct held *h, uint j, uint k)
{
#if LOGITS_READY
    return h->logit[j][k];
#else
    return CAT(word_, X)(h->x[j], k);
#endif
}

INLINE struct element held_element(const struct held *h, struct row row, struct cut cut,
                                   uint first, uint j, uint k)
{
    struct element e = {pack_column(cut, first, j) + k, held_logit(h, row, j, k), (real)0};
#if HAS_DY
    e.dy = CAT(word_, DY)(h->dy[j], k);
#endif
    return e;
}

INLINE struct element edge_element(const struct held *h, struct row row, struct cut cut,
                                   uint first, uint i)
{
    struct element e = {edge_column(row, cut, first, i), h->edge_x[i], h->edge_dy[i]};
    return e;
}

/* Between two passes: what the first made of the words is not worth a register each, so the
 * compiler may not know that the second makes the same of them. */
INLINE void held_forget(struct held *h, struct row row)
{
#if HAS_PTX && !LOGITS_READY && !X_IS_REAL
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
