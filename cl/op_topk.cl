/* SPDX-License-Identifier: MIT */
/*
 * The PLACES largest probabilities of each row, largest first, and their columns; equal ones
 * by the lower column. Each of a row's WORKERS keeps a short sorted list while it sums; then
 * the heads of the lists compete PLACES times. A worker whose list runs out goes over its
 * columns again for what comes after: rare, as the largest are spread over the workers.
 *
 * NaN counts as +inf. -inf is not listed: what is masked is never chosen, and places that
 * stay free get probability 0 and column -1.
 */
#define OP_KEEPS 1
#define OP_ADDS 1
#include "exp_terms.cl"
#define OP_WRITES WRITES_ITSELF
#ifndef PLACES
#define PLACES 1
#endif
#ifndef WORKERS
#define WORKERS 1
#endif

/* Three times its share, and three more. */
#define LIST_SHARE (3 * PLACES / WORKERS + 3)
#if WORKERS > 1 && LIST_SHARE < PLACES
#define LIST LIST_SHARE
#else
#define LIST PLACES
#endif

/* Loops over a list's places, which LLVM makes gathers and scatters of where lanes have lists. */
#if VEC > 1 && LIST <= 32
#define EACH_PLACE UNROLL for
#else
#define EACH_PLACE for
#endif

/* A list for each lane: place j of lane d at j VEC + d. */
struct keep {
    SCALAR value[LIST * VEC];
    uint column[LIST * VEC];
};

static void list_clear(struct keep *keep, uint d)
{
    for (uint j = 0; j < LIST; j++) {
        keep->value[j * VEC + d] = -INFINITY;
        keep->column[j * VEC + d] = NO_COLUMN;
    }
}

static void keep_start(struct keep *keep, struct row row)
{
    for (uint d = 0; d < VEC; d++)
        list_clear(keep, d);
}

/* Columns of a lane come in rising order, so an equal one goes behind those before it. The
 * places are constants once the loop is unrolled, so that a short list stays in registers. */
static void list_add(struct keep *keep, uint d, SCALAR v, uint c)
{
    if (!(v > keep->value[(LIST - 1) * VEC + d]))
        return;
    bool below = false; /* v has found its place: all after it moves down */
    EACH_PLACE (uint j = 0; j < LIST; j++) {
        SCALAR old = keep->value[j * VEC + d];
        uint old_column = keep->column[j * VEC + d];
        below = below || v > old;
        keep->value[j * VEC + d] = below ? v : old;
        keep->column[j * VEC + d] = below ? c : old_column;
        v = below ? old : v;
        c = below ? old_column : c;
    }
}

static SCALAR rank_value(SCALAR v)
{
    return v != v ? (SCALAR)INFINITY : v;
}

static void keep_add(struct keep *keep, struct row row, struct element e)
{
    SCALAR lane[VEC];
    TO_LANES(e.x, lane);
    for (uint d = 0; d < VEC && e.c + d < row.end; d++)
        list_add(keep, d, rank_value(lane[d]), e.c + d);
}

/* Drop the head of lane d's list. */
static void list_drop(struct keep *keep, uint d)
{
    EACH_PLACE (uint j = 0; j + 1 < LIST; j++) {
        keep->value[j * VEC + d] = keep->value[(j + 1) * VEC + d];
        keep->column[j * VEC + d] = keep->column[(j + 1) * VEC + d];
    }
    keep->value[(LIST - 1) * VEC + d] = -INFINITY;
    keep->column[(LIST - 1) * VEC + d] = NO_COLUMN;
}

static uint worker_columns(struct row row, uint first, uint step);
static uint worker_column(struct row row, uint first, uint step, uint i);

/* Fill lane d's list with what comes after the element that it gave last. */
static void list_refill(struct keep *keep, struct row row, uint d, uint first, uint step,
                        SCALAR value, uint column)
{
    list_clear(keep, d);
    for (uint i = 0; i < worker_columns(row, first, step); i++) {
        uint c = worker_column(row, first, step, i);
        if (c >= row.end)
            continue;
        SCALAR lane[VEC];
        TO_LANES(row_logit(row, c), lane);
        SCALAR v = rank_value(lane[d]);
        if (c + d < row.end && (v < value || (v == value && c + d > column)))
            list_add(keep, d, v, c + d);
    }
}

#define keep_reduce(keep, scratch)
#define keep_end(keep, row, result)

#include "probability.cl"

INLINE real set_max(real v, __local real *scratch);
INLINE uint set_min_column(const uint *columns, __local real *scratch);

static void write_place(struct row row, struct result r, uint j, real v, uint column)
{
    bool none = column == NO_COLUMN || (row.one_hot && j > 0); /* temperature 0: one only */
    real nothing = r.scale < (real)INFINITY ? (real)0 : (real)NAN; /* NaN rows stay so */
    store_one(none ? nothing : probability(v, r), row.y + j * row.indices_col);
    row.indices[j * row.indices_col] = (int)column;
}

INLINE void op_write(struct row row, struct result r, struct keep *keep, uint first,
                     uint step, __local real *scratch)
{
    uint given[VEC]; /* since the list was filled */
    for (uint d = 0; d < VEC; d++)
        given[d] = 0;
    for (uint j = 0; j < PLACES; j++) {
        SCALAR head[VEC];
        uint columns[VEC];
        for (uint d = 0; d < VEC; d++)
            head[d] = keep->value[d];
        real best = set_max(FROM_LANES(head), scratch);
        for (uint d = 0; d < VEC; d++)
            columns[d] = head[d] == FIRST(best) ? keep->column[d] : NO_COLUMN;
        uint column = set_min_column(columns, scratch);
        for (uint d = 0; d < VEC; d++) {
            if (column == NO_COLUMN || keep->column[d] != column)
                continue;
            list_drop(keep, d);
            if (LIST < PLACES && ++given[d] == LIST) {
                list_refill(keep, row, d, first, step, FIRST(best), column);
                given[d] = 0;
            }
        }
        if (first == 0 && row.inside)
            write_place(row, r, j, best, column);
    }
}
