/* SPDX-License-Identifier: MIT */
/* The part's share of the columns that take part. */
static struct row row_part(struct row row, struct shape shape, uint part)
{
    uint cols = row.end - row.begin, parts = (uint)shape.parts;
    uint each = cols / parts, extra = cols % parts;
    row.begin += part * each + min(part, extra);
    row.end = row.begin + each + (part < extra ? 1 : 0);
    return row;
}
