/* SPDX-License-Identifier: MIT */
/* The end of reading a row, see pipeline.cl: its state, or that it has to be read another way. */
/* What comes of reading a row: its state; or nothing, but its maximum, relative to which it is
 * to be read again from the start; or nothing, since it has no number to be relative to. */
enum reading_end { IS_READ, READ_AGAIN, NO_BASE };

INLINE enum reading_end read_again(struct reading *in, real max)
{
    if (!(fabs(FIRST(max)) < FARTHEST))
        return NO_BASE;
    read_from(in, max);
    in->known = true;
    return READ_AGAIN;
}

#if STAYS_BASED
/* The rest of a row, and its state, relative to its base. */
INLINE enum reading_end read_rest(struct reading *in)
{
    read_tail(in);
    struct pair sum = set_sum(in->s.sum, 0);
    if (!in->known && (!(FIRST(sum.hi) < MOST_BASED) || !(fabs(in->from) < FARTHEST)))
        return read_again(in, most_of(in->row, in->row.end));
    in->s.max = (real)in->from;
    in->s.sum = sum;
    return IS_READ;
}
#elif OP_NEEDS_MAX && !OP_GIVEN
/* Terms are relative to the maximum from here on. Gives that of the maximum itself. */
INLINE real rebase(struct reading *in, real max)
{
    real top = exp_from(max, in->base);
    in->factor = (real)1 / top;
    return top;
}

INLINE bool is_far(const struct reading *in)
{
    SCALAR max = FIRST(in->max);
    return !(max - in->from <= MOST_ABOVE) || !(fabs(max) < FARTHEST);
}

/* The same, relative to its maximum. */
INLINE enum reading_end read_rest(struct reading *in)
{
    read_tail(in);
    struct pair sum = set_sum(in->s.sum, 0);
    in->max = set_max(in->max, 0);
    if (!in->known && is_far(in))
        return read_again(in, in->max);
    real top = rebase(in, in->max);
#if OP_NEEDS_REST
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
