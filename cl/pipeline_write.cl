/* SPDX-License-Identifier: MIT */
/* Writing a row that was read, see pipeline.cl: up to the first whole line, whole lines, the
 * rest. */
struct writing {
    struct row row;
    uint at, end;
    bool past; /* the caches */
    struct base base;
    real factor; /* of the terms */
    struct result result;
    __local SCALAR *held;
};

#if OP_WRITES == WRITES_ROW
INLINE real written_value(const struct writing *out, struct row row, uint c)
{
#if MADE_OF_TERMS
#if HOLDS_TERMS
    real term = CAT(vload, VEC)(0, out->held + (c - out->row.begin));
#else
    real term = op_based_term(row, row_element(row, c), out->base);
#endif
    if (!STAYS_BASED)
        term *= out->factor;
    real v = op_from_term(row, c, term, out->result);
#else
    real v = op_elsewhere(row, row_element(row, c), out->result);
#endif
#if OP_SPOT
    if (op_spot(out->result) - c < VEC)
        v = pick(c, op_spot(out->result), op_at_spot(row, out->result), v);
#endif
    return v;
}

INLINE void write_edge(struct writing *out, uint end)
{
    for (; out->at < end; out->at += VEC)
        row_store(out->row, out->at, end, written_value(out, out->row, out->at));
    out->at = end;
}

INLINE void write_lines(struct writing *out, uint columns)
{
    struct row row = out->row;
    row.end = out->at + columns;
    UNROLL for (uint k = 0; k < columns; k += VEC)
        line_store(written_value(out, row, out->at + k), row.y + out->at + k, out->past);
    out->at += columns;
}
#endif

INLINE bool chunk_to_write(const struct writing *out)
{
    return OP_WRITES == WRITES_ROW && out->end - out->at >= CHUNK;
}

INLINE void write_chunk(struct writing *out)
{
#if OP_WRITES == WRITES_ROW
    write_lines(out, CHUNK);
#endif
}

/* A row that was read, up to the first whole line. */
INLINE void write_start(struct writing *out, const struct reading *in,
                        struct result result)
{
#if OP_WRITES == WRITES_ROW
    out->row = in->row;
    out->held = in->held;
    out->base = in->base;
    out->factor = in->factor;
    out->result = result;
    out->at = in->row.begin;
    out->end = in->row.end;
    write_edge(out, min(out->end, out->at + before_line(out->row.y + out->at)));
#endif
}

INLINE void write_rest(struct writing *out)
{
#if OP_WRITES == WRITES_ROW
    while (chunk_to_write(out))
        write_chunk(out);
    while (out->end - out->at >= Y_LINE)
        write_lines(out, Y_LINE);
    write_edge(out, out->end);
#endif
}
