/* SPDX-License-Identifier: MIT */
/*
 * A strip of some vectors whose lanes are softmaxes along an axis that is not the last: where it
 * stands, and how it is read, into local memory if that has room.
 */
#ifndef HOLD_COLS
#define HOLD_COLS 0 /* columns of a strip for which there is room; 0: they are read again */
#endif

enum {
    STRIP = 64 / VEC, /* vectors: whole lines of any type */
    HELD = HOLD_COLS ? HOLD_COLS * STRIP : 1
};

/* Some vectors' softmaxes; the last one may have fewer than lanes. */
struct strip {
    struct row row; /* the first of them */
    uint vectors, last;
    bool whole;           /* no vector is missing, and no lane */
    __local real *x, *dy; /* column by column: logits, or their terms */
#if HAS_MASK
    size_t mask_inner;
#endif
#if HAS_TEMPERATURE
    real scale[STRIP];
    row_bool one_hot[STRIP];
#endif
#if HAS_FROM_MAX
    const __global SCALAR *given_max, *given_sum;
#endif
};

INLINE uint lanes_of(const struct strip *s, uint b)
{
    return b + 1 < s->vectors ? VEC : s->last;
}

/* Vector b's softmaxes. */
INLINE struct row strip_row(const struct strip *s, uint b)
{
    struct row row = s->row;
    row.x += b * VEC;
    row.y += b * VEC;
#if HAS_DY
    row.dy += b * VEC;
#endif
#if HAS_MASK
    row.mask += b * VEC * s->mask_inner;
#endif
#if HAS_TEMPERATURE
    row.scale = s->scale[b];
    row.one_hot = s->one_hot[b];
#endif
#if HAS_TARGETS
    row.target += b * VEC;
#endif
#if HAS_LOSS
    row.loss_out += b * VEC;
#endif
    return row;
}

#if HAS_MASK
INLINE real strip_mask(const struct strip *s, struct row row, uint c, uint left)
{
    const __global mem_mask *mask = row.mask + c * row.mask_col;
    if (s->mask_inner == 1)
        return LOAD(MASK, mask, left, 0);
    if (s->mask_inner == 0)
        return (real)CAT(get_, MASK)(mask);
    return gather_mask(mask, s->mask_inner, left);
}
#endif

/* Vector b's column c, of which `left` lanes are there. */
INLINE struct element strip_element(const struct strip *s, uint c, uint b, uint left)
{
    struct row row = strip_row(s, b);
    struct element e = {c, LOAD(X, row.x + c * row.x_col, left, 0), (real)0};
#if HAS_MASK
    e.x = masked_logit(row, c, e.x, strip_mask(s, row, c, left));
#else
    e.x = masked_logit(row, c, e.x, (real)0);
#endif
#if HAS_DY
    e.dy = LOAD(DY, row.dy + c * row.dy_col, left, 0);
#endif
    return e;
}

INLINE struct element strip_held(const struct strip *s, uint c, uint b)
{
#if HOLD_COLS
    struct element e = {c, s->x[c * STRIP + b], (real)0};
#if HAS_DY
    e.dy = s->dy[c * STRIP + b];
#endif
    return e;
#else
    return strip_element(s, c, b, lanes_of(s, b));
#endif
}

/* The same place of the next strip is read soon. */
INLINE void strip_announce(const struct strip *s, uint c, uint b)
{
    struct row row = strip_row(s, b + STRIP);
    announce_near(row.x + c * row.x_col);
#if HAS_DY
    announce_near(row.dy + c * row.dy_col);
#endif
#if HAS_MASK
    announce_near(row.mask + c * row.mask_col);
#endif
}

INLINE void strip_take(const struct strip *s, uint c, uint b, uint left, real *max)
{
    struct element e = strip_element(s, c, b, left);
    *max = real_max(*max, e.x);
#if HOLD_COLS
    s->x[c * STRIP + b] = e.x;
#if HAS_DY
    s->dy[c * STRIP + b] = e.dy;
#endif
#endif
}

/* All of it, and its maxima. */
INLINE void strip_read(const struct strip *s, real *max)
{
    real most[STRIP];
    UNROLL for (uint b = 0; b < STRIP; b++)
        most[b] = -INFINITY;
    if (s->whole)
        ROLLED for (uint c = 0; c < s->row.cols; c++)
            UNROLL for (uint b = 0; b < STRIP; b++)
                strip_take(s, c, b, VEC, most + b);
    else
        ROLLED for (uint c = 0; c < s->row.cols; c++)
            ROLLED for (uint b = 0; b < s->vectors; b++)
                strip_take(s, c, b, lanes_of(s, b), most + b);
    UNROLL for (uint b = 0; b < STRIP; b++)
        max[b] = most[b];
}
