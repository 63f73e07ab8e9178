/* SPDX-License-Identifier: MIT */
/* Writing a row that was read, see pipeline.cl: up to the first whole line, whole lines, the
 * rest. What two rows without a gap between them have of one line is put together in registers,
 * and leaves as a whole line too: stored apart, it would be fetched first, and all that is stored
 * behind it wait. */
#include "values.cl"

struct writing {
    struct row row;
    uint at, lines, end; /* the next column, the first whole line's, the last one's */
    bool past; /* the caches */
    struct base base;
    real factor; /* of the terms */
    struct result result;
#if RAISES_LATE
    uint raised; /* the first column with a result of its own: */
    struct result rest;
#endif
    __local SCALAR *held;
    bool straight; /* does a row follow that has the rest of this one's last line? */
    bool is_open;  /* has the row before left what it has of a line? */
    real open[LINE_PARTS];
};

INLINE void write_nothing(struct writing *out, bool past)
{
    out->at = out->end = out->lines = 0;
    out->past = past;
    out->straight = out->is_open = false;
}

/* Is the column with a value of its own among those from `begin` to `end`? */
INLINE bool has_spot(const struct writing *out, uint begin, uint end)
{
#if OP_SPOT
    return op_spot(out->result) - begin < end - begin;
#else
    return false;
#endif
}

#if OP_WRITES == WRITES_ROW
/* Column c of a row, or of a part of it whose terms stand at `held`. */
INLINE real written_value(const struct writing *out, struct row row, uint c,
                          const __local SCALAR *held)
{
#if MADE_OF_TERMS
#if HOLDS_TERMS
    real term = LOAD_HELD(held + c);
#else
    real term = op_based_term(row, row_element(row, c), out->base);
#endif
    if (!STAYS_BASED && !OP_RESCALES)
        term *= out->factor;
    return op_from_number(row, c, term, out->result);
#else
    return op_elsewhere(row, row_element(row, c), out->result);
#endif
}

/* It gets its value after the others, and from a cache: past them its line would travel twice. */
INLINE void write_spot(const struct writing *out, uint begin, uint end)
{
#if OP_SPOT
    if (has_spot(out, begin, end))
        store_one(op_at_spot(out->row, out->result), out->row.y + op_spot(out->result));
#endif
}

/* Columns c on of the same, a whole line of them. */
INLINE void line_values(const struct writing *out, struct row row, uint c,
                        const __local SCALAR *held, real *v)
{
    UNROLL for (uint k = 0; k < LINE_PARTS; k++)
        v[k] = written_value(out, row, c + k * VEC, held);
}

INLINE void write_line(const struct writing *out, struct row row, uint c,
                       const __local SCALAR *held, bool past)
{
    real v[LINE_PARTS];
    line_values(out, row, c, held, v);
    values_store(v, row.y + c, past);
}

#if STRAIGHT
/* The line that the row before has begun. */
INLINE void write_shared(struct writing *out, const __local SCALAR *held)
{
    uint before = Y_LINE - (out->lines - out->at);
    real v[LINE_PARTS];
    line_values(out, out->row, 0, held + out->at - before, v);
    values_join(v, out->open, before);
    values_store(v, out->row.y + out->at - before, out->past);
    out->is_open = false;
}

/* What a row has of its last line, if no other comes to complete it. */
INLINE void write_open(struct writing *out)
{
    uint c = out->end - (out->end - out->lines) % Y_LINE;
    if (out->is_open)
        UNROLL for (uint k = 0; k < LINE_PARTS; k++)
            if (c + k * VEC < out->end)
                row_store(out->row, c + k * VEC, out->end, out->open[k]);
    out->is_open = false;
}
#endif

/* Up to `end`, which is a row's or that of what stands before its whole lines. */
INLINE void write_edge(struct writing *out, uint end)
{
    const __local SCALAR *held = out->held - out->row.begin;
    uint whole = end - (end - out->lines) % Y_LINE, begin = out->at;
    ROLLED while (out->at < end)
    {
        if (out->at >= out->lines && out->at < whole) {
            bool past = out->past && !has_spot(out, out->at, out->at + Y_LINE);
            write_line(out, out->row, out->at, held, past);
            out->at += Y_LINE;
            continue;
        }
#if STRAIGHT
        if (out->at < out->lines && out->is_open) {
            write_shared(out, held);
            out->at = out->lines;
            continue;
        }
        if (out->at >= out->lines && out->straight) {
            line_values(out, out->row, out->at, held, out->open);
            out->is_open = true;
            out->at = end;
            continue;
        }
#endif
        uint stop = out->at < out->lines ? out->lines : end;
        real v = written_value(out, out->row, out->at, held);
        row_store(out->row, out->at, stop, v);
        out->at = stop - out->at < VEC ? stop : out->at + VEC;
    }
    write_spot(out, begin, end);
}

#endif

INLINE void write_chunk(struct writing *out, bool past)
{
#if OP_WRITES == WRITES_ROW
    struct row row = cut_chunk(out->row, out->at);
    const __local SCALAR *held = out->held + (out->at - out->row.begin);
    if (OP_GIVEN || !HOLD_COLS) /* nothing was read, or of so long a row that it is not near */
        announce(row, FAR_BYTES);
    UNROLL for (uint k = 0; k < CHUNK; k += Y_LINE)
        write_line(out, row, k, held, past);
    write_spot(out, out->at, out->at + CHUNK);
    out->at += CHUNK;
#endif
}

/* Up to where columns have the result of the next one, which is taken. */
INLINE uint end_of_result(struct writing *out)
{
#if RAISES_LATE
    if (out->at < out->raised)
        return out->raised;
    out->result = out->rest;
#endif
    return out->end;
}

/* How many chunks there are to write, after what stands before and around them: what is less
 * than a chunk is written before the next row's terms take its place. */
INLINE uint chunks_to_write(struct writing *out)
{
    uint chunks = 0;
#if OP_WRITES == WRITES_ROW
    if (out->at < out->end) {
        uint end = end_of_result(out);
        if (in_chunks(out->row))
            chunks = (end - max(out->at, out->lines)) / CHUNK;
        if (out->at < out->lines || !chunks)
            write_edge(out, chunks ? out->lines : out->end);
    }
#endif
    return chunks;
}

/* The next chunk. */
INLINE void write_next(struct writing *out)
{
    if (out->past && !has_spot(out, out->at, out->at + CHUNK))
        write_chunk(out, true);
    else
        write_chunk(out, false);
}

/* A row that was read is to be written. */
INLINE void write_start(struct writing *out, const struct reading *in,
                        struct result result)
{
#if OP_WRITES == WRITES_ROW
    out->row = in->row;
    out->held = in->held;
    out->base = in->base;
    out->factor = in->factor;
    out->result = result;
#if OP_RESCALES && MADE_OF_TERMS && !STAYS_BASED
    op_rescale(&out->result, in->factor);
#endif
    out->at = in->row.begin;
    out->end = in->row.end;
    out->lines = min(out->end, out->at + before_line(out->row.y + out->at));
#if RAISES_LATE
    out->raised = in->raised;
    out->rest = result;
    if (in->raised > out->at) {
        if (FIRST(in->raise) > 0x1p-124f * FIRST(in->s.sum.hi)) /* so that no digit is lost */
            op_rescale(&out->result, in->raise);
        else
            scale_held(in->held, 0, in->raised - out->at, FIRST(in->raise), (SCALAR)1);
    }
#endif
#endif
}
