/* SPDX-License-Identifier: MIT */
/* Reading a row to its end, see pipeline.cl. */
/* What comes of it: its state; or nothing, since it has no number to be relative to; or
 * nothing, but it is to be read again, relative to its maximum. */
enum reading_end { IS_READ, NO_BASE, READ_AGAIN };
#define HAS_NO_BASE(end) (OP_NEEDS_MAX && !OP_GIVEN && (end) == NO_BASE)

#if OP_NEEDS_MAX && !OP_GIVEN
INLINE enum reading_end not_read(struct reading *in)
{
    if (in->known)
        return NO_BASE;
    read_from_start(in, NO_COLUMN);
    return READ_AGAIN;
}
#endif

/* The state of a row without a base, term by term; its maximum is known by then. */
INLINE struct state plain_state(struct reading *in)
{
    struct state s = state_empty();
    s.max = (real)in->from;
    keep_start(&in->keep, in->row);
    ROLLED for (uint c = in->row.begin; c < in->row.end; c += VEC)
    {
        struct element e = row_element(in->row, c);
        s.part.hi = op_lifted_term(in->row, e, s.max);
        keep_add(&in->keep, in->row, e);
        s = state_settle(s);
    }
    s.sum.lo += s.lost;
    s.sum = pair_down(set_sum(s.sum, 0));
    return s;
}

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
#endif
    if (OP_NEEDS_REST && !OP_WEIGHS) {
        struct pair whole = {(real)1, (real)0};
        sum = pair_add(sum, -top);
        sum = pair_add(whole, (sum.hi + sum.lo) * in->factor);
    } else {
        sum.hi *= in->factor;
        sum.lo *= in->factor;
    }
    /* Where max + log(sum) is near 0 it shows what the maximum's own term is rounded by; relative
     * to the maximum that is its factor alone. */
    if (OP_NEEDS_REST && OP_WEIGHS && fabs(max) < 1 && FIRST(sum.hi) > 0.5f &&
        FIRST(sum.hi) < 2)
        return not_read(in);
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

/* How many chunks to go on with before what is left is looked at again. */
INLINE uint turns_of(const struct reading *in, uint reads, uint writes)
{
    uint turns = !reads ? writes : min(reads, BLOCK_CHUNKS - in->latest);
    return reads && writes ? min(turns, writes) : turns;
}

/* False: from a base that is found to be too low. */
INLINE bool settle_if_due(struct reading *in)
{
    bool due = in->latest && (in->latest == BLOCK_CHUNKS || !chunks_to_read(in));
    return !due || settle_chunks(in);
}

INLINE void read_start(struct reading *in)
{
    uint cols = in->row.end - in->row.begin;
    if (DETERMINISTIC) {
        in->exact = ROWS_ARE_SHARED;
        in->rose = false;
    }
    bool all = in->rose && cols <= LOOK_COLS;
    in->far = all ? max((uint)FAR_BYTES, cols * (uint)sizeof(mem_x)) : FAR_BYTES;
    read_from_start(in, all ? NO_COLUMN : CHUNK);
}

/* All of a row, as much of it as has whole chunks while another one is written; `end` says what
 * came of it. A macro: LLVM goes over all of an inlined function before it is inlined, and then
 * again, with each function around it. */
#define READ_ROW(in, out, end)                                                           \
    do {                                                                                 \
        end = READ_AGAIN;                                                                \
        read_start(in);                                                                  \
        while (end == READ_AGAIN) {                                                      \
            take_base(in);                                                               \
            for (bool based = true; based;) {                                            \
                uint writes = chunks_to_write(out), reads = chunks_to_read(in);          \
                uint turns = turns_of(in, reads, writes);                                \
                if (!turns) {                                                            \
                    end = read_rest(in);                                                 \
                    break;                                                               \
                }                                                                        \
                ROLLED for (; turns > 0; turns--)                                        \
                {                                                                        \
                    if (writes)                                                          \
                        write_next(out);                                                 \
                    if (reads) {                                                         \
                        if (OP_NEEDS_REST && (in)->exact) /* the last digits */          \
                            read_terms(in, true);                                        \
                        else                                                             \
                            read_terms(in, false);                                       \
                    }                                                                    \
                }                                                                        \
                based = settle_if_due(in);                                               \
            }                                                                            \
        }                                                                                \
    } while (0)
