/* SPDX-License-Identifier: MIT */
/* Maximum and sum of what a worker holds of a row, for any operation. */
enum { TERMS = PACK };
#include "term_sum.cl"

/* Are words compared as they are? A scale is above 0 where there are no logits. */
#if WORD_MAX && !LOGITS_READY
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
    most = real_max(real_max(most, CAT(word_, X)(&w, 0)), CAT(word_, X)(&w, 1));
#if HAS_SCALE
    most = product(most, (real)row.scale);
#endif
    return most;
#endif
    UNROLL for (uint k = 0; k < PACK; k++)
        most = real_max(most, pack_logit(pack, row, k));
    return most;
}

INLINE real held_max(const struct held *h, uint kept, struct row row, struct cut cut,
                     uint first)
{
    real max = -INFINITY;
    UNROLL for (uint j = 0; j < kept; j++)
    {
        struct pack pack = get_kept(h, j);
        max = real_max(max, pack_max(&pack, row));
    }
    STOCK_LOOP for (uint j = kept; j < PACKS; j++)
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
#if OP_KEEPS && !HAS_CANDIDATES
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
    if (SHARP_LATER && row.sharp)
        UNROLL for (uint k = 0; k < PACK; k++)
            term[k] = sharp_term(term[k], pack_logit(pack, row, k), max);
}

/* Columns of pack j for an operation that keeps something; of candidates, only that there are any:
 * what does not take part is below any threshold. */
INLINE void keep_pack(const struct pack *pack, struct row row, struct cut cut, uint first,
                      uint j, struct keep *keep)
{
#if HAS_CANDIDATES
    bool any = false;
    UNROLL for (uint k = 0; k < PACK; k++)
        any |= keep_wants(keep, pack_logit(pack, row, k));
    keep->packs |= any ? 1u << j : 0;
#elif OP_KEEPS
    uint c = pack_column(cut, first, j);
    UNROLL for (uint k = 0; k < PACK; k++)
        if (pack_is_there(cut, first, j) && is_seen(row, c + k))
            keep_add(keep, row, pack_element(pack, row, c + k, k));
#endif
}

/* The candidates, of which packs are read again: so this is a few instructions, where each pack's
 * would be in the way of all the others'. */
INLINE void keep_candidates(const struct held *h, struct row row, struct cut cut, uint first,
                            struct keep *keep)
{
#if HAS_CANDIDATES
    UNROLL for (uint i = 0; i < EDGES && cut.ragged; i++)
        keep_add(keep, row, edge_element(h, row, cut, first, i));
    for (uint packs = keep->packs; packs; packs &= packs - 1) {
        uint c = pack_column(cut, first, 31 - clz(packs & (0 - packs))), w[X_WORDS];
        if (X_FITS(cut))
            words_load(w, X_WORDS, row.x + c);
        else
            words_gather(w, sizeof(mem_x), row.x + c, sizeof(mem_x));
        real x[PACK];
        uint all = 0;
        UNROLL for (uint k = 0; k < PACK; k++)
        {
            x[k] = logit_of(row, c + k, CAT(word_, X)(w, k));
            x[k] = is_seen(row, c + k) ? x[k] : (real)(-INFINITY);
            all += keep_wants(keep, x[k]) ? 1 : 0;
        }
        uint room = keep_room(keep, all);
        UNROLL for (uint k = 0; k < PACK; k++)
        {
            struct element e = {c + k, x[k], (real)0};
            if (keep_wants(keep, x[k]))
                keep_put(keep, row, e, room++);
        }
    }
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
                            real max, struct pair sum, real *ones)
{
    UNROLL for (uint i = 0; i < EDGES && cut.ragged; i++)
    {
        struct element e = edge_element(h, row, cut, first, i);
        if (e.c == NO_COLUMN)
            break;
        real term = op_term(row, e, max);
        if (SHARP_LATER && row.sharp)
            term = sharp_term(term, e.x, max);
        if (IS_ONE(e.x, max))
            *ones += (real)1;
        else
            sum = pair_add(sum, term);
        if (HOLDS_TERMS)
            h->edge_x[i] = term;
    }
    return sum;
}

#if OP_NEEDS_REST && OP_NEEDS_MAX
/* Does a pack, of terms if it holds these, have the row's maximum? */
INLINE bool pack_has_max(const struct pack *pack, struct row row, real max)
{
    if (!HOLDS_TERMS)
        return pack_max(pack, row) == max;
    real most = (real)0;
    UNROLL for (uint k = 0; k < PACK; k++)
        most = real_max(most, pack_number(pack, k));
    return most == (real)1;
}

/* A logarithm of a sum barely above 1 wants the last digits of what stands beside the maximum,
 * which those that were added to it in its pack have lost: they are added again, one by one.
 * Where the sum is 2 or more, nobody misses them; so there is no second maximum either. */
INLINE struct pair sum_beside_max(const struct held *h, uint kept, struct row row,
                                  struct cut cut, uint first, real max,
                                  struct pair sum, real *ones)
{
    struct pack found;
    bool is_found = false;
    uint c = 0;
    UNROLL for (uint j = 0; j < kept; j++)
    {
        struct pack pack = get_kept(h, j);
        pack_forget(&pack, row);
        if (pack_has_max(&pack, row, max)) {
            found = pack;
            is_found = true;
            c = pack_column(cut, first, j);
        }
    }
    uint at = PACKS; /* where it is found in local memory */
    ROLLED for (uint j = kept; j < PACKS; j++)
    {
        struct pack pack = get_stocked(h, j, row.zero);
        at = pack_has_max(&pack, row, max) ? j : at;
    }
    if (!is_found && at == PACKS)
        return sum;
    if (at < PACKS) {
        found = get_stocked(h, at, row.zero);
        c = pack_column(cut, first, at);
    }
    real term[PACK], same[PACK];
    if (!HOLDS_TERMS)
        pack_terms(&found, row, c, max, term);
    UNROLL for (uint k = 0; k < PACK; k++)
        same[k] = term[k] = HOLDS_TERMS ? pack_number(&found, k) : term[k];
    sum = pair_add(sum, -tree_sum(same));
    UNROLL for (uint k = 0; k < PACK; k++)
    {
        bool one = IS_ONE(pack_logit(&found, row, k), max);
        *ones += one ? (real)1 : (real)0;
        sum = pair_add(sum, one ? (real)0 : term[k]);
    }
    return sum;
}
#endif

/* Adds the terms of pack j, and leaves them if it holds terms. */
INLINE struct pair pack_sum(struct pack *pack, struct row row, struct cut cut, uint first,
                            uint j, real max, struct keep *keep, struct pair sum)
{
    real term[PACK];
    uint c = pack_column(cut, first, j);
    UNROLL for (uint k = 0; k < PACK; k++)
        term[k] = (real)0;
    if (pack_is_seen(row, c))
        pack_terms(pack, row, c, max, term);
    keep_pack(pack, row, cut, first, j, keep);
    if (HOLDS_TERMS)
        pack_set(pack, term);
    return add_terms(sum, term, false);
}

/* Leaves the terms, where those can be held. `most` is this worker's own maximum. */
INLINE struct pair held_sum(struct held *h, uint kept, struct row row, struct cut cut,
                            uint first, real max, real most, struct keep *keep)
{
    struct pair sum = {(real)0, (real)0};
    keep_edges(h, row, cut, first, keep, false);
    UNROLL for (uint j = 0; j < kept; j++)
    {
        struct pack pack = get_kept(h, j);
        sum = pack_sum(&pack, row, cut, first, j, max, keep, sum);
        if (HOLDS_TERMS)
            set_kept(h, j, &pack);
    }
    STOCK_LOOP for (uint j = kept; j < PACKS; j++)
    {
        struct pack pack = get_stocked(h, j, 0);
        sum = pack_sum(&pack, row, cut, first, j, max, keep, sum);
        if (HOLDS_TERMS)
            set_stocked(h, j, &pack);
    }
    keep_edges(h, row, cut, first, keep, true);
    keep_candidates(h, row, cut, first, keep);
    real ones = (real)0;
    sum = edge_sum(h, row, cut, first, max, sum, &ones);
#if OP_NEEDS_REST && OP_NEEDS_MAX
    if (most == max && sum.hi < (real)2)
        sum = sum_beside_max(h, kept, row, cut, first, max, sum, &ones);
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
