/* SPDX-License-Identifier: MIT */
/*
 * What cross-entropy keeps of a row besides its maximum and sum. With w the class weights
 * (1 without), t the target, e the label smoothing, n the number of classes and lse the
 * row's log-sum-exp:
 *
 *     loss = (1 - e) w[t] (lse - x[t]) + e/n sum_c(w[c] (lse - x[c])) + z lse^2
 *
 * The sum over classes is taken relative to x[t], a number everybody has from the start.
 * x[t] is read before the first reduction, so the gradient may take the place of x. A row
 * whose target is `ignore` has loss and gradient 0; one whose target is no class has loss
 * NaN and gradient 0, and is counted.
 */
#define OP_KEEPS 1
#define OP_ADDS SMOOTHING
#define OP_NEEDS_REST 1
#include "exp_terms.cl"

struct keep {
    row_bool counts, bad; /* does the row count; is its target no class */
    row_uint target;
    real logit;  /* x[t] */
    real weight; /* w[t] */
#if SMOOTHING
    real infinite;      /* 1 if a class of probability 0 makes the loss infinite */
    struct pair spread; /* sum of w (x - x[t]) */
    struct pair mass;   /* sum of w */
#endif
};

/* One element of x or of the class weights, in every lane. */
static real one_logit(struct row row, uint c)
{
#if STRIDED
    return (real)CAT(get_, X)(row.x + c * row.x_col);
#else
    return (real)CAT(get_, X)(row.x + c);
#endif
}

/* The column of which x is read for a target, whatever that is. */
static uint target_column(struct row row, TARGET target)
{
    return min((uint)target, row.cols - 1);
}

/* The target's x, whatever the target is. */
static SCALAR target_x(struct row row, TARGET target)
{
    return row.cols ? FIRST(one_logit(row, target_column(row, target))) : 0;
}

/* The row with its target and the target's x. A GPU's mappings of short rows bring both: they
 * have x at hand, and read targets beside it. */
static struct row with_target(struct row row)
{
    row.label = *row.target; /* past the last row that is the first one's */
    row.label_x = target_x(row, row.label);
    return row;
}

static void keep_nothing_yet(struct keep *keep)
{
#if SMOOTHING
    struct pair zero = {(real)0, (real)0};
    keep->infinite = (real)0;
    keep->spread = keep->mass = zero;
#endif
}

#if ROW_PER_LANE
typedef CAT(TARGET, WIDTH) row_targets __attribute__((aligned(sizeof(TARGET))));
typedef CAT(u, TARGET) class_id;

/* Of rows that are lanes, of which so many are there: behind them the last one again. Their
 * targets stand side by side; the targets' x come after. */
static void keep_lanes(struct keep *keep, struct row row, uint rows)
{
    TARGET target[VEC];
    row_targets label;
    if (rows == VEC) {
        label = *(const __global row_targets *)row.target;
    } else {
        for (uint i = 0; i < VEC; i++)
            target[i] = row.target[min(i, rows - 1)];
        label = *(const row_targets *)target;
    }
    row_bool ignored = TO(int, TO(long, label) == (CAT(long, WIDTH))row.ignore);
    row_bool is_class = TO(int, TO(CAT(u, TARGET), label) < (class_id)row.cols);
    keep->counts = !ignored && is_class;
    keep->bad = !ignored && !is_class;
    keep->target = is_class ? TO_U32(label) : (row_uint)0;
    keep->weight = (real)1;
#if HAS_WEIGHTS
    uint column[VEC];
    SCALAR lane[VEC];
    *(words_u32 *)column = keep->target;
    for (uint i = 0; i < VEC; i++)
        lane[i] = row.cols ? row.weights[column[i]] : 0;
    keep->weight = keep->counts ? FROM_LANES(lane) : (real)0;
#endif
    keep_nothing_yet(keep);
}

static void keep_logits(struct keep *keep, real x)
{
    keep->logit = keep->counts ? x : (real)0;
}
#else
/* Of a row with this target, where x is this. */
static void keep_target(struct keep *keep, struct row row, TARGET label, SCALAR x)
{
    const bool is_class = sizeof(TARGET) == 4 ? (uint)label < row.cols /* at most 2^31 */
                                              : (ulong)label < row.cols;
    keep->counts = row.inside && (long)label != row.ignore;
    keep->bad = keep->counts && !is_class;
    keep->counts = keep->counts && is_class;
    keep->target = target_column(row, label);
    keep->logit = keep->counts ? (real)x : (real)0;
    keep->weight = (real)1;
#if HAS_WEIGHTS
    keep->weight = keep->counts ? (real)row.weights[keep->target] : (real)0;
#endif
    keep_nothing_yet(keep);
}

static void keep_start(struct keep *keep, struct row row)
{
#if defined SHORT_COLS && VEC == 1
    keep_target(keep, row, row.label, row.label_x);
#else
    TARGET label = *row.target;
    keep_target(keep, row, label, target_x(row, label));
#endif
}
#endif

#if SMOOTHING
static void keep_add(struct keep *keep, struct row row, struct element e)
{
    real weight = (real)1;
#if HAS_WEIGHTS
    weight = row_weight(row, e.c);
#endif
    weight = upto(weight, row.end - e.c, (real)0);
    real base = keep->logit > (real)(-INFINITY) ? keep->logit : (real)0;
    real gone = upto(e.x, row.end - e.c, (real)0) == (real)(-INFINITY) && weight > (real)0
                    ? (real)1
                    : (real)0;
    keep->infinite = real_max(keep->infinite, gone);
    real apart = e.x > (real)(-INFINITY) ? weight * (e.x - base) : (real)0;
    keep->spread = pair_add(keep->spread, apart);
    keep->mass = pair_add(keep->mass, weight);
}

INLINE real set_max(real v, __local real *scratch);
INLINE struct pair set_sum(struct pair s, __local real *scratch);

INLINE void keep_reduce(struct keep *keep, __local real *scratch)
{
    keep->infinite = set_max(keep->infinite, scratch);
    keep->spread = set_sum(keep->spread, scratch);
    keep->mass = set_sum(keep->mass, scratch);
}
#endif

struct result {
    real max, scale; /* softmax's */
    real loss;
    real all;     /* the gradient is all p[c] - each w[c] ... */
    real each;
    real hit;     /* ... - hit at the target, where all p - hit is taken as one */
    real slope;     /* all p[c] is slope exp(x[c] - max) */
    real at_target; /* all p[t] - hit */
    row_uint target;
    row_bool nothing; /* the gradient is 0 whatever stands in x */
};

static struct result op_result(struct row row, struct state s, struct keep *keep)
{
    struct result r;
    real log_sum = log_sum_of(s);
    real below = s.max - keep->logit; /* >= 0 */
    real weight = keep->weight;
    real scale = (real)row.grad_scale;
    r.max = s.max;
    r.scale = inverse(state_sum(s));
    r.target = keep->target;
#if SMOOTHING
    real share = (real)row.smoothing / (real)(SCALAR)row.cols;
    real mass = keep->mass.hi + keep->mass.lo;
    real base = keep->logit > (real)(-INFINITY) ? keep->logit : (real)0;
    real rest = mass * ((s.max - base) + log_sum) -
                (keep->spread.hi + keep->spread.lo);
    weight *= (real)1 - (real)row.smoothing;
    r.loss = weight * (below + log_sum) + share * rest;
    r.loss = keep->infinite > (real)0 && r.loss == r.loss ? (real)INFINITY : r.loss;
    r.all = weight + share * mass;
    r.each = share * scale;
#else
    r.loss = weight * (below + log_sum);
    r.all = weight;
    r.each = (real)0;
#endif
    r.hit = weight * scale;
#if Z_LOSS || !NAN_BY_MAX /* 0 lse^2 is NaN where a row has +inf */
    real lse = s.max + log_sum;
    r.loss += (real)row.z_loss * lse * lse;
    r.all += (real)2 * (real)row.z_loss * lse;
#endif
    r.all *= scale;
    r.loss = keep->counts ? r.loss : (keep->bad ? (real)NAN : (real)0);
    r.all = keep->counts ? r.all : (real)0;
    r.hit = keep->counts ? r.hit : (real)0;
    real at_target = exp_nonpositive(from_max(keep->logit, s.max));
    real missing = ((s.sum.hi - at_target) + s.sum.lo) * r.scale;
    r.at_target = -r.hit * missing;
#if SMOOTHING || Z_LOSS || !NAN_BY_MAX /* elsewhere all is hit */
    r.at_target += (r.all - r.hit) * (at_target * r.scale);
#endif
    r.nothing = !keep->counts;
    r.slope = r.nothing ? (real)0 : r.all * r.scale;
    r.at_target = r.nothing ? (real)0 : r.at_target;
    return r;
}

#if ROW_PER_LANE
/* Of the first rows, which are there. */
static void keep_lanes_end(struct keep *keep, struct row row, struct result r, uint rows)
{
#if HAS_LOSS
    write_lanes(r.loss, rows, row.loss_out);
#endif
#if HAS_BAD_TARGETS
    SCALAR bad[VEC];
    TO_LANES(keep->bad ? (real)1 : (real)0, bad);
    for (uint i = 0; i < rows; i++)
        if (bad[i] > 0)
            atomic_inc(row.bad_targets);
#endif
}
#else
/* One work-item of those that share the row. */
static void keep_end(struct keep *keep, struct row row, struct result r)
{
#if HAS_LOSS && !ONES_TOGETHER
    *row.loss_out = FIRST(r.loss);
#endif
#if HAS_BAD_TARGETS
    if (keep->bad)
        atomic_inc(row.bad_targets);
#endif
}
#endif
