/* SPDX-License-Identifier: MIT */
/* What softmax and its kin share: the terms are exp(x - max). */
#define OP_NEEDS_MAX 1
#ifndef OP_LOG_ROUGH
#define OP_LOG_ROUGH 0 /* 1: of a logarithm so many digits do as 16-bit results show */
#endif

/* By the limit policy a row with +inf is one of zeros and -inf: mappings that hold it make that
 * of it, see held_tame, and the others compare each x with the maximum. */
#if LIMIT && defined KEPT && !defined OP_KEEPS && !defined OP_GIVEN && !MAY_BE_HOT
#define TAMED 1
#else
#define TAMED 0
#endif

/* Is each element its row's maximum? Then no exponential is wanted. */
#if defined SHORT_COLS && SHORT_COLS == 1 && !defined OP_GIVEN && !HAS_SINKS
#define ALONE 1
#else
#define ALONE 0
#endif

/* Are terms and results off by exp_unbias? Where all of a softmax's are, since its workers know
 * its maximum before they make any, and values are terms over their sum, that cancels. */
#if ALONE || !EXP_BIASED || defined OP_KEEPS
#define BIASED 0
#elif defined PARTS && (!LIMIT || TAMED) && (defined KEPT || !OP_NEEDS_REST)
#define BIASED (ROUGH && sizeof(mem_x) == 2 && !LOGITS_READY)
#elif defined TILE && defined ONE_TURN && OP_RESCALES && !defined OP_GIVEN && \
    !(LIMIT || FORMS || HAS_SINKS)
#define BIASED (ROUGH && sizeof(mem_x) == 2)
#else
#define BIASED 0
#endif
#if defined ONE_TURN && !defined PARTS
#define BIAS_CANCELS BIASED
#else
#define BIAS_CANCELS 0
#endif

/* Of many equal terms far below the maximum a logarithm shows what rounding took from their
 * difference, and of millions the sum itself; of a few hundred neither does. Differences of
 * 16-bit numbers are seldom rounded. */
#if defined SHORT_MOST || (defined HOLD_COLS && HOLD_COLS > 0 && HOLD_COLS <= FEW_HUNDRED) || \
    !(OP_NEEDS_REST || HAS_LSE || FAR)
#define SHARP 0
#elif FORMS
#define SHARP (!ROUGH)
#else
#define SHARP (!ROUGH && sizeof(mem_x) > 2)
#endif

/* Where a row is still held when its sum is known, that is put back only if the sum is small. */
#if HAS_PTX && LANES_BY == LANES_PTX && defined KEPT && !OP_FROM_TERM && !OP_ADDS
#define SHARP_LATER 1
#else
#define SHARP_LATER 0
#endif

/* Terms below 2^-126, which NVIDIA's shorter exponential leaves out, are added again where they
 * count, see tiny.cl; in mappings that have no second look at a row they are there at once. */
#if HAS_PTX && !REAL_IS_F64 && !defined OP_GIVEN && (OP_NEEDS_REST || HAS_LSE) && \
    (defined KEPT || defined SHORT_MOST)
#define TINY_LATER 1
#else
#define TINY_LATER 0
#endif

/* Is a row of which the maximum is infinite NaN throughout, and nothing else asked of it? */
#if defined SHORT_MOST && !defined TURN_COLS && VEC == 1 && !LIMIT && OP_NEEDS_REST && \
    !MAY_BE_HOT && !HAS_SINKS && !(HAS_MAX || HAS_SUM || HAS_LSE)
#define NAN_BY_MAX 1
#else
#define NAN_BY_MAX 0
#endif

/* What is taken from each element of a row. */
static real row_max(real max)
{
    if (NAN_BY_MAX)
        return fabs(max) == (real)INFINITY ? (real)NAN : max;
#if TAMED
    max = max == (real)INFINITY ? (real)0 : max;
#endif
    return max == (real)(-INFINITY) ? (real)0 : max;
}

static real from_max(real x, real max)
{
    return TAMED || NAN_BY_MAX ? x - row_max(max) : below_max(x, max);
}

/* exp(d) of an element that is its row's maximum: d is 0, -inf or NaN. */
static real exp_alone(real d)
{
    return d == (real)(-INFINITY) ? (real)0 : d + (real)1;
}

/* The term of x with what was lost. */
static real sharp_term(real term, real x, real max)
{
    return sharpened(term, from_max(x, max), x, row_max(max));
}

/* For a logarithm with as many of its digits as a device has below the normal range. */
#if (OP_NEEDS_REST || HAS_LSE) && !TINY_LATER
#define EXP_DEEP(d) (exp_lifted(d) * UNLIFTED)
#else
#define EXP_DEEP(d) exp_nonpositive(d)
#endif

static real exp_term(real d)
{
#if (OP_NEEDS_REST || HAS_LSE) && !TINY_LATER
    return ROUGH && !LIFT ? exp_rough_lifted(d) : EXP_DEEP(d);
#elif VEC > 1 /* elsewhere PoCL 3.1 gets tiles of unlike 16-bit types wrong with it */
    return ROUGH ? exp_rough(d) : exp_clamped(d);
#else
    return ROUGH ? exp_result(d) : exp_nonpositive(d);
#endif
}

static real op_term(struct row row, struct element e, real max)
{
    if (BIASED)
        return exp_biased(e.x, row_max(max));
    real d = from_max(e.x, max);
    if (ALONE)
        return exp_alone(d);
    if (SHARP && !SHARP_LATER)
        return sharp_term(EXP_DEEP(d), e.x, max);
    return exp_term(d);
}

/* A factor that all of a row's terms are off by saves a step a term, and costs ten a row. Of 16-bit
 * numbers what exp_result may be off is not too much for the sum of a few. */
#define FEW_BESIDE 8
#if defined SHORT_MOST && SHORT_MOST > FEW_BESIDE
#define MANY_BESIDE 1
#else
#define MANY_BESIDE 0
#endif
#if HAS_PTX && !REAL_IS_F64 && defined SHORT_MOST && !MANY_BESIDE && !(FORMS || Z_LOSS || HAS_LSE)
#define RESULTS_SERVE (sizeof(mem_x) == 2)
#else
#define RESULTS_SERVE 0
#endif

/* Are the terms of ones' others off by exp_unbias? */
#if EXP_BIASED && MANY_BESIDE && !defined TURN_COLS && !FORMS && !OP_FROM_TERM
#define BIASED_BESIDE (ROUGH && sizeof(mem_x) == 2)
#else
#define BIASED_BESIDE 0
#endif

/* Or by exp_lower? A loss may be the farther off the smaller it is, as its terms are; a z-loss may
 * not. */
#if EXP_BIASED && MANY_BESIDE && HAS_TARGETS && !LIMIT && !Z_LOSS && \
    !(HAS_MAX || HAS_SUM || HAS_LSE)
#if OP_FROM_TERM
#define RAISED (sizeof(mem_x) == 2 && sizeof(mem_y) == 2)
#else
#define RAISED (sizeof(mem_x) == 2)
#endif
#else
#define RAISED 0
#endif

/* The same where x and max are not both infinite. */
static real op_other_term(struct row row, struct element e, real max)
{
    if (RAISED)
        return exp_raised(e.x, row_max(max));
    if (BIASED_BESIDE)
        return exp_biased(e.x, row_max(max));
    real d = e.x - row_max(max);
    return RESULTS_SERVE ? exp_result(d) : exp_term(d);
}
#define OP_ONES (!ALONE)

/* Is the logarithm for 16-bit results known where the sum's last digits are not? See try_log. */
#if EXP_BIASED && defined COLS && defined CLUSTER && OP_NEEDS_REST && !ALONE && !FORMS && \
    !(OP_FROM_TERM || HAS_SINKS || defined OP_KEEPS || defined OP_GIVEN)
#define LOG_KNOWN (ROUGH && sizeof(mem_x) == 2)
#elif LOGS_BESIDE && (OP_NEEDS_REST || HAS_LSE)
#define LOG_KNOWN 1
#else
#define LOG_KNOWN 0
#endif

static real log_sum_of(struct state s)
{
#if HAS_PTX && !REAL_IS_F64
    if (OP_LOG_ROUGH && !LOG_KNOWN)
        return log1p_rough((s.sum.hi - (real)1) + s.sum.lo);
#endif
    return LOG_KNOWN ? s.log_sum : state_log_sum(s);
}

/* What an element is compared with that may be one. */
static real ones_at(real max)
{
    if (LIMIT || NAN_BY_MAX)
        return row_max(max);
    return max == (real)INFINITY ? (real)NAN : row_max(max);
}

#if OP_NEEDS_REST || HAS_LSE
/* 2^LIFT times that, for a sum. */
static real op_lifted_term(struct row row, struct element e, real max)
{
    real d = from_max(e.x, max);
    if (ALONE)
        return exp_alone(d) * (real)(1 / UNLIFTED);
    if (SHARP)
        return sharp_term(exp_lifted(d), e.x, max);
    return ROUGH && (VEC > 1 || !LIFT) ? exp_rough_lifted(d) : exp_lifted(d);
}
#define OP_LIFTS (LIFT > 0)
#endif

#if HAS_BASES
/* The same relative to a base, see exp_based.cl. */
static real op_based_term(struct row row, struct element e, struct base base)
{
    return exp_based(e.x, base);
}
#endif
