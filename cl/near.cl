/* SPDX-License-Identifier: MIT */
/*
 * Terms of a row whose maximum is known. Softmax's are relative to a base, so that no rounded
 * difference from the maximum goes into them, but where that is too far from 0, or infinite.
 */
#if MADE_OF_TERMS && !OP_NEEDS_REST && !HAS_MAX && !HAS_SUM
#define STAYS_BASED 1
#else
#define STAYS_BASED 0
#endif

struct near {
    real max; /* what is taken from x */
    struct base base;
};

INLINE struct near near_of(real max)
{
    struct near near = {max};
#if STAYS_BASED
    near.max = fabs(max) < (real)FARTHEST ? (real)0 : row_max(max);
    near.base = base_of(fabs(max) < (real)FARTHEST ? max : (real)0);
#endif
    return near;
}

/* Lifted, if the operation's can be. */
INLINE real near_term(struct row row, struct element e, struct near near)
{
#if STAYS_BASED
    e.x = LIMIT ? from_max(e.x, near.max) : e.x - near.max;
    return op_based_term(row, e, near.base);
#else
    return op_lifted_term(row, e, near.max);
#endif
}

/* A term as it is kept until the sum is known: lifted on where a number of the result's takes the
 * power back. */
INLINE real kept_term(real term)
{
    return OP_LIFTS && !OP_RESCALES ? term * UNLIFTED : term;
}

INLINE void result_of_kept(struct result *result)
{
#if OP_RESCALES && OP_LIFTS
    op_rescale(result, (real)UNLIFTED);
#endif
}

/* With the logarithm of its sum, for as many rows as a vector has lanes. */
INLINE struct state log_beside(struct state s)
{
    if (LOG_KNOWN)
        s.log_sum = state_log_sum(s);
    return s;
}
