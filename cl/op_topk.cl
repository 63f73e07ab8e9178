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

/* Loops over a list's places, which are constants then, so that a short list stays in registers;
 * where lanes have lists, LLVM makes gathers and scatters of them otherwise. */
#if LIST <= 32
#define EACH_PLACE UNROLL for
#else
#define EACH_PLACE for
#endif

#if KEY_BITS
#include "topk_keys.cl"
#else
#include "topk_pairs.cl"
#endif

static void list_clear(struct keep *keep, uint d)
{
    for (uint j = 0; j < LIST; j++)
        place_clear(keep, j * VEC + d);
}

static void keep_start(struct keep *keep, struct row row)
{
    for (uint d = 0; d < VEC; d++)
        list_clear(keep, d);
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
    EACH_PLACE (uint j = 0; j + 1 < LIST; j++)
        place_copy(keep, j * VEC + d, (j + 1) * VEC + d);
    place_clear(keep, (LIST - 1) * VEC + d);
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

/* What place j holds: 0 where nothing is left for it, or where temperature 0 leaves one. */
static real place_result(struct row row, struct result r, uint j, real v, uint column)
{
    bool none = column == NO_COLUMN || (row.one_hot && j > 0);
    real nothing = r.scale < (real)INFINITY ? (real)0 : (real)NAN; /* NaN rows stay so */
    return none ? nothing : probability(v, r);
}

#if WORKERS == 1 && VEC == 1 /* though several may share a row's tile, see strided.cl */
/* Neighbouring places that are written as one, in as few pieces as can be: those of work-items
 * side by side are as far apart as lists are long. */
#if PLACES % 4 == 0
#define PLACES_AT_ONCE 4
typedef uint4 some_u32, some_f32;
typedef uint2 some_f16, some_bf16;
typedef ulong4 some_f64;
#elif PLACES % 2 == 0
#define PLACES_AT_ONCE 2
typedef uint2 some_u32, some_f32;
typedef uint some_f16, some_bf16;
typedef ulong2 some_f64;
#else
#define PLACES_AT_ONCE 1
typedef uint some_u32, some_f32;
typedef ushort some_f16, some_bf16;
typedef ulong some_f64;
#endif
#define SOME_Y CAT(some_, Y)

static real kept_result(struct row row, struct result r, const struct keep *keep, uint j)
{
    return place_result(row, r, j, place_value(keep, j), place_column(keep, j));
}

/* By the one worker that a row has. */
static void write_alone(struct row row, struct result r, const struct keep *keep)
{
    bool dense = row.indices_col == 1 && (size_t)row.y % sizeof(SOME_Y) == 0 &&
                 (size_t)row.indices % sizeof(some_u32) == 0;
    EACH_PLACE (uint j = 0; dense && j < PLACES; j += PLACES_AT_ONCE) {
        SOME_Y y;
        some_u32 columns;
        UNROLL for (uint k = 0; k < PLACES_AT_ONCE; k++) {
            store_one(kept_result(row, r, keep, j + k), (mem_y *)&y + k);
            ((uint *)&columns)[k] = place_column(keep, j + k);
        }
        *(__global SOME_Y *)(row.y + j) = y;
        *(__global some_u32 *)(row.indices + j) = columns;
    }
    EACH_PLACE (uint j = 0; !dense && j < PLACES; j++) {
        store_one(kept_result(row, r, keep, j), row.y + j * row.indices_col);
        row.indices[j * row.indices_col] = (int)place_column(keep, j);
    }
}
#endif

/* The worker whose turn place j is keeps it, until all of them write theirs. */
INLINE void op_write(struct row row, struct result r, struct keep *keep, uint first,
                     uint step, __local real *scratch)
{
    uint sharers = step / VEC; /* lanes of a vector are one's own */
#if WORKERS == 1 && VEC == 1
    if (sharers == 1) {
        if (row.inside)
            write_alone(row, r, keep);
        return;
    }
#endif
    real mine = (real)0;
    uint mine_column = NO_COLUMN;
    uint given[VEC]; /* since the list was filled */
    for (uint d = 0; d < VEC; d++)
        given[d] = 0;
    for (uint j = 0; j < PLACES; j++) {
        SCALAR head[VEC];
        uint columns[VEC];
        for (uint d = 0; d < VEC; d++)
            head[d] = place_value(keep, d);
        real best = set_max(FROM_LANES(head), scratch);
        for (uint d = 0; d < VEC; d++)
            columns[d] = head[d] == FIRST(best) ? place_column(keep, d) : NO_COLUMN;
        uint column = set_min_column(columns, scratch);
        for (uint d = 0; d < VEC; d++) {
            if (column == NO_COLUMN || place_column(keep, d) != column)
                continue;
            list_drop(keep, d);
            if (LIST < PLACES && ++given[d] == LIST) {
                list_refill(keep, row, d, first, step, FIRST(best), column);
                given[d] = 0;
            }
        }
        uint turn = j % sharers;
        if (turn == first) {
            mine = best;
            mine_column = column;
        }
        bool full = turn == sharers - 1 || j == PLACES - 1;
        if (full && first <= turn && row.inside) {
            uint at = j - turn + first;
            store_one(place_result(row, r, at, mine, mine_column),
                      row.y + at * row.indices_col);
            row.indices[at * row.indices_col] = (int)mine_column;
        }
    }
}
