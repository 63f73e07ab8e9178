/* SPDX-License-Identifier: MIT */
/* From the max (x) and sum (dy) of each of a row's slices those of the whole row; the
 * slices are the columns. */
#define OP_NEEDS_MAX 1
#define OP_WRITES WRITES_NOTHING
#include "keep_nothing.cl"
#include "no_result.cl"

static real op_term(struct row row, uint c, real x, real max)
{
    return row_dy(row, c) * exp_nonpositive(below_max(x, max));
}
