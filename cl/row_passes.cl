/* SPDX-License-Identifier: MIT */
/*
 * How a set of workers goes over one row, for any operation. Worker `first` takes columns
 * first, first + step, ... of those that take part; in mappings with PACKS it takes packs of
 * neighbours, see cut.cl, and in those with ROWS runs of them, see taken.cl. All workers of
 * a set pass the same row.
 *
 * A mapping defines what its set is:
 *     set_max  everybody gets the largest of everybody's value
 *     set_sum  everybody gets the sum of everybody's pair
 *     set_top  see top.cl
 * with SCRATCH_REALS of local memory to do it in, if it needs any. All workers of a
 * work-group reach every one of these calls, whatever their rows are.
 */
#ifndef BLOCK
#define BLOCK 8
#endif

/* The smallest of everybody's columns; NO_COLUMN if there are none. */
INLINE uint set_min_column(uint column, __local real *scratch)
{
    struct top top;
    EACH_PART (p)
        top.part[p] = (real_bits)(~column);
    top = set_top(top, 0, scratch);
    return ~(uint)FIRST(top.part[0]);
}

/* How many columns a worker takes at most, and its i-th one, or NO_COLUMN where it takes
 * fewer. They rise with i. */
#if defined PACKS || defined ROWS
static uint worker_columns(struct row row, uint first, uint step);
static uint worker_column(struct row row, uint first, uint step, uint i);
#else
static uint worker_columns(struct row row, uint first, uint step)
{
    uint cols = row.end - row.begin;
    return first < cols ? (cols - first - 1) / step + 1 : 0;
}

static uint worker_column(struct row row, uint first, uint step, uint i)
{
    return row.begin + first + i * step;
}
#endif

#include "tiny.cl"

#if MAY_BE_HOT && OP_WRITES == WRITES_ROW
/* The first column where the row has its maximum, in rows of temperature 0. */
INLINE uint first_of_max(struct row row, real max, uint first, uint step,
                         __local real *scratch)
{
    uint at = NO_COLUMN;
    for (uint c = row.begin + first; row.one_hot && c < row.end && at == NO_COLUMN;
         c += step) {
        SCALAR lane[VEC];
        TO_LANES(row_logit(row, c), lane);
        for (uint d = 0; d < VEC && c + d < row.end && at == NO_COLUMN; d++)
            at = lane[d] == FIRST(max) ? c + d : at;
    }
    return set_min_column(at, scratch);
}
#endif

#if OP_WRITES == WRITES_ROW
/* The columns that do not take part. */
static void write_unseen(struct row row, struct result result, uint first, uint step)
{
#if BOUNDED
    struct element nothing = {0, (real)(-INFINITY), (real)0};
    real masked = op_value(row, nothing, result);
    for (uint c = first; c < row.begin; c += step)
        row_store(row, c, row.begin, masked);
    for (uint c = row.end + first; c < row.cols; c += step)
        row_store(row, c, row.cols, masked);
#endif
}

/* Those that do. */
static void write_seen(struct row row, struct result result, uint hot, uint first,
                       uint step)
{
    for (uint c = row.begin + first; c < row.end; c += step) {
        struct element e = row_element(row, c);
#if MAY_BE_HOT
        if (row.one_hot)
            e.x = pick(c, hot, result.max, (real)(-INFINITY));
#endif
        row_store(row, c, row.end, op_value(row, e, result));
    }
}
#endif

/* What is known of a row goes to memory by one of its workers. */
static void write_row_results(struct row row, struct state s)
{
#if HAS_MAX
    *row.max_out = FIRST(s.max);
#endif
#if HAS_SUM
    *row.sum_out = FIRST(state_sum(s));
#endif
#if HAS_LSE
    *row.lse_out = FIRST(state_lse(s));
#endif
}

/* What counts once more for each work-item that takes itself for the one that ends the row: see
 * LANES_ALONE, which does not say so where there are no lanes. */
#if HAS_BAD_TARGETS && !HAS_PTX
#define COUNTS_ALONE volatile
#else
#define COUNTS_ALONE LANES_ALONE
#endif

/* What the row comes to: its state is complete and the same for everybody. */
INLINE struct result close_row(struct row row, struct state s, struct keep *keep,
                               uint first, __local real *scratch)
{
#if MAY_BE_HOT
    s = state_one_hot(row, s);
#endif
#if HAS_SINKS
    if (!row.one_hot) {
        LANES_ALONE SCALAR sink = row.sink;
        s = state_raise(s, real_max(s.max, (real)sink));
        s.sum = pair_add(s.sum, exp_nonpositive(below_max((real)sink, s.max)));
    }
#endif
    keep_reduce(keep, scratch);
    struct result result = op_result(row, s, keep);
    COUNTS_ALONE uint alone = first == 0 && row.inside;
    if (alone) {
        write_row_results(row, s);
#if OP_WRITES == WRITES_ONE && !ONES_TOGETHER
        store_one(op_one(row, result), row.y);
#endif
#if OP_KEEPS
        keep_end(keep, row, result);
#endif
    }
    return result;
}

INLINE void end_row(struct row row, struct state s, struct keep *keep, uint first,
                    uint step, __local real *scratch)
{
    uint hot = NO_COLUMN;
#if MAY_BE_HOT && OP_WRITES == WRITES_ROW
    hot = first_of_max(row, s.max, first, step, scratch);
#endif
    struct result result = close_row(row, s, keep, first, scratch);
#if OP_WRITES == WRITES_ROW
    write_seen(row, result, hot, first, step);
    write_unseen(row, result, first, step);
#elif OP_WRITES == WRITES_ITSELF
    op_write(row, result, keep, first, step, scratch);
#endif
}

/* Maximum, then sum, of all workers: reads x twice (once if the operation has no maximum, not
 * at all if they are given). */
INLINE struct state row_state(struct row row, struct keep *keep, uint first, uint step,
                              __local real *scratch)
{
    struct state s = given_state(row);
    keep_start(keep, row);
#if !OP_GIVEN
#if OP_NEEDS_MAX
    for (uint c = row.begin + first; c < row.end; c += step)
        s.max = real_max(s.max, row_logit(row, c));
    s.max = set_max(s.max, scratch);
#endif
    uint c = row.begin + first;
    while (c < row.end) {
        for (uint k = 0; k < SPAN && c < row.end; k++, c += step) {
            struct element e = row_element(row, c);
            s.part = pair_add(s.part, op_lifted_term(row, e, s.max));
            keep_add(keep, row, e);
        }
        s = state_settle(s);
    }
    s.sum = pair_down(set_sum(state_close(s).sum, scratch));
#endif
    return s;
}

/* The same, and write. */
INLINE void three_passes(struct row row, uint first, uint step, __local real *scratch)
{
    struct keep keep;
    struct state s = row_state(row, &keep, first, step, scratch);
    end_row(row, s, &keep, first, step, scratch);
}
