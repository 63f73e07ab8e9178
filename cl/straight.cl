/* SPDX-License-Identifier: MIT */
/*
 * Results of rows without gaps between them, made of terms in local memory, leave line by line,
 * whatever a row's length and address. What two rows have of one line is put together in
 * registers: a load of both from memory would wait for two stores, and stored one by one they
 * would fetch the line first. Rows are as long as a line, or longer.
 */
enum {
    LINES = COLS / Y_LINE, /* whole ones of a row at most, */
    LEAST_LINES = (COLS - (Y_LINE - 1)) / Y_LINE /* and at least */
};

/* A line of the terms from `held` on; what does not belong to the row is anything. */
INLINE void terms_line(struct row row, const __local SCALAR *held, struct result result, real *v)
{
    UNROLL for (uint k = 0; k < LINE_PARTS; k++)
        v[k] = op_from_term(row, 0, LOAD_HELD(held + k * VEC), result);
}

/* Columns c on of a line that another work-item has the rest of. */
INLINE void write_alone(struct row row, const __local SCALAR *held, struct result result, uint c,
                        uint end)
{
    ROLLED for (; c < end; c += VEC)
        row_store(row, c, end, op_from_term(row, c, LOAD_HELD(held + c), result));
}

/* One of a run's rows. `open` is the line that the row before has begun, and becomes that which
 * this one begins. */
INLINE void write_straight(struct row row, const __local SCALAR *held, struct result result,
                           bool is_first, bool is_last, bool past, real *open)
{
    uint before = (uint)((size_t)row.y % LINE_BYTES / sizeof(mem_y));
    uint c = (Y_LINE - before) % Y_LINE;
    real v[LINE_PARTS];
    if (before && is_first) {
        write_alone(row, held, result, 0, c);
    } else if (before) {
        terms_line(row, held - before, result, v);
        values_join(v, open, before);
        values_store(v, row.y - before, past);
    }
    UNROLL for (uint k = 0; k < LINES; k++)
    {
        if (k >= LEAST_LINES && c + Y_LINE > COLS)
            break;
        terms_line(row, held + c, result, v);
        values_store(v, row.y + c, past);
        c += Y_LINE;
    }
    if (c < COLS && is_last)
        write_alone(row, held, result, c, COLS);
    else if (c < COLS)
        terms_line(row, held + c, result, open);
}
