/* SPDX-License-Identifier: MIT */
/*
 * A row's largest by lists: each of its WORKERS keeps a sorted list while it sums; then the heads
 * of the lists compete PLACES times. A worker whose list of LIST runs out goes over its columns
 * again for each that comes after: rare, as the largest are spread over the workers.
 */
#ifndef LIST
#define LIST PLACES /* or as few as the host says, which are rarely all given away */
#endif
#include "sorted_list.cl"

struct keep {
    struct list list;
};

static real_u32 columns_at(uint c)
{
#if VEC == 1
    return c;
#else
    return (real_u32)c + TO_U32(LANE_IDS);
#endif
}

static uint worker_columns(struct row row, uint first, uint step);
static uint worker_column(struct row row, uint first, uint step, uint i);

struct next {
    real v;
    real_u32 c;
};

/* Of a worker's columns, the next one after an element, in each lane. Work-items wait for it, so
 * loads depend on no condition, and nothing is kept but the largest. */
static struct next next_after(struct row row, uint first, uint step, SCALAR value, uint column)
{
    real none = (real)(-INFINITY);
    struct next next = {none, (real_u32)NO_COLUMN};
    for (uint i = 0; i < worker_columns(row, first, step); i++) {
        uint c = worker_column(row, first, step, i);
        bool there = c < row.end;
        uint at = there ? c : column;
        real v = ranked(row, row_logit(row, at), at);
        real_u32 columns = columns_at(at);
        real equal = OF_REALS(columns > (real_u32)column) ? v : none;
        v = !there ? none : v < (real)value ? v : v == (real)value ? equal : none;
        places_bool larger = OF_COLUMNS(v > next.v); /* equal ones come after it */
        next.v = OF_REALS(larger) ? v : next.v;
        next.c = larger ? columns : next.c;
    }
    return next;
}

static void keep_start(struct keep *keep, struct row row)
{
    list_start(&keep->list);
}

static void keep_add(struct keep *keep, struct row row, struct element e)
{
    if (e.c < row.end)
        list_add(&keep->list, ranked(row, e.x, e.c), columns_at(e.c));
}

#if WORKERS == 1 && VEC == 1
/* Neighbouring places that are written as one, in as few pieces as can be: those of work-items
 * side by side are as far apart as lists are long. */
#if LISTS_STAGED
#elif PLACES % 4 == 0
#define PLACES_AT_ONCE 4
typedef uint4 some_u32, some_f32;
typedef ushort4 some_f16, some_bf16;
typedef ulong4 some_f64;
#elif PLACES % 2 == 0
#define PLACES_AT_ONCE 2
typedef uint2 some_u32, some_f32;
typedef ushort2 some_f16, some_bf16;
typedef ulong2 some_f64;
#endif

static real kept_result(struct row row, struct result r, const struct list *list, uint j)
{
    struct top top = place_top(list, j);
    return place_result(row, r, j, top_value(top), top_column(top));
}

/* By the one worker that a row has. */
static void write_alone(struct row row, struct result r, const struct list *list)
{
#ifdef PLACES_AT_ONCE
    typedef CAT(some_, Y) some_y;
    if (row.indices_col == 1 && (size_t)row.y % sizeof(some_y) == 0 &&
        (size_t)row.indices % sizeof(some_u32) == 0) {
        EACH_PLACE (uint j = 0; j < PLACES; j += PLACES_AT_ONCE) {
            some_y y;
            some_u32 columns;
            UNROLL for (uint k = 0; k < PLACES_AT_ONCE; k++) {
                store_one(kept_result(row, r, list, j + k), (mem_y *)&y + k);
                ((uint *)&columns)[k] = top_column(place_top(list, j + k));
            }
            *(__global some_y *)(row.y + j) = y;
            *(__global some_u32 *)(row.indices + j) = columns;
        }
        return;
    }
#endif
    EACH_PLACE (uint j = 0; j < PLACES; j++)
        put_place(row, j, kept_result(row, r, list, j), top_column(place_top(list, j)));
}

INLINE void op_write(struct row row, struct result r, struct keep *keep, uint first, uint step,
                     __local real *scratch)
{
    if (row.inside)
        write_alone(row, r, &keep->list);
}
#else
/* The worker whose turn place j is keeps it, until all of them write theirs. */
INLINE void op_write(struct row row, struct result r, struct keep *keep, uint first, uint step,
                     __local real *scratch)
{
    struct list *list = &keep->list;
    uint sharers = step / VEC; /* lanes of a vector are one's own */
    real mine = (real)0;
    uint mine_column = NO_COLUMN;
    real_u32 given = (real_u32)0; /* of what has been in the lists */
    for (uint j = 0; j < PLACES; j++) {
        struct top head = place_top(list, 0), best = set_top(head, PLACES - 1 - j, scratch);
        SCALAR value = FIRST(top_value(best));
        uint column = FIRST(top_column(best));
        places_bool taken = top_column(head) == (real_u32)column;
        if (column != NO_COLUMN && ANY_OF(taken)) {
            list_drop(list, taken);
            given += taken ? (real_u32)1 : (real_u32)0;
            places_bool out = taken && given >= (real_u32)LIST;
            if (LIST < PLACES && j + 1 < PLACES && ANY_OF(out)) {
                struct next next = next_after(row, first, step, value, column);
                list_add(list, OF_REALS(out) ? next.v : (real)(-INFINITY), next.c);
            }
        }
        uint turn = j % sharers;
        if (turn == first) {
            mine = value;
            mine_column = column;
        }
        bool full = turn == sharers - 1 || j == PLACES - 1;
        if (full && first <= turn && row.inside) {
            uint at = j - turn + first;
            put_place(row, at, place_result(row, r, at, mine, mine_column), mine_column);
        }
    }
}
#endif
