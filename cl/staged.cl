/* SPDX-License-Identifier: MIT */
/*
 * staged: a work-group takes a block of ROWS neighbouring rows, without gaps one piece of
 * memory however short a row is, to local memory and back, 16 bytes at a time; CLUSTER
 * neighbouring lanes (or one work-item) take a row of it and hold it in registers. Reads
 * x once, writes y once. Wins on the shortest rows, which have few whole 16 bytes or none.
 * The exact COLS is compiled in. Rows with gaps are right too, element by element.
 *
 * Local memory has BANKS words side by side. A worker takes runs of RUN neighbours, and
 * clusters side by side take rows APART, since neighbouring rows of an odd length would
 * collide. Counted over 1 to 256 columns of each type: clusters of 4 and more have at most
 * two work-items at a bank, work-items alone more than that only in rows of a multiple of
 * 64 bytes (f64: 32).
 */
#ifndef WG
#define WG 128
#endif
#ifndef CLUSTER
#define CLUSTER 1
#endif
#define BANKS 32

#include "cluster_set.cl"
#include "words.cl"
#include "blocks.cl"
#include "runs.cl"
enum { TERMS = PACK };
#include "term_sum.cl"

#if OP_WRITES == WRITES_ROW
#define STAGES_Y 1
#else
#define STAGES_Y 0
#endif
#if HAS_DY
#define STAGES_DY 1
#else
#define STAGES_DY 0
#endif

enum {
    SETS = WG / CLUSTER,
    NEAR = BANKS / CLUSTER, /* clusters that read at once */
    WANTED = CLUSTER / LEAST(CLUSTER, LOWEST_BIT(COLS / RUN)),
    APART = LEAST(WANTED, ROWS / NEAR),

    X_BYTES = sizeof(mem_x),
    Y_BYTES = sizeof(mem_y),
    DY_BYTES = sizeof(mem_dy),
    Y_IN_X = X_BYTES == Y_BYTES, /* each element of y where its x was */
    X_CHUNKS = BLOCK_CHUNKS(X_BYTES),
    DY_CHUNKS = STAGES_DY * BLOCK_CHUNKS(DY_BYTES),
    Y_CHUNKS = (STAGES_Y && !Y_IN_X) * BLOCK_CHUNKS(Y_BYTES)
};

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
    return (HELD * CLUSTER == COLS || c < COLS) &&
           (!BOUNDED || (c >= row.begin && c < row.end));
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

/* Columns that a row has not got, as -inf, or as 0 where there is no maximum. */
#define FILL (OP_NEEDS_MAX ? -INFINITY : (SCALAR)0)

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

/* The row's sum. Ones are whole numbers, and as many others as there are lanes are few. */
INLINE struct pair taken_sum(struct taken *t, struct row row, uint first, real max,
                             struct keep *keep, __local real *scratch)
{
    real ones = (real)0;
    real others = taken_apart(t, row, first, max, keep, &ones);
    struct pair sum = {unbiased(set_add(others, scratch), max), (real)0};
    return pair_add(sum, set_add(ones, scratch));
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
    struct state s = state_empty();
#if OP_GIVEN
    s.max = row.from_max;
    s.sum.hi = row.from_sum;
#else
#if OP_NEEDS_MAX
    s.max = set_max(taken_max(t), scratch);
    if (LOG_KNOWN) {
        s.log_sum = try_log(t, s.max, scratch);
        s.sum.hi = (real)1;
        bool again = !(s.log_sum > (real)0);
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

#if MAY_BE_HOT && OP_WRITES == WRITES_ROW
/* The first column where the row has its maximum, in rows of temperature 0. */
INLINE uint taken_hot(const struct taken *t, struct row row, real max, uint first,
                      __local real *scratch)
{
    uint at = NO_COLUMN;
    UNROLL for (uint i = 0; i < HELD; i++)
    {
        uint c = taken_column(first, i);
        bool hot = row.one_hot && t->x[i] == max && is_taken(row, c);
        at = at == NO_COLUMN && hot ? c : at;
    }
    return set_min_column(&at, scratch);
}
#endif

#if STAGES_Y
/* What is written for element i; `part` brings terms to the row's own maximum. */
INLINE real put_value(const struct taken *t, struct row row, uint first, uint i,
                      struct result result, uint hot, real part)
{
    struct element e = taken_element(t, first, i);
#if HOLDS_TERMS
    return op_from_term(row, e.c, MAX_MOVES ? e.x * part : e.x, result);
#elif MAY_BE_HOT
    if (row.one_hot)
        e.x = pick(e.c, hot, result.max, (real)(-INFINITY));
#endif
    return op_value(row, e, result);
}

INLINE void put_row(const struct taken *t, struct row row, const struct stage *stage,
                    uint at, uint first, struct result result, uint hot, real part)
{
    uint w[RUNS * Y_WORDS];
    UNROLL for (uint j = 0; j < RUNS; j++)
    {
        real v[PACK];
        UNROLL for (uint k = 0; k < PACK; k++)
            v[k] = k < RUN ? put_value(t, row, first, j * RUN + k, result, hot, part)
                           : (real)0;
        CAT(words_from_, Y)(w + j * Y_WORDS, v);
    }
    runs_put(w, Y_WORDS, stage->y, at, first, Y_BYTES);
#if HOLDS_TERMS && OP_SPOT
    uint c = op_spot(result);
    if (c < COLS && c / RUN % CLUSTER == first) {
        real v[PACK] = {op_at_spot(row, result)};
        CAT(words_from_, Y)(w, v);
        element_put(w, staged_element(stage->y, at + c, Y_BYTES), Y_BYTES);
    }
#endif
}
#endif

/* One row from and to local memory, where its first element is number `at`. */
INLINE void staged_row(struct row row, const struct stage *stage, uint at,
                       __local real *scratch)
{
    uint first = get_local_id(0) % CLUSTER;
#if HAS_TARGETS
    uint x[2], t = row.cols ? target_column(row, row.label) : 0;
    element_get(x, staged_element(stage->x, at + t, X_BYTES), X_BYTES);
    row.label_x = CAT(word_, X)(x, 0);
#endif
    struct taken taken;
    struct keep keep;
    keep_start(&keep, row);
    take_row(&taken, row, stage, at, first);
    struct state s = taken_state(&taken, row, first, &keep, scratch);
    uint hot = NO_COLUMN;
#if MAY_BE_HOT && OP_WRITES == WRITES_ROW
    hot = taken_hot(&taken, row, s.max, first, scratch);
#endif
    struct result result = result_of_terms(close_row(row, s, &keep, first, scratch), s.max);
#if OP_WRITES == WRITES_ROW
    real part = (real)1;
#if HOLDS_TERMS && MAX_MOVES
    part = exp_nonpositive(below_max(s.max, result.max));
#endif
#if OP_VANISHES
    if (op_vanishes(result)) {
        UNROLL for (uint i = 0; i < HELD; i++)
            taken.x[i] = (real)0;
        part = (real)1;
    }
#endif
    put_row(&taken, row, stage, at, first, result, hot, part);
#elif OP_WRITES == WRITES_ITSELF
    op_write(row, result, &keep, first, CLUSTER, scratch);
#endif
}

/* The row of a block that cluster number `set` takes. */
static uint row_of_set(uint set)
{
    uint near = set % NEAR, turn = set / NEAR;
    return turn / APART * (NEAR * APART) + near * APART + turn % APART;
}

/* The target of set number `set`, if that has a row: any other will do. */
INLINE long target_of(TENSORS, size_t r, uint set)
{
#if HAS_TARGETS
    size_t at = r + (set < ROWS ? row_of_set(set) : 0);
    return targets[shape.at_targets + (at < shape.rows ? at : 0)];
#else
    return 0;
#endif
}

#define PHASE_OF(tensor, unit) block_phase(tensor, shape.tensor, shape, block, unit)

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS)
{
    __local uint4 local_x[X_CHUNKS], local_dy[DY_CHUNKS + 1], local_y[Y_CHUNKS + 1];
    __local real scratch[LANES_SCRATCH + 1];
    for (size_t r = get_group_id(0) * (size_t)ROWS; r < shape.rows;
         r += get_num_groups(0) * (size_t)ROWS) {
        struct block block = {r, (uint)min(shape.rows - r, (size_t)ROWS) * COLS};
        struct stage stage;
        stage.x = staged_at(local_x, PHASE_OF(x, X_BYTES), X_BYTES);
        stage.y = stage.x;
        block_in(local_x, x, shape.x, shape, block, X_BYTES);
#if HAS_DY
        stage.dy = staged_at(local_dy, PHASE_OF(dy, DY_BYTES), DY_BYTES);
        block_in(local_dy, dy, shape.dy, shape, block, DY_BYTES);
#endif
#if STAGES_Y
        if (!Y_IN_X)
            stage.y = staged_at(local_y, PHASE_OF(y, Y_BYTES), Y_BYTES);
#endif
        uint set = get_local_id(0) / CLUSTER;
        long label = target_of(ALL_TENSORS, r, set); /* on its way like the block */
        blocks_wait();
        barrier(CLK_LOCAL_MEM_FENCE);
        for (; set < ROWS; set += SETS) {
            uint k = row_of_set(set);
            struct row row = ROW_AT(r + k);
            row.label = label;
            label = target_of(ALL_TENSORS, r, set + SETS);
            staged_row(row, &stage, k * COLS, scratch);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if STAGES_Y
        block_out(y, shape.y, shape, block, Y_BYTES, stage.y.at, stage.y.phase);
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
}
