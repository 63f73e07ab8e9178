/* SPDX-License-Identifier: MIT */
/*
 * Reading one row while another one is written, CHUNK columns at a time, for any operation:
 * a work-item with vectors of VEC elements does both, so that memory is busy all the time.
 * Terms are taken relative to a base, the largest of the row's first columns: the row's true
 * maximum is found on the way, and only a row that has it far above is read again.
 *
 * The terms of what was read stand in local memory until they are written, where the result
 * can be made of them (HOLD_COLS of them at most); else x is read again, from a cache. There is
 * one row of them: a chunk is written before the next row's takes its place.
 */
#include "stream.cl"
#include "wide_set.cl"

/* A chunk's terms are added as a tree: in a chain a large one would lose all after it. */
enum { CHUNK = 64, TERMS = CHUNK / VEC, SUMS = TERMS / 2 };

#ifndef ROWS_ARE_SHARED
#define ROWS_ARE_SHARED 0 /* 1: what is read is a part of a row */
#endif
#ifndef HOLD_COLS
#define HOLD_COLS 0 /* no room */
#endif
/* Is the result made of terms? */
#if OP_FROM_TERM && !OP_GIVEN && !HAS_SINKS
#define MADE_OF_TERMS 1
#else
#define MADE_OF_TERMS 0
#endif
#define HOLDS_TERMS (MADE_OF_TERMS && HOLD_COLS)

/* Are terms and sum relative to the base all that the result is made of? */
#if MADE_OF_TERMS && !OP_NEEDS_REST && !HAS_MAX && !HAS_SUM && !ROWS_ARE_SHARED
#define STAYS_BASED 1
#else
#define STAYS_BASED 0
#endif

enum { HELD_ROW = HOLD_COLS + CHUNK };

struct reading {
    struct row row;
    uint at; /* the next column */
    SCALAR from;
    bool known; /* is that the maximum? */
    struct base base;
    real factor; /* takes terms from the base to what the state is relative to */
    real max;
    struct state s; /* its sums are relative to the base */
    uint latest;
    struct keep keep;
    __local SCALAR *held;
};

INLINE void announce(const __global mem_x *x)
{
    UNROLL for (uint k = 0; k < CHUNK * sizeof(mem_x); k += LINE_BYTES)
    {
        announce_far((const __global char *)x + FAR_BYTES + k);
        announce_near((const __global char *)x + NEAR_BYTES + k);
    }
}

/* Columns c on of a row, as many as a chunk has at most. */
INLINE struct row cut_chunk(struct row row, uint c)
{
    row.end = c + CHUNK;
    return row;
}

INLINE real pipeline_term(struct reading *in, struct row row, struct element e)
{
    keep_add(&in->keep, row, e);
#if STAYS_BASED
    e.x = clamp_to_base(e.x, in->base);
    return op_based_term(row, e, in->base);
#elif OP_NEEDS_MAX
    in->max = real_max(in->max, e.x);
    return op_based_term(row, e, in->base);
#else
    return op_term(row, e, (real)0);
#endif
}

INLINE void hold_term(struct reading *in, uint c, real term)
{
#if HOLDS_TERMS
    CAT(vstore, VEC)(term, 0, in->held + (c - in->row.begin));
#endif
}

INLINE real read_term(struct reading *in, struct row row, uint c)
{
    real term = pipeline_term(in, row, row_element(row, c));
    hold_term(in, c, term);
    return term;
}

INLINE bool chunk_to_read(const struct reading *in)
{
    return in->row.end - in->at >= CHUNK;
}

/* The largest of a row's columns, of `least` at least, and on until one is above -inf. */
INLINE real most_of(struct row row, uint least)
{
    real max = -INFINITY;
    uint c = row.begin;
    do {
        for (uint k = 0; k < least && c < row.end; k += VEC, c += VEC)
            max = real_max(max, row_logit(row, c));
        max = set_max(max, 0);
    } while (FIRST(max) == -INFINITY && c < row.end);
    return max;
}

#if STAYS_BASED
/* The next chunk lies far above what was read: a new base, from which that is seen. */
static bool raise_base(struct reading *in)
{
    struct row row = cut_chunk(in->row, in->at);
    row.begin = in->at;
    real max = most_of(row, CHUNK);
    if (!(fabs(FIRST(max)) < FARTHEST) || in->known)
        return false;
    struct base base = base_of(max);
    SCALAR powers = FIRST(base.shift) - FIRST(in->base.shift); /* of 2, below 0 */
    real scale = (real)(powers > -126 ? as_float((uint)((int)powers + 127) << 23) : 0);
    for (uint k = 0; HOLDS_TERMS && k < in->at - in->row.begin; k += VEC)
        CAT(vstore, VEC)(CAT(vload, VEC)(0, in->held + k) * scale, 0, in->held + k);
    in->s.part.hi *= scale;
    in->s.part.lo *= scale;
    in->s.sum.hi *= scale;
    in->s.sum.lo *= scale;
    in->s.lost *= scale;
    in->from = FIRST(max);
    in->base = base;
    return true;
}
#endif

INLINE void read_chunk(struct reading *in)
{
    struct row row = cut_chunk(in->row, in->at);
    real sum[SUMS];
    announce(row.x + in->at);
    UNROLL for (uint k = 0; k < TERMS; k++)
    {
        real term = read_term(in, row, in->at + k * VEC);
        if (OP_NEEDS_REST) /* a logarithm wants the last digits */
            in->s.part = pair_add(in->s.part, term);
        else
            sum[k / 2] = k % 2 ? sum[k / 2] + term : term;
    }
    if (!OP_NEEDS_REST) {
        UNROLL for (uint d = SUMS / 2; d > 0; d /= 2)
            UNROLL for (uint k = 0; k < d; k++)
                sum[k] += sum[k + d];
#if STAYS_BASED
        if (any(sum[0] >= (real)MOST_BASED) && raise_base(in))
            return; /* to read the chunk again */
#endif
        in->s.part = pair_add(in->s.part, sum[0]);
    }
    in->at += CHUNK;
    if (++in->latest == SPAN) {
        in->s = state_settle(in->s);
        in->latest = 0;
    }
}

/* Less than a chunk. */
INLINE void read_tail(struct reading *in)
{
    for (; in->at < in->row.end; in->at += VEC)
        in->s.part = pair_add(in->s.part, read_term(in, in->row, in->at));
    in->s = state_close(in->s);
}

/* What a row is read relative to, where its terms need that. */
INLINE real most_of_first(struct row row)
{
    return OP_NEEDS_MAX && !OP_GIVEN ? most_of(row, CHUNK) : (real)0;
}

INLINE void read_from(struct reading *in, real x)
{
    in->at = in->row.begin;
    in->latest = 0;
    in->from = FIRST(x);
    in->known = false;
    in->factor = (real)1;
    in->base = base_of(fabs(in->from) < FARTHEST ? x : (real)0);
    in->max = -INFINITY;
    in->s = state_empty();
    keep_start(&in->keep, in->row);
}

#include "pipeline_end.cl"
#include "pipeline_write.cl"
