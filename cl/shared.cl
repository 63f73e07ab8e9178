/* SPDX-License-Identifier: MIT */
/*
 * Rows that several work-groups share. Each work-group leaves its part's state as a record in
 * device memory, and everybody reads all records of the row, in the same order.
 */
#define RECORD_WORDS 8 /* max, sum.hi, sum.lo as reals; the last word says whether it is there */
#define RECORDS_AT 8   /* words before the first */

typedef volatile __global SCALAR *record;

static record record_of(volatile __global uint *shared, struct shape shape, size_t r,
                        uint part)
{
    size_t number = (r - shape.first_row) * shape.parts + part;
    return (record)(shared + RECORDS_AT + number * RECORD_WORDS);
}

static void record_write(record to, struct state s)
{
    to[0] = s.max;
    to[1] = s.sum.hi;
    to[2] = s.sum.lo;
}

/* Work-item i's share of a row's records, merged. */
static struct state record_merge(struct state s, record from)
{
    struct pair sum = {from[1], from[2]};
#if OP_NEEDS_MAX
    real max = from[0];
    if (max > s.max)
        s = state_raise(s, max);
    real scale = exp_nonpositive(below_max(max, s.max));
    sum.hi *= scale;
    sum.lo *= scale;
#endif
    s.sum = pair_merge(s.sum, sum);
    return s;
}
