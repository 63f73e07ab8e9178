/* SPDX-License-Identifier: MIT */
/* Rows that several work-groups share: each leaves its part's state in device memory. */

/* Plain records: good for who is launched later. Where a row takes the place of x, the target's x
 * goes with them, since who comes later may find it overwritten. */
typedef __global SCALAR *record;
#define RECORD_HAS_LOGIT (OP_KEEPS && OP_WRITES == WRITES_ROW)

INLINE record record_behind(record first, size_t number)
{
    return first + (RECORD_HAS_LOGIT ? 4 : 3) * number;
}

INLINE record record_at(volatile __global uint *shared, size_t number)
{
    return record_behind((record)((__global char *)shared + PLAIN_AT), number);
}

INLINE record record_of(volatile __global uint *shared, struct shape shape, size_t r,
                        uint part)
{
    return record_at(shared, (r - shape.first_row) * shape.parts + part);
}

INLINE void record_write(record to, struct state s)
{
    to[0] = FIRST(s.max);
    to[1] = FIRST(s.sum.hi);
    to[2] = FIRST(s.sum.lo);
}

INLINE void record_keep(record to, const struct keep *keep)
{
#if RECORD_HAS_LOGIT
    to[3] = FIRST(keep->logit);
#endif
}

/* keep_start of a row whose x may be gone, by a record of its parts. */
INLINE void keep_recall(struct keep *keep, struct row row, record from)
{
#if RECORD_HAS_LOGIT
    keep_target(keep, row, *row.target, from[3]);
#else
    keep_start(keep, row);
#endif
}

INLINE struct state record_read(record from)
{
    return state_of(from[0], from[1], from[2]);
}
