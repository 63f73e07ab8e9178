/* SPDX-License-Identifier: MIT */
/*
 * staged: a work-group takes a block of ROWS neighbouring rows, without gaps one piece of
 * memory however short a row is, to local memory and back, 16 bytes at a time; CLUSTER
 * neighbouring lanes (or one work-item) take a row of it and hold it in registers. Reads
 * x once, writes y once. Wins on the shortest rows, which have few whole 16 bytes or none.
 * The exact COLS is compiled in. Rows with gaps are right too, element by element.
 *
 * Local memory has BANKS words side by side. A worker takes runs of RUN neighbours, and
 * clusters side by side take rows APART, since neighbouring rows of an odd length would
 * collide. Counted over 1 to 256 columns of each type: clusters of 4 and more have at most
 * two work-items at a bank, work-items alone more than that only in rows of a multiple of
 * 64 bytes (f64: 32).
 */
#ifndef WG
#define WG 64
#endif
#ifndef CLUSTER
#define CLUSTER 1
#endif
#define BANKS 32

#include "cluster_set.cl"
#include "words.cl"
#include "blocks.cl"
#include "runs.cl"
enum { TERMS = PACK };
#include "term_sum.cl"

#if OP_WRITES == WRITES_ROW
#define STAGES_Y 1
#else
#define STAGES_Y 0
#endif
#if HAS_DY
#define STAGES_DY 1
#else
#define STAGES_DY 0
#endif

enum {
    SETS = WG / CLUSTER,
    NEAR = BANKS / CLUSTER, /* clusters that read at once */
    WANTED = CLUSTER / LEAST(CLUSTER, LOWEST_BIT(COLS / RUN)),
    APART = LEAST(WANTED, ROWS / NEAR),

    X_BYTES = sizeof(mem_x),
    Y_BYTES = sizeof(mem_y),
    DY_BYTES = sizeof(mem_dy),
    Y_IN_X = X_BYTES == Y_BYTES, /* each element of y where its x was */
    X_CHUNKS = BLOCK_CHUNKS(X_BYTES),
    DY_CHUNKS = STAGES_DY * BLOCK_CHUNKS(DY_BYTES),
    Y_CHUNKS = (STAGES_Y && !Y_IN_X) * BLOCK_CHUNKS(Y_BYTES)
};

#include "taken.cl"

#if MAY_BE_HOT && OP_WRITES == WRITES_ROW
/* The first column where the row has its maximum, in rows of temperature 0. */
INLINE uint taken_hot(const struct taken *t, struct row row, real max, uint first,
                      __local real *scratch)
{
    uint at = NO_COLUMN;
    UNROLL for (uint i = 0; i < HELD; i++)
    {
        uint c = taken_column(first, i);
        bool hot = row.one_hot && t->x[i] == max && is_taken(row, c);
        at = at == NO_COLUMN && hot ? c : at;
    }
    return set_min_column(at, scratch);
}
#endif

#if STAGES_Y
/* What is written for element i; `part` brings terms to the row's own maximum. */
INLINE real put_value(const struct taken *t, struct row row, uint first, uint i,
                      struct result result, uint hot, real part)
{
    struct element e = taken_element(t, first, i);
#if HOLDS_TERMS
    return op_from_term(row, e.c, MAX_MOVES ? e.x * part : e.x, result);
#elif MAY_BE_HOT
    if (row.one_hot)
        e.x = pick(e.c, hot, result.max, (real)(-INFINITY));
#endif
    return op_value(row, e, result);
}

INLINE void put_row(const struct taken *t, struct row row, const struct stage *stage,
                    uint at, uint first, struct result result, uint hot, real part)
{
    uint w[RUNS * Y_WORDS];
    UNROLL for (uint j = 0; j < RUNS; j++)
    {
        real v[PACK];
        UNROLL for (uint k = 0; k < PACK; k++)
            v[k] = k < RUN ? put_value(t, row, first, j * RUN + k, result, hot, part)
                           : (real)0;
        CAT(words_from_, Y)(w + j * Y_WORDS, v);
#if OP_VANISHES
        UNROLL for (uint k = 0; k < Y_WORDS; k++)
            w[j * Y_WORDS + k] = op_vanishes(result) ? 0 : w[j * Y_WORDS + k];
#endif
    }
    runs_put(w, Y_WORDS, stage->y, at, first, Y_BYTES);
#if HOLDS_TERMS && OP_SPOT
    uint c = op_spot(result);
    if (c < COLS && c / RUN % CLUSTER == first) {
        real v[PACK] = {op_at_spot(row, result)};
        CAT(words_from_, Y)(w, v);
        element_put(w, staged_element(stage->y, at + c, Y_BYTES), Y_BYTES);
    }
#endif
}
#endif

/* One row from and to local memory, where its first element is number `at`. */
INLINE void staged_row(struct row row, const struct stage *stage, uint at,
                       __local real *scratch)
{
    uint first = get_local_id(0) % CLUSTER;
#if HAS_TARGETS
    uint x[2], t = row.cols ? target_column(row, row.label) : 0;
    element_get(x, staged_element(stage->x, at + t, X_BYTES), X_BYTES);
    row.label_x = CAT(word_, X)(x, 0);
#endif
    struct taken taken;
    struct keep keep;
    keep_start(&keep, row);
    take_row(&taken, row, stage, at, first);
    struct state s = taken_state(&taken, row, first, &keep, scratch);
    uint hot = NO_COLUMN;
#if MAY_BE_HOT && OP_WRITES == WRITES_ROW
    hot = taken_hot(&taken, row, s.max, first, scratch);
#endif
    struct result result = result_of_terms(close_row(row, s, &keep, first, scratch), s.max);
#if OP_WRITES == WRITES_ROW
    real part = (real)1;
#if HOLDS_TERMS && MAX_MOVES
    part = exp_nonpositive(below_max(s.max, result.max));
#endif
    put_row(&taken, row, stage, at, first, result, hot, part);
#elif OP_WRITES == WRITES_ITSELF
    op_write(row, result, &keep, first, CLUSTER, scratch);
#endif
}

/* The row of a block that cluster number `set` takes. */
static uint row_of_set(uint set)
{
    uint near = set % NEAR, turn = set / NEAR;
    return turn / APART * (NEAR * APART) + near * APART + turn % APART;
}

/* Numbers that rows have, one each, to local memory, on their way like the block: read where they
 * are wanted, memory would be waited for twice. (A maximum and a sum that are given, read by a
 * row that waits for nothing else, take no longer there.) */
INLINE void numbers_in(__local void *to, const __global void *from, uint rows, uint unit)
{
    UNROLL for (uint k = 0; k < ROWS; k += WG)
    {
        uint i = k + get_local_id(0);
        if (i >= rows)
            continue;
#if HAS_PTX
        if (unit == 4)
            ptx_copy_4((__local uint *)to + i, (const __global uint *)from + i);
        else
            ptx_copy_8((__local uint2 *)to + i, (const __global uint2 *)from + i);
#else
        element_in(to, i, from, i, unit);
#endif
    }
}

/* Of those rows; an operand that a plan does not have takes no room worth telling. */
#if HAS_TARGETS
#define LABELS ROWS
#else
#define LABELS 1
#endif
#if HAS_TEMPERATURE
#define HEATS ROWS
#else
#define HEATS 1
#endif
#define NUMBERS_IN(to, from, at) numbers_in(to, (from) + (shape.at + r), rows, sizeof *(to))

#if LISTS_STAGED
/* What rows have listed, side by side: a row's own work-items would write it in pieces as far apart
 * as lists are long. */
INLINE void lists_out(__global mem_y *y, __global int *indices, struct shape shape,
                      struct block block, uint rows, const __local mem_y *staged_y,
                      const __local int *staged_indices)
{
    const bool no_gaps = has_no_gaps(shape.y, shape, PLACES);
    __global int *to = indices + shape.at_indices + block.row * PLACES;
    ROLLED for (uint e = get_local_id(0); e < rows * PLACES; e += WG)
    {
        element_out(y, element_at(shape.y, shape, block, e, PLACES, no_gaps), staged_y, e,
                    Y_BYTES);
        to[e] = staged_indices[e];
    }
}
#endif

#define PHASE_OF(tensor, unit) block_phase(tensor, shape.tensor, shape, block, unit)

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS)
{
    __local uint4 local_x[X_CHUNKS], local_dy[DY_CHUNKS + 1], local_y[Y_CHUNKS + 1];
    __local real scratch[LANES_SCRATCH + 1];
    __local TARGET labels[LABELS];
    __local SCALAR heats[HEATS];
#if LISTS_STAGED
    __local uint4 local_listed[ROWS * PLACES * Y_BYTES / 16 + 1]; /* halves have no arrays */
    __local mem_y *staged_y = (__local mem_y *)local_listed;
    __local int staged_indices[ROWS * PLACES];
#endif
    for (size_t r = get_group_id(0) * (size_t)ROWS; r < shape.rows;
         r += get_num_groups(0) * (size_t)ROWS) {
        const uint rows = IN_COMMON_UINT((uint)min(shape.rows - r, (size_t)ROWS));
        struct block block = {r, rows * COLS};
#if HAS_TARGETS
        NUMBERS_IN(labels, targets, at_targets);
#endif
#if HAS_TEMPERATURE
        NUMBERS_IN(heats, temperature, at_temperature);
#endif
        struct stage stage;
        stage.x = staged_at(IN_COMMON(__local uint4, local_x), PHASE_OF(x, X_BYTES), X_BYTES);
        stage.y = stage.x;
        block_in(local_x, x, shape.x, shape, block, X_BYTES);
#if HAS_DY
        stage.dy = staged_at(local_dy, PHASE_OF(dy, DY_BYTES), DY_BYTES);
        block_in(local_dy, dy, shape.dy, shape, block, DY_BYTES);
#endif
#if STAGES_Y
        if (!Y_IN_X)
            stage.y = staged_at(local_y, PHASE_OF(y, Y_BYTES), Y_BYTES);
#endif
        blocks_wait();
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint set = get_local_id(0) / CLUSTER; set < ROWS; set += SETS) {
            uint k = row_of_set(set);
            if (CLUSTER > 1 || k < rows) { /* lanes swap values whether they have a row or not */
                struct row row = ROW_NEAR(r, k, CLUSTER == 1 || k < rows);
                uint there = k < rows ? k : 0;
#if HAS_TARGETS
                row.label = labels[there];
#endif
#if HAS_TEMPERATURE
                row = row_heated(row, heats[there], shape);
#endif
#if LISTS_STAGED
                row.staged_y = staged_y + k * PLACES;
                row.staged_indices = staged_indices + k * PLACES;
#endif
                staged_row(row, &stage, k * COLS, scratch);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if STAGES_Y
        block_out(y, shape.y, shape, block, Y_BYTES, stage.y.at, stage.y.phase);
        barrier(CLK_LOCAL_MEM_FENCE);
#elif LISTS_STAGED
        lists_out(y, indices, shape, block, rows, staged_y, staged_indices);
#endif
    }
}
