/* SPDX-License-Identifier: MIT */
/* TERMS terms as one addition; and for a logarithm the largest ones apart from the others. */

/* Their sum as a tree, which takes the place of the first. */
INLINE real tree_sum(real *term)
{
    UNROLL for (uint d = TERMS / 2; d > 0; d /= 2)
        UNROLL for (uint k = 0; k < d; k++)
            term[k] += term[k + d];
    return term[0];
}

/* To ones 1 where x is `one`; elsewhere term to others. */
INLINE void add_apart(real *ones, real *others, real x, real one, real term)
{
#if HAS_PTX && !REAL_IS_F64
    ptx_add_apart(ones, others, x, one, term);
#else
    *ones += x == one ? (real)1 : (real)0;
    *others += x == one ? (real)0 : term;
#endif
}

/* The same where nothing stands in others yet. */
INLINE void set_apart(real *ones, real *others, real x, real one, real term)
{
#if HAS_PTX && !REAL_IS_F64
    ptx_set_apart(ones, others, x, one, term);
#else
    *ones += x == one ? (real)1 : (real)0;
    *others = x == one ? (real)0 : term;
#endif
}

/* A sum of other terms without what they are off by. */
INLINE real unbiased(real beside, real max)
{
    if (RAISED)
        return beside * exp_lower(row_max(max));
    if (!BIASED_BESIDE)
        return beside;
    real m = max == (real)INFINITY ? (real)0 : row_max(max); /* beside it all are 0 */
    return beside * exp_unbias(m);
}

/* A result that makes values of terms, if these are off. */
INLINE struct result result_of_terms(struct result result, real max)
{
#if OP_RESCALES
    if (RAISED)
        op_rescale(&result, exp_lower(row_max(max)));
#endif
    return result;
}

/* As a tree; but where the row's maximum is among them, a logarithm wants the others' last
 * digits. */
INLINE struct pair add_terms(struct pair sum, real *term, bool with_max)
{
#if OP_NEEDS_REST
    if (with_max) {
        UNROLL for (uint k = 0; k < TERMS; k++)
            sum = pair_add(sum, term[k]);
        return sum;
    }
#endif
#if !OP_NEEDS_REST
    if (ROUGH) { /* nobody sees more digits than a plain sum of these few has */
        sum.hi += tree_sum(term);
        return sum;
    }
#endif
    return pair_add(sum, tree_sum(term));
}
