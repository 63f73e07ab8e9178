/* SPDX-License-Identifier: MIT */
/*
 * The PLACES largest probabilities of each row, largest first, and their columns; equal ones
 * by the lower column. Each of a row's WORKERS keeps a short sorted list while it sums; then
 * the heads of the lists compete PLACES times. A worker whose list of LIST runs out goes over its
 * columns again for each that comes after: rare, as the largest are spread over the workers. Where
 * a mapping can tell a threshold, topk_candidates.cl does it without lists.
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

#ifndef CANDIDATES
#define CANDIDATES 0 /* as many as there is room for, where a mapping can tell a threshold */
#endif
#if CANDIDATES && LANES_SWAP && VEC == 1
#define HAS_CANDIDATES 1
#endif
#ifndef LIST
#define LIST PLACES /* or as few as the host says, which are rarely all given away */
#endif

/* Loops over a list's places, which are constants then, so that a short list stays in
 * registers. */
#if LIST <= 32
#define EACH_PLACE UNROLL for
#else
#define EACH_PLACE for
#endif

/* What holds in each lane, as columns are compared; the same for numbers; in any lane. */
#if VEC == 1
typedef bool places_bool;
#define OF_COLUMNS(m) (m)
#define OF_REALS(m) (m)
#define ANY_OF(m) (m)
#else
typedef CAT(int, WIDTH) places_bool;
#if REAL_IS_F64
#define OF_COLUMNS(m) TO(int, m)
#define OF_REALS(m) TO(long, m)
#else
#define OF_COLUMNS(m) (m)
#define OF_REALS(m) (m)
#endif
#define ANY_OF(m) any_lane(m)
static bool any_lane(places_bool m)
{
#if VEC == 16
    int8 eight = m.lo | m.hi;
    int4 four = eight.lo | eight.hi;
#elif VEC == 8
    int4 four = m.lo | m.hi;
#else
    int4 four = m;
#endif
    int2 two = four.lo | four.hi;
    return two.x | two.y;
}
#endif

#if KEY_BITS
#include "topk_keys.cl"
#else
#include "topk_pairs.cl"
#endif

static void list_start(struct list *list)
{
    for (uint j = 0; j < LIST; j++)
        place_clear(list, j);
}

/* Numbers as they are ranked; those past the row's end are never listed. */
static real ranked(struct row row, real v, uint c)
{
    v = v != v ? (real)INFINITY : v;
    return upto(v, row.end - c, (real)(-INFINITY));
}

static real_u32 columns_at(uint c)
{
#if VEC == 1
    return c;
#else
    return (real_u32)c + TO_U32(LANE_IDS);
#endif
}

/* Drop the heads of these lanes' lists. */
static void list_drop(struct list *list, places_bool m)
{
    struct list none;
    place_clear(&none, 0);
    EACH_PLACE (uint j = 0; j + 1 < LIST; j++)
        place_copy(list, j, list, j + 1, m);
    place_copy(list, LIST - 1, &none, 0, m);
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

#if HAS_CANDIDATES
struct keep {
    real threshold;
    uint packs; /* a bit for each that reaches it */
    __local real *kept; /* see topk_candidates.cl */
};
#else
struct keep {
    struct list list;
};
#endif
#define keep_reduce(keep, scratch)
#define keep_end(keep, row, result)

#include "probability.cl"

/* What place j holds: 0 where nothing is left for it, or where temperature 0 leaves one. */
static real place_result(struct row row, struct result r, uint j, real v, uint column)
{
    bool none = column == NO_COLUMN || (row.one_hot && j > 0);
    real nothing = r.scale < (real)INFINITY ? (real)0 : (real)NAN; /* NaN rows stay so */
    return none ? nothing : probability(v, r);
}

/* To where row's list is, in memory or staged. */
static void put_place(struct row row, uint j, real result, uint column)
{
#if LISTS_STAGED
    store_one(result, row.staged_y + j);
    row.staged_indices[j] = (int)column;
#else
    store_one(result, row.y + j * row.indices_col);
    row.indices[j * row.indices_col] = (int)column;
#endif
}

#if WORKERS == 1 && VEC == 1 /* though several may share a row's tile, see strided.cl */
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
#endif

/* The worker whose turn place j is keeps it, until all of them write theirs. */
INLINE void write_listed(struct row row, struct result r, struct list *list, uint first,
                         uint step, __local real *scratch)
{
    uint sharers = step / VEC; /* lanes of a vector are one's own */
#if WORKERS == 1 && VEC == 1
    if (sharers == 1) {
        if (row.inside)
            write_alone(row, r, list);
        return;
    }
#endif
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

#if HAS_CANDIDATES
#include "topk_candidates.cl"
#else
static void keep_start(struct keep *keep, struct row row)
{
    list_start(&keep->list);
}

static void keep_add(struct keep *keep, struct row row, struct element e)
{
    if (e.c < row.end)
        list_add(&keep->list, ranked(row, e.x, e.c), columns_at(e.c));
}

INLINE void op_write(struct row row, struct result r, struct keep *keep, uint first,
                     uint step, __local real *scratch)
{
    write_listed(row, r, &keep->list, first, step, scratch);
}
#endif
