/* SPDX-License-Identifier: MIT */
/*
 * Reading one row while another one is written, CHUNK columns at a time, for any operation:
 * a work-item with vectors of VEC elements does both, so that memory is busy all the time.
 * Terms are taken relative to a base, the largest of the row's first columns: the row's true
 * maximum is found on the way, and only a row that has it far above is read again, or has its
 * base raised.
 *
 * The terms of what was read stand in local memory until they are written, where the result
 * can be made of them (HOLD_COLS of them at most); else x is read again, from a cache. There is
 * one row of them: a chunk is written before the next row's takes its place.
 *
 * What takes many instructions stands in one place each: PoCL is slow to compile.
 */
#include "stream.cl"
#include "wide_set.cl"

/* A chunk's terms are added as a tree: in a chain a large one would lose all after it. */
enum {
    TERMS = VEC == 16 ? 4 : 8,
    CHUNK = TERMS * VEC,
    SUMS = TERMS / 2,
    BLOCK_CHUNKS = 8, /* until their sum goes to the others' */
    LOOK_COLS = 4096  /* of a row that is looked at first, at most */
};

#ifndef ROWS_ARE_SHARED
#define ROWS_ARE_SHARED 0 /* 1: what is read is a part of a row */
#endif
#ifndef DETERMINISTIC
#define DETERMINISTIC 0 /* 1: a row's bits do not depend on those before it */
#endif
#ifndef HOLD_COLS
#define HOLD_COLS 0 /* no room */
#endif
#define HOLDS_TERMS (MADE_OF_TERMS && HOLD_COLS)

/* Are terms and sum relative to the base all that the result is made of? */
#if MADE_OF_TERMS && !OP_NEEDS_REST && !HAS_MAX && !HAS_SUM && !ROWS_ARE_SHARED
#define STAYS_BASED 1
#else
#define STAYS_BASED 0
#endif
/* Where the base is raised within a row, are terms that are held only multiplied when they are
 * written? */
#define RAISES_LATE (STAYS_BASED && HOLDS_TERMS)

/* Are lines that two rows share put together? See pipeline_write.cl. Before a row's terms there is
 * room for a line then; and for so much that they stand as they would without, since loads of x
 * wait for stores to addresses that end like theirs. */
#define STRAIGHT (HOLDS_TERMS && !OP_SPOT && !ROWS_ARE_SHARED)

enum {
    FRONT = STRAIGHT ? ALIAS_BYTES / sizeof(SCALAR) : 0,
    HELD_ROW = FRONT + HOLD_COLS + CHUNK
};

struct reading {
    struct row row;
    uint at;     /* the next column */
    uint latest; /* chunks that s.part has */
    uint far;    /* how many bytes ahead to announce */
    uint look;   /* how many columns to take the base of */
    bool known;  /* have all been looked at? */
    bool rose;   /* did the last row lie far above its start? see take_base */
    bool exact;  /* is every term a pair's? */
    SCALAR from; /* their largest */
    struct base base;
    uint raised; /* columns before it are held relative to a lower base: */
    real raise;  /* a power of 2 to multiply them by */
    real factor; /* takes terms from the base to what the state is relative to */
    real max;
    struct state s; /* its sums are relative to the base */
    struct keep keep;
    __local SCALAR *held;
};

/* So many bytes a chunk of what is read. */
INLINE void announce_bytes(const __global char *p, uint bytes, uint far)
{
    UNROLL for (uint k = 0; k < bytes; k += LINE_BYTES)
    {
        announce_far(p + far + k);
        announce_near(p + NEAR_BYTES + k);
    }
}

/* What will be read when a chunk has been, and what is `far` bytes ahead. */
INLINE void announce(struct row row, uint far)
{
    announce_bytes((const __global char *)row.x, CHUNK * sizeof(mem_x), far);
#if HAS_DY
    announce_bytes((const __global char *)row.dy, CHUNK * sizeof(mem_dy), far);
#endif
}

/* May a row be taken in chunks, with one vector of its mask for one of x? Others are taken a
 * vector at a time. */
INLINE bool in_chunks(struct row row)
{
#if HAS_MASK
    return row.mask_col == 1;
#else
    return true;
#endif
}

/* A row's columns from c on, a chunk of them, as a row of their own. */
INLINE struct row cut_chunk(struct row row, uint c)
{
    row.x += c;
    row.y += c;
    row.begin = 0;
    row.end = CHUNK;
    row.position -= c;
#if HAS_DY
    row.dy += c;
#endif
#if HAS_MASK
    row.mask += c;
    row.mask_col = 1;
#endif
    return row;
}

INLINE real pipeline_term(struct reading *in, struct row row, struct element e)
{
    keep_add(&in->keep, row, e);
#if STAYS_BASED
    if (!EXP_SATURATES)
        e.x = clamp_to_base(e.x, in->base);
    return op_based_term(row, e, in->base);
#elif OP_NEEDS_MAX
    in->max = real_max(in->max, e.x);
    return op_based_term(row, e, in->base);
#else
    return op_term(row, e, (real)0);
#endif
}

INLINE real read_term(struct reading *in, struct row row, uint c, __local SCALAR *held)
{
    real term = pipeline_term(in, row, row_element(row, c));
#if HOLDS_TERMS
    STORE_REAL(term, __local, held + c);
#endif
    return term;
}

/* Is nothing seen of terms but their sum? */
#define ONLY_ADDS (OP_NEEDS_MAX && !OP_GIVEN && !OP_FROM_TERM && !ROUGH && !HAS_DY)

INLINE real read_added(struct reading *in, struct row row, uint c, real sum)
{
    struct element e = row_element(row, c);
    keep_add(&in->keep, row, e);
    in->max = real_max(in->max, e.x);
    return EXP_ADDED(e.x, in->base, sum);
}

INLINE uint chunks_to_read(const struct reading *in)
{
    return OP_GIVEN || !in_chunks(in->row) ? 0 : (in->row.end - in->at) / CHUNK;
}

/* Numbers above 0 in 4 steps instead of pair_add's 7. Where v is the larger one up to 2^-24 of
 * both is lost; but there the sum doubles, so that twice that of all of it is lost at most. */
INLINE struct pair add_tree(struct pair s, real v)
{
#if OP_NEEDS_MAX && !HAS_DY
    real hi = s.hi + v;
    s.lo += v - (hi - s.hi);
    s.hi = hi;
    return s;
#else
    return pair_add(s, v);
#endif
}

/* SUMS sums as a tree. */
INLINE real chunk_sum(real *sum)
{
    UNROLL for (uint d = SUMS / 2; d > 0; d /= 2)
        UNROLL for (uint k = 0; k < d; k++)
            sum[k] += sum[k + d];
    return sum[0];
}

/* A chunk's terms go to s.part: each by itself, or as a tree, or a plain sum where nobody sees
 * more digits than that has. */
INLINE void read_terms(struct reading *in, bool exact)
{
    struct row row = cut_chunk(in->row, in->at);
    __local SCALAR *held = in->held + (in->at - in->row.begin);
    const bool plain = ROUGH && !OP_NEEDS_REST;
    real sum[SUMS];
    announce(row, in->far);
    UNROLL for (uint k = 0; k < TERMS; k++)
    {
        if (ONLY_ADDS && !exact) {
            sum[k / 2] = read_added(in, row, k * VEC, k % 2 ? sum[k / 2] : (real)0);
            continue;
        }
        real term = read_term(in, row, k * VEC, held);
        if (exact)
            in->s.part = pair_add(in->s.part, term);
        else if (plain)
            in->s.part.hi += term;
        else
            sum[k / 2] = k % 2 ? sum[k / 2] + term : term;
    }
    if (!exact && !plain)
        in->s.part = add_tree(in->s.part, chunk_sum(sum));
    in->at += CHUNK;
    in->latest++;
}

/* Less than a chunk. */
INLINE void read_tail(struct reading *in)
{
    ROLLED for (; in->at < in->row.end; in->at += VEC)
        in->s.part = pair_add(in->s.part, read_term(in, in->row, in->at, in->held - in->row.begin));
    in->s = state_close(in->s);
}

#include "pipeline_base.cl"
#include "pipeline_write.cl"
#include "pipeline_end.cl"
