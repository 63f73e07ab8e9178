/* SPDX-License-Identifier: MIT */
/* Reading a row to its end, see pipeline.cl. */
/* What comes of it: its state; or nothing, since it has no number to be relative to; or
 * nothing, but it is to be read again, relative to its maximum. */
enum reading_end { IS_READ, NO_BASE, READ_AGAIN };

#if OP_NEEDS_MAX && !OP_GIVEN
INLINE enum reading_end not_read(struct reading *in)
{
    if (in->known)
        return NO_BASE;
    read_from_start(in, NO_COLUMN);
    return READ_AGAIN;
}
#endif

#if STAYS_BASED
/* The rest of a row, and its state, relative to its base. */
INLINE enum reading_end read_rest(struct reading *in)
{
    read_tail(in);
    in->s.max = (real)in->from;
    in->s.sum = set_sum(in->s.sum, 0);
    bool based = fabs(in->from) < FARTHEST && FIRST(in->s.sum.hi) < MOST_BASED;
    return based ? IS_READ : not_read(in);
}
#elif OP_NEEDS_MAX && !OP_GIVEN
/* Terms are relative to the maximum from here on. Gives that of the maximum itself. */
INLINE real rebase(struct reading *in, real max)
{
    real top = exp_based(max, in->base);
    in->factor = (real)1 / top;
    return top;
}

/* The same, relative to its maximum. */
INLINE enum reading_end read_rest(struct reading *in)
{
    read_tail(in);
    struct pair sum = set_sum(in->s.sum, 0);
    in->max = set_max(in->max, 0);
    SCALAR max = FIRST(in->max);
    if (!(max - in->from <= OP_MOST_ABOVE) || !(fabs(max) < FARTHEST) ||
        !(FIRST(sum.hi) < INFINITY))
        return not_read(in);
    real top = rebase(in, in->max);
#if OP_NEEDS_REST
    /* What is lost in trees is nothing beside as much as this besides the largest term. */
    bool enough = FIRST(sum.hi) >= (ROUGH ? 1.0078125f : 4.0f) * FIRST(top);
    if (!in->exact && !enough) {
        in->exact = true;
        read_from_start(in, in->look);
        return READ_AGAIN;
    }
    in->exact = ROWS_ARE_SHARED || !enough; /* for the next row */
    struct pair whole = {(real)1, (real)0};
    sum = pair_add(sum, -top);
    sum = pair_add(whole, (sum.hi + sum.lo) * in->factor);
#else
    sum.hi *= in->factor;
    sum.lo *= in->factor;
#endif
    in->s.max = in->max;
    in->s.sum = sum;
    return IS_READ;
}
#else
INLINE enum reading_end read_rest(struct reading *in)
{
#if OP_GIVEN
    in->s.max = in->row.from_max;
    in->s.sum.hi = in->row.from_sum;
#else
    read_tail(in);
    in->s.sum = set_sum(in->s.sum, 0);
#endif
    return IS_READ;
}
#endif

/* As much of a row as has whole chunks, while another one is written; or until its base is
 * found to be too low. */
INLINE bool read_chunks(struct reading *in, struct writing *out)
{
    for (;;) {
        uint writes = chunks_to_write(out), reads = chunks_to_read(in);
        uint turns = !reads ? writes : min(reads, BLOCK_CHUNKS - in->latest);
        turns = reads && writes ? min(turns, writes) : turns;
        if (!turns)
            return true;
        ROLLED for (; turns > 0; turns--)
        {
            if (writes)
                write_next(out);
            if (reads)
                read_chunk(in);
        }
        if (in->latest && (in->latest == BLOCK_CHUNKS || !chunks_to_read(in)) &&
            !settle_chunks(in))
            return false;
    }
}

/* All of it. */
INLINE enum reading_end read_row(struct reading *in, struct writing *out)
{
    enum reading_end end = READ_AGAIN;
    if (DETERMINISTIC)
        in->exact = ROWS_ARE_SHARED;
    read_from_start(in, CHUNK);
    while (end == READ_AGAIN) {
        take_base(in);
        if (read_chunks(in, out))
            end = read_rest(in);
    }
    return end;
}
