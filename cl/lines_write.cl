/* SPDX-License-Identifier: MIT */
/*
 * How the rows of a block that is summed go to y, for lines.cl: in whole lines as they are made
 * (straight.cl), past the caches where each begins and ends with one, by way of those that wait
 * (ring.cl) where others have no gaps, or one by one.
 */
#if OP_WRITES == WRITES_ROW
INLINE real short_value(struct row row, uint c, const __local SCALAR *held,
                        struct result result, bool safe)
{
#if MADE_OF_TERMS
    real v = op_from_term(row, c, LOAD_HELD(held + c), result);
#else
    real v = op_elsewhere(row, short_element(row, c, safe), result);
#endif
#if OP_SPOT
    /* without a branch that nobody foresees */
    real column = LANE_IDS + (real)(SCALAR)c;
    v = column == (real)(SCALAR)op_spot(result) ? op_at_spot(row, result) : v;
#endif
    return v;
}

/* A line of results, from column c on, as bits; past the row's end they are anything. */
INLINE void short_line(struct row row, uint c, const __local SCALAR *held,
                       struct result result, bool safe, line_y *part)
{
    real v[LINE_PARTS];
    UNROLL for (uint k = 0; k < LINE_PARTS; k++)
        v[k] = c + k * VEC < COLS ? short_value(row, c + k * VEC, held, result, safe)
                                  : (real)0;
    values_bits(v, part);
}

/* A row of whole lines, past the caches. */
INLINE void write_lines(struct row row, const __local SCALAR *held, struct result result,
                        bool safe)
{
    UNROLL for (uint c = 0; c < COLS; c += Y_LINE)
    {
        line_y part[LINE_PARTS];
        short_line(row, c, held, result, safe, part);
        line_store(part, row.y + c, true);
    }
}

/* A row to those that wait. */
INLINE void keep_lines(struct row row, const __local SCALAR *held, struct result result,
                       bool safe, __local word_y *waiting)
{
    UNROLL for (uint c = 0; c < COLS; c += Y_LINE)
    {
        line_y part[LINE_PARTS];
        short_line(row, c, held, result, safe, part);
        UNROLL for (uint k = 0; k < LINE_PARTS && c + k * VEC < COLS; k++)
            CAT(keep_bits_, Y)(part[k], waiting + c + k * VEC);
    }
}
#endif

/* What is known of a block's rows, and which they are. */
struct known {
    struct lanes_of_rows lanes;
    struct keep keep[MOST_ROWS];
};
struct block {
    size_t first;
    uint rows;
    bool safe;
    __local SCALAR *held; /* their terms */
    struct known *known;
};

/* How a run's rows go to y. */
struct way {
    size_t first, last;
    bool past, dense, at_once, straight;
    struct lines lines;
    real open[LINE_PARTS];
};

/* Row i of a block that is summed. */
INLINE void row_leaves(TENSORS, struct block b, uint i, struct way *way)
{
    struct row row = exact(ROW_AT(b.first + i));
    if (OP_GIVEN)
        announce_later(row);
    struct state s = state_at(&b.known->lanes, row, i);
    struct result result = close_row(row, s, &b.known->keep[i], 0, 0);
    if (MADE_OF_TERMS)
        result_of_kept(&result);
#if OP_WRITES == WRITES_ROW
    const __local SCALAR *terms = b.held + i * WIDTH_HELD;
#if STRAIGHT
    if (way->straight) {
        size_t r = b.first + i;
        write_straight(row, terms, result, r == way->first, r + 1 == way->last, way->past,
                       way->open);
        return;
    }
#endif
    if (way->at_once) {
        write_lines(row, terms, result, b.safe);
    } else if (way->dense) {
        keep_lines(row, terms, result, b.safe, way->lines.waiting + way->lines.count);
        way->lines.count += COLS;
    } else {
        UNROLL for (uint c = 0; c < COLS; c += VEC)
            row_store(row, c, COLS, short_value(row, c, terms, result, b.safe));
    }
#endif
}
