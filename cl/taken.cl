/* SPDX-License-Identifier: MIT */
/*
 * A row of a block in local memory, see staged.cl, as each of its workers holds it: read into
 * registers, its maximum and its sum.
 */
struct stage {
    struct staged x, dy, y;
};

/* Are words compared as they are? They need to be full. */
#if WORD_MAX && !FORMS && !BOUNDED
#define MAX_OF_WORDS (RUN % 2 == 0)
#else
#define MAX_OF_WORDS 0
#endif

/* What a worker holds of its row. */
struct taken {
    real x[HELD], dy[HELD];
    uint word[RUNS * X_WORDS]; /* x's, X_WORDS of room for a run */
};

static bool is_taken(struct row row, uint c)
{
    return (HELD * CLUSTER == COLS || c < COLS) && is_seen(row, c);
}

static uint worker_columns(struct row row, uint first, uint step)
{
    return row.cols ? HELD : 0;
}

static uint worker_column(struct row row, uint first, uint step, uint i)
{
    uint c = taken_column(first, i);
    return is_taken(row, c) ? c : NO_COLUMN;
}

INLINE void take_row(struct taken *t, struct row row, const struct stage *stage, uint at,
                     uint first)
{
    uint dy[RUNS * DY_WORDS];
    UNROLL for (uint i = 0; i < RUNS * X_WORDS && MAX_OF_WORDS; i++)
        t->word[i] = CAT(minus_inf_, X)(0);
    runs_get(t->word, X_WORDS, stage->x, at, first, X_BYTES);
#if HAS_DY
    runs_get(dy, DY_WORDS, stage->dy, at, first, DY_BYTES);
#endif
    UNROLL for (uint i = 0; i < HELD; i++)
    {
        uint c = taken_column(first, i), j = i / RUN, k = i % RUN;
        t->x[i] = FILL;
        t->dy[i] = 0;
        if (!is_taken(row, c))
            continue;
        t->x[i] = logit_of(row, c, CAT(word_, X)(t->word + j * X_WORDS, k));
#if HAS_DY
        t->dy[i] = CAT(word_, DY)(dy + j * DY_WORDS, k);
#endif
    }
}

static struct element taken_element(const struct taken *t, uint first, uint i)
{
    struct element e = {taken_column(first, i), t->x[i], t->dy[i]};
    return e;
}

#if WORD_MAX
/* The largest number of its words. */
static real taken_word_max(const struct taken *t)
{
    uint most[2] = {t->word[0], t->word[0]};
    UNROLL for (uint j = 0; j < RUNS; j++)
        UNROLL for (uint i = 0; i < RUN / 2; i++)
            most[i % 2] = word_max(most[i % 2], t->word[j * X_WORDS + i]);
    uint both = word_max(most[0], most[1]);
    real low = real_max((real)(-INFINITY), CAT(word_, X)(&both, 0));
    return real_max(low, CAT(word_, X)(&both, 1));
}
#endif

static real taken_max(const struct taken *t)
{
#if WORD_MAX
    if (MAX_OF_WORDS)
        return taken_word_max(t);
#endif
    real max[PACK];
    UNROLL for (uint k = 0; k < PACK; k++)
        max[k] = -INFINITY;
    UNROLL for (uint i = 0; i < HELD; i++)
        max[i % PACK] = real_max(max[i % PACK], t->x[i]);
    UNROLL for (uint k = 1; k < PACK; k++)
        max[0] = real_max(max[0], max[k]);
    return max[0];
}

/* Terms take the places of what they are made of, where the result is made of them. */
#define HOLDS_TERMS TERMS_SERVE

/* What is held of element i as its term, which is `term` if it is no one. */
INLINE void hold_term(struct taken *t, uint i, real term, real max)
{
#if HOLDS_TERMS
    t->x[i] = COUNTS_ONES && LIMIT && t->x[i] == ones_at(max) ? (real)1 : term;
#endif
}

INLINE void keep_taken(struct keep *keep, struct row row, struct element e)
{
    if (OP_KEEPS && is_taken(row, e.c))
        keep_add(keep, row, e);
}

#if COUNTS_ONES
/* How many terms are added plainly: more digits than 16-bit results show get lost in more. */
enum { TOGETHER = ROUGH ? HELD : 16 };

/* The ones among a worker's terms, and the others' sum. */
INLINE real taken_apart(struct taken *t, struct row row, uint first, real max,
                        struct keep *keep, real *ones)
{
    struct pair sum = {(real)0, (real)0};
    real others[PACK];
    UNROLL for (uint i = 0; i < HELD; i++)
    {
        struct element e = taken_element(t, first, i);
        real term = op_other_term(row, e, max);
        if (i % TOGETHER < PACK)
            set_apart(ones, others + i % PACK, e.x, ones_at(max), term);
        else
            add_apart(ones, others + i % PACK, e.x, ones_at(max), term);
        keep_taken(keep, row, e);
        hold_term(t, i, term, max);
        if (i + 1 < HELD && (i + 1) % TOGETHER != 0)
            continue;
        UNROLL for (uint k = i % TOGETHER + 1; k < PACK; k++)
            others[k] = (real)0;
        real part = tree_sum(others);
        sum = i < TOGETHER ? sum : pair_add(sum, part);
        sum.hi = i < TOGETHER ? part : sum.hi;
    }
    return sum.hi + sum.lo;
}

/* The row's sum: ones, whole numbers, and the others, of which as many as there are lanes are few.
 * Whoever takes 1 or another term away begins with the ones. */
INLINE struct pair taken_sum(struct taken *t, struct row row, uint first, real max,
                             struct keep *keep, __local real *scratch)
{
    real ones = (real)0;
    real others = taken_apart(t, row, first, max, keep, &ones);
    struct pair sum = {set_add(ones, scratch), unbiased(set_add(others, scratch), max)};
    return sum;
}
#else
INLINE struct pair taken_sum(struct taken *t, struct row row, uint first, real max,
                             struct keep *keep, __local real *scratch)
{
    struct pair sum = {(real)0, (real)0};
    UNROLL for (uint i = 0; i < HELD; i += PACK)
    {
        real term[PACK], most = -INFINITY;
        UNROLL for (uint k = 0; k < PACK; k++)
        {
            term[k] = 0;
            if (i + k >= HELD)
                continue;
            struct element e = taken_element(t, first, i + k);
            most = real_max(most, e.x);
            term[k] = op_term(row, e, max);
            keep_taken(keep, row, e);
            hold_term(t, i + k, term[k], max);
        }
        sum = add_terms(sum, term, most == max);
    }
    return set_sum(sum, scratch);
}
#endif

#if OP_NEEDS_MAX
/* The logarithm of a plain sum of all terms, if that is exact enough for a result of 16 bits; else
 * NaN. It is not where next to nothing stands beside the maximum, or where the maximum takes next
 * to all of it away. */
INLINE real try_log(const struct taken *t, real max, __local real *scratch)
{
    real sum[PACK];
    UNROLL for (uint k = 0; k < PACK; k++)
        sum[k] = (real)0;
    UNROLL for (uint i = 0; i < HELD; i++)
    {
        real term = exp_tried(t->x[i], max);
        sum[i % PACK] = i < PACK ? term : sum[i % PACK] + term;
    }
    real v = exp_tried_log(set_add(tree_sum(sum), scratch), max);
    return OP_WRITES == WRITES_ONE && fabs(max + v) < (real)0x1p-8f ? (real)NAN : v;
}
#endif

/* A worker's row: what its result is made of. */
INLINE struct state taken_state(struct taken *t, struct row row, uint first,
                                struct keep *keep, __local real *scratch)
{
    struct state s = given_state(row);
#if !OP_GIVEN
#if OP_NEEDS_MAX
    s.max = set_max(taken_max(t), scratch);
    if (LOG_KNOWN) {
        s.log_sum = try_log(t, s.max, scratch);
        s.sum.hi = (real)1;
        bool known = is_alone(row) && fabs(s.max) < (real)INFINITY;
        s.log_sum = known ? (real)0 : s.log_sum;
        bool again = !known && !(s.log_sum > (real)0);
        if (!set_again(again, scratch))
            return s;
        struct pair sum = taken_sum(t, row, first, s.max, keep, scratch);
        sum = sum_with_tiny(sum, row, first, s.max, scratch);
        s.sum = again ? sum : s.sum;
        s.log_sum = again ? state_log_sum(s) : s.log_sum;
        return s;
    }
#endif
    s.sum = taken_sum(t, row, first, s.max, keep, scratch);
    s.sum = sum_with_tiny(s.sum, row, first, s.max, scratch);
#endif
    return s;
}
