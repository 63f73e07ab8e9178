/* SPDX-License-Identifier: MIT */
/* From the max (x) and sum (dy) of each of a row's slices those of the whole row; the
 * slices are the columns. */
#define OP_NEEDS_MAX 1
#define OP_WEIGHS 1
#define OP_WRITES WRITES_NOTHING
#include "keep_nothing.cl"
#include "no_result.cl"

static real op_term(struct row row, struct element e, real max)
{
#if HAS_LSE
    struct factors f = exp_factors(below_max(e.x, max));
    return e.dy * f.first * f.second;
#else
    return e.dy * exp_nonpositive(below_max(e.x, max));
#endif
}

#if !REAL_IS_F64 && !HAS_PTX
static real op_based_term(struct row row, struct element e, struct base base)
{
    return e.dy * exp_based(e.x, base);
}
#endif
