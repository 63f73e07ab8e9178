/* SPDX-License-Identifier: MIT */
/*
 * The TOPK largest probabilities of each row, largest first, and their columns; equal ones
 * by the lower column. Each worker keeps a sorted list of its own while it sums; then the
 * heads of the lists compete TOPK times. NaN counts as +inf. -inf is not listed: what is
 * masked is never chosen, and places that stay free get probability 0 and column -1.
 */
#include "exp_terms.cl"
#define OP_KEEPS 1
#define OP_WRITES WRITES_ITSELF
#ifndef TOPK
#define TOPK 1
#endif

/* A list for each lane: place j of lane d at j VEC + d. */
struct keep {
    SCALAR value[TOPK * VEC];
    uint column[TOPK * VEC];
};

static void keep_start(struct keep *keep, struct row row)
{
    for (uint j = 0; j < TOPK * VEC; j++) {
        keep->value[j] = -INFINITY;
        keep->column[j] = NO_COLUMN;
    }
}

/* Columns of a lane come in rising order, so an equal one goes behind those before it. */
static void list_add(struct keep *keep, uint d, SCALAR v, uint c)
{
    uint j = TOPK - 1;
    for (; j > 0; j--) {
        uint above = (j - 1) * VEC + d;
        if (!(v > keep->value[above]))
            break;
        keep->value[j * VEC + d] = keep->value[above];
        keep->column[j * VEC + d] = keep->column[above];
    }
    keep->value[j * VEC + d] = v;
    keep->column[j * VEC + d] = c;
}

static void keep_add(struct keep *keep, struct row row, uint c, real x)
{
    SCALAR lane[VEC];
    TO_LANES(x, lane);
    for (uint d = 0; d < VEC && c + d < row.end; d++) {
        uint last = (TOPK - 1) * VEC + d;
        SCALAR v = lane[d] != lane[d] ? (SCALAR)INFINITY : lane[d];
        if (v > keep->value[last])
            list_add(keep, d, v, c + d);
    }
}

#define keep_reduce(keep, scratch)
#define keep_end(keep, row, result)

struct result {
    real max, scale;
};

static struct result op_result(struct row row, struct state s, struct keep *keep)
{
    struct result r = {s.max, (real)1 / (s.sum.hi + s.sum.lo)};
#if LIMIT
    r.scale = s.max == (real)(-INFINITY) && s.sum.hi == (real)0 ? (real)0 : r.scale;
#endif
    return r;
}

static real set_max(real v, __local real *scratch);
static uint set_min_column(real high, real low, __local real *scratch);

static void list_write(struct row row, struct result r, uint j, real v, uint column)
{
    bool none = column == NO_COLUMN || (row.one_hot && j > 0); /* temperature 0: one only */
    real e = none ? (real)0 : exp_nonpositive(below_max(v, r.max));
    store_one(e * r.scale, row.y + j * row.indices_col);
    row.indices[j * row.indices_col] = (int)column;
}

static void op_write(struct row row, struct result r, struct keep *keep, uint first,
                     __local real *scratch)
{
    uint taken[VEC];
    for (uint d = 0; d < VEC; d++)
        taken[d] = 0;
    for (uint j = 0; j < TOPK; j++) {
        SCALAR value[VEC], high[VEC], low[VEC];
        for (uint d = 0; d < VEC; d++)
            value[d] = taken[d] < TOPK ? keep->value[taken[d] * VEC + d] : -INFINITY;
        real best = set_max(FROM_LANES(value), scratch);
        for (uint d = 0; d < VEC; d++) {
            uint column = NO_COLUMN;
            if (taken[d] < TOPK && value[d] == FIRST(best))
                column = keep->column[taken[d] * VEC + d];
            high[d] = (SCALAR)(column >> 16);
            low[d] = (SCALAR)(column & 0xffffu);
        }
        uint column = set_min_column(FROM_LANES(high), FROM_LANES(low), scratch);
        for (uint d = 0; d < VEC; d++)
            taken[d] += taken[d] < TOPK && column != NO_COLUMN &&
                        keep->column[taken[d] * VEC + d] == column;
        if (first == 0 && row.inside)
            list_write(row, r, j, best, column);
    }
}
