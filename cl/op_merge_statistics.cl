/* SPDX-License-Identifier: MIT */
/* From the max (x) and sum (dy) of each of a row's slices those of the whole row; the
 * slices are the columns. */
#define OP_NEEDS_MAX 1
#define OP_WEIGHS 1
#define OP_WRITES WRITES_NOTHING
#include "keep_nothing.cl"
#include "no_result.cl"

/* All terms of a slice share what the difference loses, so that is put back. */
static real op_term(struct row row, struct element e, real max)
{
    real d = below_max(e.x, max);
#if HAS_LSE
    struct factors f = exp_factors(d);
    return e.dy * sharpened(f.first, d, e.x, max) * f.second;
#else
    return e.dy * sharpened(exp_nonpositive(d), d, e.x, max);
#endif
}

#if HAS_BASES
static real op_based_term(struct row row, struct element e, struct base base)
{
    return e.dy * exp_based(e.x, base);
}
#endif
