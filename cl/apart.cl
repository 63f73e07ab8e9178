/* SPDX-License-Identifier: MIT */
/*
 * One of a softmax's largest elements apart from all others, for sums of which a logarithm is
 * taken: while the largest is looked for, the smaller one of each two is kept, and what is left
 * in the end are all elements but one. So no term is compared with the maximum, and that of the
 * one, 1, is not computed. The others are no longer at their columns.
 */
#if WORD_MAX
#define APART_FILL FILL_WORD(0)
#define apart_min word_min
#define apart_max word_max
#define apart_element(h, i) ((h)->x[i])
#define apart_real CAT(word_, X)
#else
#define APART_FILL FILL
#define apart_min real_min
#define apart_max real_max
#define apart_element(h, i) held_element(h, (i) / PACK, (i) % PACK).x
#define apart_real(w, v) ((w)[v])
#endif

/* Columns that there are only to begin with: a maximum that passes over NaN may begin with one, if
 * that is seen with the next. */
#define APART_FIRST (HAS_PTX && ONE_TURN && HOLD > 1)

INLINE void held_start(struct held *h)
{
    UNROLL for (uint i = 0; i < APART_EACH; i++)
        h->most[i] = APART_FILL;
}

/* The largest so far; that of the turn before is among the others, or still the one. */
INLINE void held_max(struct held *h, real *max)
{
    UNROLL for (uint i = 0; i < HOLD * APART_EACH; i++)
    {
        apart_number x = apart_element(h, i), *most = h->most + i % APART_EACH;
        bool first = i < APART_FIRST * APART_EACH;
        h->other[i] = first ? x : apart_min(*most, x);
        *most = first ? x : apart_max(*most, x);
    }
    EACH(v)
        max[v] = real_max((real)(-INFINITY), apart_real(h->most, v)); /* no NaN */
}

/* The term of a worker's one, where it has its softmaxes to itself. */
INLINE real apart_one(real max)
{
    real one = max == (real)INFINITY && !LIMIT ? (real)NAN : (real)1;
    return NAN_BY_MAX ? (real)1 : max == (real)(-INFINITY) ? (real)0 : one;
}

/* That, and the others' sum, of which up to FEW_TERMS are added plainly. */
INLINE struct pair held_sum(struct held *h, struct row row, uint v, real max, struct keep *keep)
{
    struct pair sum = {(real)0, (real)0};
    UNROLL for (uint j = APART_FIRST; j < HOLD; j += FEW_TERMS)
    {
        real others[TERMS] = {(real)0};
        UNROLL for (uint k = 0; k < FEW_TERMS && j + k < HOLD; k++)
        {
            struct element e = {0, apart_real(h->other + (j + k) * APART_EACH, v), (real)0};
            real term = op_other_term(row, e, max);
            others[k % TERMS] = k < TERMS ? term : others[k % TERMS] + term;
        }
        if (j > APART_FIRST)
            sum = pair_add(sum, tree_sum(others));
        else
            sum.hi = tree_sum(others);
    }
    struct pair apart = {apart_one(max), sum.hi + sum.lo};
    if (DEPTH > 1) { /* the largest may be another's */
        struct element e = {0, apart_real(h->most, v), (real)0};
        apart.hi = (real)0;
        add_apart(&apart.hi, &apart.lo, e.x, ones_at(max), op_other_term(row, e, max));
    }
    apart.lo = unbiased(apart.lo, max);
    if (LIMIT && max == (real)INFINITY) { /* some of the others may be as large, or NaN */
        apart.lo = (real)0;
        UNROLL for (uint k = 0; k < HOLD; k++)
        {
            real x = apart_real(h->other + k * APART_EACH, v);
            apart.lo = x == x ? apart.lo : x;
        }
    }
    return apart;
}
