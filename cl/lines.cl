/* SPDX-License-Identifier: MIT */
/*
 * lines: one work-item takes a run of short rows with vectors of VEC elements, a block of them
 * at a time: all their maxima, then all their sums, then all their results, so that no
 * reduction is waited for; written rows leave while the next block is summed, so that stores
 * and arithmetic do not wait for each other. Where y has no gaps the results leave in whole
 * lines, past the caches where x and y do not fit there, whatever a row's length and address.
 * Reads x once from memory, writes y once. Wins on CPU runtimes on rows of up to a few hundred
 * elements.
 */
#include "near.cl"
#include "ring.cl"
#include "wide_set.cl"

#ifndef COLS
#define COLS 64
#endif
/* Do results leave line by line as they are made, of terms alone? */
#if OP_WRITES == WRITES_ROW && MADE_OF_TERMS && !OP_SPOT && COLS * CAT(BYTES_, Y) >= 64
#define STRAIGHT 1
#else
#define STRAIGHT 0
#endif
enum {
    ROOM = 2048,
    WIDTH_HELD = (COLS + VEC - 1) / VEC * VEC,
    ROOM_ROWS = ROOM / WIDTH_HELD < 32 ? ROOM / WIDTH_HELD : 32,
    MOST_ROWS = ROOM_ROWS < VEC ? ROOM_ROWS : ROOM_ROWS / VEC * VEC, /* in a block */
    SETS = (MOST_ROWS + VEC - 1) / VEC, /* of rows that are lanes */
    AHEAD_ROWS = 36,
    SPARE = 64,
    /* Does a block leave while the next one is summed? Of short rows the constants of both would
     * be loaded again and again. */
    LATE = OP_WRITES == WRITES_ROW && !OP_GIVEN &&
           (!STRAIGHT || COLS * sizeof(mem_y) > 2 * LINE_BYTES),
    HELD_STEP = ROOM + ALIAS_BYTES / 2 / sizeof(SCALAR), /* from one block's to the next one's */
    HELD_BYTES = (LATE * HELD_STEP + ROOM + SPARE) * sizeof(SCALAR),
    /* Results are stored a little behind the terms that are loaded, never before them: see
     * ALIAS_BYTES. */
    BEHIND_BYTES = 2 * LINE_BYTES,
    WAITING_AT = (HELD_BYTES + BEHIND_BYTES + ALIAS_BYTES - 1) / ALIAS_BYTES * ALIAS_BYTES -
                 BEHIND_BYTES,
    WAITING_BYTES = (ROOM + 2 * SPARE) * sizeof(mem_y),
    FRONT_BYTES = STRAIGHT ? ALIAS_BYTES : 0, /* before a block's terms, of which a line is read */
    ROOM_BYTES = FRONT_BYTES + (STRAIGHT ? HELD_BYTES : WAITING_AT + WAITING_BYTES)
};
#include "row_lanes.cl"
#include "lane_rows.cl"

/* As long as the program knows; bounds are those of what counts, all is read and written. */
INLINE struct row exact(struct row row)
{
    row.cols = COLS;
    if (!BOUNDED)
        row.end = COLS;
    return row;
}

/* The elements from column c on, with -inf for logits that the query does not see. Where it is safe
 * vectors are read with what stands behind the row, and that is taken away: some CPUs read a part
 * of a vector element by element. */
INLINE struct element short_element(struct row row, uint c, bool safe)
{
    struct row whole = row;
    whole.end = COLS;
    struct element e = {c, (real)0, (real)0};
    if (safe) {
        real x = CAT(load_, X)(row.x + c);
        e.x = logit_of(whole, c, upto(x, COLS - c, (real)(-INFINITY)));
#if HAS_DY
        e.dy = upto(CAT(load_, DY)(row.dy + c), COLS - c, (real)0);
#endif
    } else
        e = row_element(whole, c);
#if BOUNDED
    real column = LANE_IDS + (real)(SCALAR)c;
    e.x = column >= (real)(SCALAR)row.begin && column < (real)(SCALAR)row.end
              ? e.x
              : (real)(-INFINITY);
#endif
    return e;
}

/* Are logits that took work to make kept until the sum? */
#if FORMS && OP_NEEDS_MAX && !OP_GIVEN
#define KEEPS_LOGITS 1
#else
#define KEEPS_LOGITS 0
#endif

#include "values.cl"
#if STRAIGHT
#include "straight.cl"
#endif

/* Of each lane. */
INLINE real short_max(struct row row, __local SCALAR *held, bool safe)
{
    real max = -INFINITY;
    UNROLL for (uint c = 0; c < COLS; c += VEC)
    {
        real logit = short_element(row, c, safe).x;
        max = real_max(max, logit);
        if (KEEPS_LOGITS)
            STORE_REAL(logit, __local, held + c);
    }
    return max;
}

/* A row that comes later, to the second cache; of up to two lines of 16-bit numbers, which take the
 * longest to compute, the next block's, to the first one. */
INLINE void announce_later(struct row row)
{
    const bool next = STRAIGHT && !LATE && sizeof(mem_x) == 2;
    const __global mem_x *x = row.x + (next ? MOST_ROWS : AHEAD_ROWS) * COLS;
    UNROLL for (uint k = 0; k < COLS * sizeof(mem_x); k += LINE_BYTES)
        if (next)
            announce_near((const __global char *)x + k);
        else
            announce_far((const __global char *)x + k);
#if HAS_DY
    UNROLL for (uint k = 0; k < COLS * sizeof(mem_dy); k += LINE_BYTES)
        announce_far((const __global char *)(row.dy + AHEAD_ROWS * COLS) + k);
#endif
}

/* Of each lane; leaves the terms. */
INLINE struct pair short_sum(struct row row, struct near near, struct keep *keep,
                             __local SCALAR *held, bool safe)
{
    struct pair sum = {(real)0, (real)0};
    real part[2];
    announce_later(row);
    UNROLL for (uint c = 0; c < COLS; c += VEC)
    {
        uint k = c / VEC;
#if KEEPS_LOGITS
        struct element e = {c, LOAD_HELD(held + c), (real)0};
#else
        struct element e = short_element(row, c, safe);
#endif
        real term = near_term(row, e, near);
        if (MADE_OF_TERMS)
            STORE_REAL(kept_term(term), __local, held + c);
        if (OP_NEEDS_REST) {
            sum = pair_add(sum, term);
            continue;
        }
        if (ROUGH) { /* nobody sees more digits than a plain sum has */
            sum.hi += term;
            continue;
        }
        /* Four terms at a time as a tree: more of them, next to a large one, would be lost. */
        part[k / 2 % 2] = k % 2 ? part[k / 2 % 2] + term : term;
        if (k % 4 == 3 || c + VEC >= COLS) {
            real four = k % 4 > 1 ? part[0] + part[1] : part[0];
            if (k < 4)
                sum.hi = four;
            else
                sum = pair_add(sum, four);
        }
    }
    return sum;
}

/* What is known of a block's rows, each of which is a lane. */
struct lanes_of_rows {
    real max[SETS];
    real from[SETS], shift[SETS], lowest[SETS]; /* what they are near to */
    real hi[SETS], lo[SETS];                    /* of their sums */
    real log_sum[SETS];
};

INLINE void near_keep(struct lanes_of_rows *lanes, uint set, struct near near)
{
    lanes->from[set] = near.max;
#if STAYS_BASED
    lanes->shift[set] = near.base.shift;
    lanes->lowest[set] = near.base.lowest;
#endif
}

INLINE struct near near_at(const struct lanes_of_rows *lanes, uint i)
{
    struct near near = {LANE_OF(lanes->from, i)};
#if STAYS_BASED
    near.base.shift = LANE_OF(lanes->shift, i);
    near.base.lowest = LANE_OF(lanes->lowest, i);
#endif
    return near;
}

INLINE void lanes_log(struct lanes_of_rows *lanes, uint set)
{
    struct state s = state_of((real)(-INFINITY), lanes->hi[set], lanes->lo[set]);
    lanes->log_sum[set] = log_beside(s).log_sum;
}

INLINE struct state state_at(const struct lanes_of_rows *lanes, struct row row, uint i)
{
#if OP_GIVEN
    struct state s = given_state(row);
#else
    struct state s = state_of(LANE_OF(lanes->max, i), LANE_OF(lanes->hi, i),
                              LANE_OF(lanes->lo, i));
#endif
    if (LOG_KNOWN)
        s.log_sum = LANE_OF(lanes->log_sum, i);
    return s;
}

#include "lines_write.cl"

OUTLINE void take_rows(TENSORS, size_t first, size_t last, __local SCALAR *held,
                       __local word_y *waiting)
{
    struct way way;
    way.first = first;
    way.last = last;
    way.past = is_large(shape);
    way.lines = lines_start(waiting, (__global word_y *)ROW_AT(first).y);
    bool no_gaps = OP_WRITES == WRITES_ROW && has_no_gaps(shape.y, shape, COLS);
    /* Do rows begin and end with a line? Then none waits. */
    way.at_once = no_gaps && way.past && COLS % Y_LINE == 0 && way.lines.before == 0;
    way.straight = STRAIGHT && no_gaps && !way.at_once;
    way.dense = !STRAIGHT && no_gaps && !way.at_once;
    real hi[MOST_ROWS], lo[MOST_ROWS]; /* of each row's lanes */
    struct known known[1 + LATE];
    struct block late = {first, 0, false, held, known};
    for (uint i = 0; i < MOST_ROWS; i++)
        hi[i] = lo[i] = (real)0;
    for (uint b = 0; b < 1 + LATE; b++)
        for (uint i = 0; i < SETS; i++)
            known[b].lanes.hi[i] = known[b].lanes.lo[i] = (real)0;
    uint turn = 0;
    for (size_t r = first; r < last || late.rows; r += MOST_ROWS) {
        const uint rows = r < last ? (uint)min((size_t)MOST_ROWS, last - r) : 0;
        /* behind these rows there are others */
        size_t behind = rows ? shape.rows - r - rows : 0;
        bool safe = behind * shape.x.row >= VEC && are_apart(shape.x, shape, COLS);
#if HAS_DY
        safe = safe && behind * shape.dy.row >= VEC && are_apart(shape.dy, shape, COLS);
#endif
        const struct block now = {r, rows, safe, held + turn * HELD_STEP, &known[turn]};
        struct lanes_of_rows *lanes = &now.known->lanes;
        for (uint i = 0; i < rows; i++)
            if (OP_NEEDS_MAX && !OP_GIVEN)
                hi[i] = short_max(exact(ROW_AT(r + i)), now.held + i * WIDTH_HELD, safe);
        ROLLED for (uint i = 0; i < rows; i += VEC)
        {
            real max = OP_NEEDS_MAX && !OP_GIVEN ? rows_max(hi + i) : (real)(-INFINITY);
            lanes->max[i / VEC] = max;
            near_keep(lanes, i / VEC, near_of(max));
        }
        for (uint i = 0; i < rows || i < late.rows; i++) {
            if (i < rows) {
                struct row row = exact(ROW_AT(r + i));
                struct keep *keep = &now.known->keep[i];
                keep_start(keep, row);
#if !OP_GIVEN
                struct pair sum =
                    short_sum(row, near_at(lanes, i), keep, now.held + i * WIDTH_HELD, safe);
                hi[i] = OP_NEEDS_REST ? sum.hi : sum.hi + sum.lo;
                lo[i] = sum.lo;
#endif
            }
            if (LATE && i < late.rows)
                row_leaves(ALL_TENSORS, late, i, &way);
        }
        ROLLED for (uint i = 0; i < rows; i += VEC)
        {
#if !OP_GIVEN
            struct pair sum = pair_down(rows_sum(hi + i, lo + i));
            lanes->hi[i / VEC] = sum.hi;
            lanes->lo[i / VEC] = sum.lo;
#elif LOG_KNOWN
            const __global SCALAR *sums = from_sum + (shape.at_from_sum + r + i);
            lanes->hi[i / VEC] = given(sums, min((uint)VEC, rows - i));
#endif
            if (LOG_KNOWN)
                lanes_log(lanes, i / VEC);
        }
        if (!LATE)
            for (uint i = 0; i < rows; i++)
                row_leaves(ALL_TENSORS, now, i, &way);
        if (way.dense)
            lines_flush(&way.lines, way.past);
        if (LATE) {
            late = now;
            turn = 1 - turn;
        }
    }
    if (way.dense)
        lines_edge(&way.lines, way.lines.count);
}

__kernel WORK_GROUP(1) void
clsm_row(TENSORS)
{
    __local uint16 room[ROOM_BYTES / LINE_BYTES];
    struct span rows = own_span(shape.rows);
    __local uint16 *held = room + FRONT_BYTES / LINE_BYTES + shape.zero;
    __local uint16 *waiting = STRAIGHT ? held : held + WAITING_AT / LINE_BYTES;
    take_rows(ALL_TENSORS, rows.first, rows.last, (__local SCALAR *)held,
              (__local word_y *)waiting);
}
