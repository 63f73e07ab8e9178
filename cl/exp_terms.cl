/* SPDX-License-Identifier: MIT */
/* What softmax and its kin share: the terms are exp(x - max). */
#define OP_NEEDS_MAX 1

/* By the limit policy a row with +inf is one of zeros and -inf: mappings that hold it make that
 * of it, see held_tame, and the others compare each x with the maximum. */
#if LIMIT && defined KEPT && !defined OP_KEEPS && !defined OP_GIVEN && !MAY_BE_HOT
#define TAMED 1
#else
#define TAMED 0
#endif

/* Are terms and results off by exp_unbias? */
#if EXP_BIASED && defined PARTS && !defined OP_KEEPS && (!LIMIT || TAMED) && \
    (defined KEPT || !OP_NEEDS_REST)
#define BIASED (ROUGH && sizeof(mem_x) == 2 && !LOGITS_READY)
#else
#define BIASED 0
#endif

/* What is taken from each element of a row. */
static real row_max(real max)
{
#if TAMED
    max = max == (real)INFINITY ? (real)0 : max;
#endif
    return max == (real)(-INFINITY) ? (real)0 : max;
}

static real from_max(real x, real max)
{
#if TAMED
    return x - row_max(max);
#else
    return below_max(x, max);
#endif
}

static real op_term(struct row row, struct element e, real max)
{
    if (BIASED)
        return exp_biased(e.x, row_max(max));
    real d = from_max(e.x, max);
#if VEC > 1 /* elsewhere PoCL 3.1 gets tiles of unlike 16-bit types wrong with it */
    return ROUGH ? exp_rough(d) : exp_clamped(d);
#else
    return ROUGH ? exp_result(d) : exp_nonpositive(d);
#endif
}

#if !REAL_IS_F64 && !HAS_PTX
/* The same relative to a base, see exp.cl. */
static real op_based_term(struct row row, struct element e, struct base base)
{
    return exp_based(e.x, base);
}
#endif
