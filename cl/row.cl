/* SPDX-License-Identifier: MIT */
/*
 * Where a row stands in memory. Columns are counted in 32 bits, offsets in size_t.
 */
#ifndef STRIDED
#define STRIDED 0 /* 1: elements of a row stand x_col and y_col apart */
#endif

struct row {
    const __global mem_x *x;
    __global mem_y *y;
    uint cols;
#if STRIDED
    size_t x_col, y_col;
#endif
};

/* Row r, or a row of no columns past the last one, for sets of workers without a row. */
static struct row row_at(const __global mem_x *x, __global mem_y *y, struct shape shape,
                         size_t r)
{
    struct row row;
    bool inside = r < shape.rows;
    row.cols = inside ? (uint)shape.cols : 0;
    r = inside ? r : 0;
#if STRIDED
    size_t outer = r / shape.inner, inner = r % shape.inner;
    row.x = x + (shape.x_offset + outer * shape.x_row + inner);
    row.y = y + (shape.y_offset + outer * shape.y_row + inner);
    row.x_col = shape.x_col;
    row.y_col = shape.y_col;
#else
    row.x = x + (shape.x_offset + r * shape.x_row);
    row.y = y + (shape.y_offset + r * shape.y_row);
#endif
    return row;
}

#if VEC == 1
static real row_load(struct row row, uint c)
{
#if STRIDED
    return load_x(row.x + c * row.x_col);
#else
    return load_x(row.x + c);
#endif
}

static void row_store(struct row row, uint c, real v)
{
#if STRIDED
    store_y(v, row.y + c * row.y_col);
#else
    store_y(v, row.y + c);
#endif
}
#else
/* A mapping with vectors says itself how it takes a row's last, partial vector. */
static real row_load(struct row row, uint c);
static void row_store(struct row row, uint c, real v);
#endif
