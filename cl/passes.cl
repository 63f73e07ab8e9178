/* SPDX-License-Identifier: MIT */
/*
 * How a set of workers goes over one row, for any operation. Worker `first` takes columns
 * first, first + step, ... All workers of a set pass the same row.
 *
 * A mapping defines what its set is:
 *     set_max  everybody gets the largest of everybody's value
 *     set_sum  everybody gets the sum of everybody's pair
 * with SCRATCH_REALS of local memory to do it in, if it needs any.
 */
#ifndef BLOCK
#define BLOCK 8
#endif

static real set_max(real v, __local real *scratch);
static struct pair set_sum(struct pair s, __local real *scratch);

static void write_row(struct row row, struct result result, uint first, uint step)
{
    for (uint c = first; c < row.cols; c += step)
        row_store(row, c, op_value(result, row_load(row, c)));
}

/* Maximum, sum, write: reads x three times (twice if the operation has no maximum). */
static void three_passes(struct row row, uint first, uint step, __local real *scratch)
{
    struct state s = state_empty();
#if OP_NEEDS_MAX
    for (uint c = first; c < row.cols; c += step)
        s.max = real_max(s.max, row_load(row, c));
    s.max = set_max(s.max, scratch);
#endif
    uint c = first;
    while (c < row.cols) {
        for (uint k = 0; k < SPAN && c < row.cols; k++, c += step)
            s.part = pair_add(s.part, op_term(row_load(row, c), s.max));
        s = state_settle(s);
    }
    s.sum = set_sum(state_close(s).sum, scratch);
    write_row(row, op_result(s), first, step);
}

#if VEC == 1
/* Running maximum and sum, then write: reads x twice. The maximum is raised at most once
 * per BLOCK elements. Source: Milakov and Gimelshein, arXiv:1805.02867, algorithm 3. */
static void two_passes(struct row row, uint first, uint step, __local real *scratch)
{
    struct state s = state_empty();
    uint c = first, latest = 0;
    for (; row.cols >= BLOCK * step && c < row.cols - (BLOCK - 1) * step;
         c += BLOCK * step) {
        real x[BLOCK];
        real max = s.max;
        for (uint k = 0; k < BLOCK; k++)
            max = real_max(max, x[k] = row_load(row, c + k * step));
        if (max > s.max)
            s = state_raise(s, max);
        for (uint k = 0; k < BLOCK; k++)
            s.part = pair_add(s.part, op_term(x[k], s.max));
        latest += BLOCK;
        if (latest >= SPAN) {
            s = state_settle(s);
            latest = 0;
        }
    }
    for (; c < row.cols; c += step) { /* fewer than BLOCK */
        real x = row_load(row, c);
        if (x > s.max)
            s = state_raise(s, x);
        s.part = pair_add(s.part, op_term(x, s.max));
    }
    s = state_close(s);
    s = state_raise(s, set_max(s.max, scratch));
    s.sum = set_sum(s.sum, scratch);
    write_row(row, op_result(s), first, step);
}
#endif
