/* SPDX-License-Identifier: MIT */
/* Maxima and sums of a part in local memory, and its way from registers to y, for any
 * operation. */
#include "part.cl"

/* This worker's maxima. */
INLINE void part_max(const __local uint *stock, const struct part *p, real *max)
{
#if WORD_MAX && !FORMS
    struct pack most = get_stocked(stock, 0);
    UNROLL for (uint k = 1; k < HOLD; k++)
    {
        struct pack pack = get_stocked(stock, k);
        UNROLL for (uint i = 0; i < X_WORDS; i++)
            most.x[i] = word_max(most.x[i], pack.x[i]);
    }
    EACH(v)
        max[v] = real_max(CAT(word_, X)(most.x, v), (real)(-INFINITY)); /* no NaN */
#else
    UNROLL for (uint k = 0; k < HOLD; k++)
    {
        struct pack pack = get_stocked(stock, k);
        EACH(v)
            max[v] = real_max(max[v], pack_element(&pack, p, k, v).x);
    }
#endif
}

enum { TERMS = HOLD % 4 == 0 ? 4 : HOLD % 2 == 0 ? 2 : 1 }; /* added at once */
#include "term_sum.cl"

/* The sums of this worker's terms, which stay if they are held; `own`: its own maxima. */
INLINE void part_sum(__local uint *stock, const struct part *p, const real *max,
                     const real *own, struct pair *sum)
{
    UNROLL for (uint j = 0; j < HOLD; j += TERMS)
    {
        struct pack pack[TERMS];
        UNROLL for (uint k = 0; k < TERMS; k++)
            pack[k] = get_stocked(stock, j + k);
        EACH(v)
        {
            real term[TERMS];
            UNROLL for (uint k = 0; k < TERMS; k++)
                term[k] = op_term(p->row, pack_element(pack + k, p, j + k, v), max[v]);
            UNROLL for (uint k = 0; k < TERMS && HOLDS_TERMS; k++)
                pack[k].x[v * X_WORDS / PACK] = as_uint((float)term[k]);
#if OP_NEEDS_REST || HOLD > 8
            sum[v] = add_terms(sum[v], term, OP_NEEDS_MAX && own[v] == max[v]);
#else
            sum[v].hi += tree_sum(term);
#endif
        }
        UNROLL for (uint k = 0; k < TERMS && HOLDS_TERMS; k++)
            put_words(stock + (j + k) * PLACES_EACH, pack[k].x);
    }
#if OP_NEEDS_MAX
    EACH(v)
        if (BIASED)
            sum[v].hi *= exp_unbias(row_max(max[v]));
#endif
}

/* Leaves what a part brings to each softmax of its tile; max: what a worker's terms are relative
 * to. */
INLINE void leave_part(__local uint *stock, const struct part *p, real *max,
                               __local real *scratch)
{
    real own[PACK];
    struct pair sum[PACK];
    struct state s[PACK];
    EACH(v)
    {
        max[v] = -INFINITY;
        sum[v].hi = (real)0, sum[v].lo = NO_LO;
    }
#if OP_NEEDS_MAX
    part_max(stock, p, max);
    EACH(v)
        own[v] = max[v];
    tile_max(max, scratch);
#endif
    part_sum(stock, p, max, own, sum);
    tile_sum(sum, scratch);
    EACH(v)
        s[v] = state_of(max[v], sum[v].hi, sum[v].lo);
    tile_leave(s, scratch);
}

/* What terms that are held, relative to `from`, are short of as those of their softmax: where the
 * result can, it takes that over. */
INLINE real rescale(struct result *result, real from)
{
    real part = (real)1;
#if HOLDS_TERMS
    part = exp_nonpositive(below_max(from, result->max));
#endif
#if OP_RESCALES
    op_rescale(result, part);
    part = (real)1;
#endif
    return part;
}

#if OP_WRITES == WRITES_ROW
/* Words of y from a pack of a part. */
INLINE void pack_result(uint *w, const struct pack *pack, const struct part *p, uint k,
                        const struct result *result, const real *part)
{
    real value[PACK];
    EACH(v)
#if HOLDS_TERMS
        value[v] = op_from_term(p->row, p->c + k * DEPTH,
                                CAT(word_, X)(pack->x, v) * part[v], result[v]);
#else
        value[v] = op_value(p->row, pack_element(pack, p, k, v), result[v]);
#endif
    CAT(words_from_, Y)(w, value);
}
#endif

/* What is held of a part as y. A whole part asks nothing but for the last pack, so that none of
 * its stores waits for another; the rest of a tile, or what does not fit, goes pack by pack. */
INLINE void write_part(struct pack *held, const struct part *p, __global mem_y *y,
                       const struct result *result, const real *part)
{
#if OP_WRITES == WRITES_ROW
    size_t step = DEPTH * p->row.y_col;
    bool fits = packs_fit(y, step * sizeof(mem_y), sizeof(mem_y), 1);
    uint w[Y_WORDS];
    if (fits && p->n + 1 >= HOLD) {
        UNROLL for (uint k = 0; k < HOLD; k++, y += step)
        {
            pack_result(w, held + k, p, k, result, part);
            if (k + 1 < HOLD || p->n == HOLD)
                words_store(w, Y_WORDS, y);
        }
        return;
    }
    ROLLED for (uint k = 0; k < p->n; k++, y += step)
    {
        pack_result(w, held, p, k, result, part);
        if (fits)
            words_store(w, Y_WORDS, y);
        else
            words_scatter(w, sizeof(mem_y), y);
        UNROLL for (uint i = 1; i < HOLD; i++)
            held[i - 1] = held[i];
    }
#endif
}
