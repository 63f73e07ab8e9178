/* SPDX-License-Identifier: MIT */
/* What a row's terms are relative to, see pipeline.cl. */

/* The base of a row whose first columns' maximum is x, and how far above another may be. */
#define OP_MOST_ABOVE (OP_NEEDS_REST ? MOST_ABOVE_LIFTED : MOST_ABOVE)
static struct base op_base_of(real x)
{
    return OP_NEEDS_REST ? base_below(x, BASE_BELOW_LIFTED, MOST_ABOVE_LIFTED) : base_of(x);
}

/* The largest of `least` columns from `at` on, or of more until one is above -inf. */
INLINE real most_of(struct row row, uint at, uint least)
{
    real max = -INFINITY;
    uint stop = row.end - at < least ? row.end : at + least;
    ROLLED while (at < stop)
    {
        if (stop - at >= CHUNK && in_chunks(row)) {
            struct row chunk = cut_chunk(row, at);
            UNROLL for (uint k = 0; k < CHUNK; k += VEC)
                max = real_max(max, row_logit(chunk, k));
            at += CHUNK;
        } else {
            max = real_max(max, row_logit(row, at));
            at += VEC;
        }
        if (at >= stop && stop < row.end && FIRST(set_max(max, 0)) == -INFINITY)
            stop = min(stop + CHUNK, row.end);
    }
    return set_max(max, 0);
}

#if RAISES_LATE
OUTLINE void scale_held(__local SCALAR *held, uint from, uint to, SCALAR first, SCALAR second)
{
    uint k = from;
    ROLLED for (; k + VEC <= to; k += VEC)
        STORE_REAL(LOAD_HELD(held + k) * (real)first * (real)second, __local, held + k);
    ROLLED for (; k < to; k++)
        held[k] = held[k] * first * second;
}

/* Of `read` terms that are held, as many as are written in whole chunks wait for that, if one
 * power is enough for them; the others are multiplied now. */
INLINE void raise_held(struct reading *in, uint read, int powers, real first, real second)
{
    uint begin = in->row.begin, edge = before_line(in->row.y + begin), late = 0;
    if (powers >= -126 && read >= edge + CHUNK)
        late = read - (read - edge) % CHUNK;
    if (in->raised > begin) /* once before */
        scale_held(in->held, 0, in->raised - begin, FIRST(in->raise), (SCALAR)1);
    scale_held(in->held, late, read, FIRST(first), FIRST(second));
    in->raised = begin + late;
    in->raise = first * second;
}
#else
#define raise_held(in, read, powers, first, second)
#endif

/* Take what was read from its base to another one. In two steps: a term may be as far above the
 * one as it is below the other, and the power between them is no f32 by itself. */
INLINE void rescale(struct reading *in, struct base base)
{
    SCALAR shift = FIRST(base.shift) - FIRST(in->base.shift);
    int powers = (int)(shift > -252.0f ? shift : -252.0f); /* of 2, below 0 */
    int some = powers / 2;
    real first = (real)as_float((uint)(some + 127) << 23);
    real second = (real)as_float((uint)(powers - some + 127) << 23);
    raise_held(in, in->at - in->row.begin, powers, first, second);
    in->s.sum.hi = in->s.sum.hi * first * second;
    in->s.sum.lo = in->s.sum.lo * first * second;
    in->s.lost = in->s.lost * first * second;
}

/* Look at some columns before they are read. Where a row lies far above its start the next one may
 * as well: that is looked at to its end first, if it is short enough to stay in a near cache, since
 * what is read from a base too low is read or scaled again. */
INLINE void take_base(struct reading *in)
{
#if OP_NEEDS_MAX && !OP_GIVEN
    real max = most_of(in->row, in->at, in->look);
    in->from = FIRST(max);
    struct base base = op_base_of(fabs(in->from) < FARTHEST ? max : (real)0);
    if (STAYS_BASED && in->at > in->row.begin)
        rescale(in, base);
    if (in->look > CHUNK)
        in->rose = in->from - FIRST(most_of(in->row, in->row.begin, CHUNK)) > OP_MOST_ABOVE;
    in->base = base;
#endif
}

INLINE void read_from_start(struct reading *in, uint look)
{
    in->at = in->raised = in->row.begin;
    in->latest = 0;
    in->look = look;
    in->known = look > CHUNK;
    in->factor = (real)1;
    in->max = -INFINITY;
    in->s = state_empty();
    keep_start(&in->keep, in->row);
}

#if STAYS_BASED && HOLDS_TERMS
/* Of the latest chunks, which are to be read again, those before the first that lies far above the
 * base: their terms are held, and only their sum is missing. */
INLINE void keep_chunks(struct reading *in)
{
    uint left = in->latest;
    struct pair sum = {(real)0, (real)0};
    ROLLED for (; left > 0; left--)
    {
        const __local SCALAR *held = in->held + (in->at - in->row.begin);
        real part[SUMS];
        UNROLL for (uint k = 0; k < SUMS; k++)
            part[k] = LOAD_HELD(held + k * VEC) + LOAD_HELD(held + (k + SUMS) * VEC);
        real all = chunk_sum(part);
        if (FIRST(set_max(all, 0)) >= MOST_BASED)
            break;
        sum = add_tree(sum, all);
        in->at += CHUNK;
    }
    if (left)
        in->s.part = sum;
    else /* it is all of them together that do */
        in->at -= in->latest * CHUNK;
}
#else
#define keep_chunks(in)
#endif

/* The latest chunks' sum goes to the others'; or, where they lie far above their base, some are
 * to be read again from a new one. */
INLINE bool settle_chunks(struct reading *in)
{
    bool met = STAYS_BASED && !in->known && fabs(in->from) < FARTHEST &&
               FIRST(set_max(in->s.part.hi, 0)) >= MOST_BASED;
    if (met) {
        in->at -= in->latest * CHUNK;
        in->look = BLOCK_CHUNKS * CHUNK;
        in->s.part.hi = in->s.part.lo = (real)0;
        keep_chunks(in);
    }
    in->s = state_settle(in->s);
    in->latest = 0;
    return !met;
}
