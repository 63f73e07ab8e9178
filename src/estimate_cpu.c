/* SPDX-License-Identifier: MIT */
/*
 * What an enqueue takes on a CPU, for mappings in which a work-item with wide vectors
 * takes runs of rows or parts of them (cl/pipeline.cl, cl/lines.cl, cl/transposed.cl,
 * cl/wide.cl), and what the largest elements take. In cycles of one core, as
 * bench/NOTES.md has measured them.
 */
#include "estimate.h"

#include <math.h>

/* What such a mapping is like. */
enum kind {
    LINES,      /* a block of rows, vectors of a row each */
    TRANSPOSED, /* vectors of as many rows, or of neighbours */
    FUSED,      /* one row is read while another is written */
    WIDE,       /* one row after the other, read several times */
    KINDS
};

/* In cycles. */
struct costs {
    /* Of a vector of f32, by what is to do for it (WRITES, SUMS, NORMALISES, LOGARITHM,
     * NUMBERS); of numbers of 16 bits; */
    double vector[KINDS][EFFORTS], half[KINDS][EFFORTS];
    double row[KINDS][EFFORTS]; /* of a row, or a vector of rows, beside these; */
    double cut;                 /* where a row's last vector is not full, in FUSED. */
    /* What two native vectors for one take more, since they want more registers: of 16
     * bits that are written, of others, and with a gradient in LINES and elsewhere. Of
     * 16 bits in TRANSPOSED only where nothing is summed. */
    double halves, others, lines_dy, others_dy;
    double unrolled;  /* the same of 16 bits as UNROLLED of f32, below */
    double bf16_rows; /* TRANSPOSED where bf16 is written, times: LINES take longer */
    /* The k largest: of an element where a work-item has a list for itself; where each
     * lane has one, of a row, of a vector, of a place of the result for each lane, and
     * of a place that an element passes in all of them. Two native vectors for one take
     * `wider` of twice as long. */
    struct {
        double item, row, vector, place, passed, wider;
    } list;
};

/* With AVX-512, */
static const struct costs long_vectors = {
    .vector = {[LINES] = {11, 18, 5.2, 14, 2.7},
               [TRANSPOSED] = {25, 26, 15, 11, 3.5},
               [FUSED] = {6, 7, 6.9, 5.1, 3.6},
               [WIDE] = {5, 8, 13, 18, 9.2}},
    .half = {[LINES] = {7.1, 9.2, 3.4, 6.5, 3.5},
             [TRANSPOSED] = {7.2, 24, 8, 6.9, 4.2},
             [FUSED] = {4, 5, 3.8, 4.5, 2.7},
             [WIDE] = {6, 7, 12, 12, 7.5}},
    .row = {[LINES] = {0, 29, 6.2, 14, 13},
            [TRANSPOSED] = {20, 0, 0, 55, 25},
            [FUSED] = {21, 70, 54, 109, 77},
            [WIDE] = {19, 75, 46, 85, 69}},
    .halves = 1.2,
    .others = 1.03,
    .lines_dy = 1.25,
    .others_dy = 1.1,
    .unrolled = 2.5,
    .bf16_rows = 1,
    .list = {34, 57, 16, 3.3, 0.36, 1},
};
/* and with shorter vectors, measured with AVX2. */
static const struct costs short_vectors = {
    .vector = {[LINES] = {6.8, 7.4, 4.8, 12, 4.9},
               [TRANSPOSED] = {13, 3.1, 3.1, 1.5, 3},
               [FUSED] = {4.1, 2.6, 4.1, 4.6, 2.7},
               [WIDE] = {2.8, 8.5, 13, 13, 8.1}},
    .half = {[LINES] = {4, 3.4, 3.7, 6, 5.6},
             [TRANSPOSED] = {8.7, 7.5, 7.3, 3.9, 1.5},
             [FUSED] = {5.5, 3.1, 4.3, 6, 2.4},
             [WIDE] = {8.4, 10, 19, 13, 7.4}},
    .row = {[LINES] = {6.4, 7.4, 12, 16, 12},
            [TRANSPOSED] = {13, 15, 38, 120, 91},
            [FUSED] = {37, 96, 120, 150, 120},
            [WIDE] = {33, 51, 79, 140, 84}},
    .cut = 24,
    .halves = 1.4,
    .others = 1.8,
    .lines_dy = 1.6,
    .others_dy = 1.9,
    .unrolled = 1.3,
    .bf16_rows = 0.7,
    .list = {22, 62, 27, 2.5, 0.48, 0.91},
};

enum { LONG_VECTOR = 16 }; /* of f32 */

static const struct costs *costs_of(const struct traits *t)
{
    return t->vector_width < LONG_VECTOR ? &short_vectors : &long_vectors;
}

static const double MERGED = 1.7; /* times, where states come together */
static const double TILES = 2.8;  /* times, where two tiles are all registers, */
enum { MOST_TILE = 8 };           /* as those of more lanes than that do */
static const double ROLLED = 2; /* times, where finished rows have more columns than */
enum { MOST_COLS = 16 };        /* lanes' registers hold, and go by in a loop */
/* Times, by way of local memory, see neighbours.cl. There two native vectors for one
 * take that much of twice as long, with targets and without. */
static const double STRIP = 1.15, PAIRED_TARGETS = 1.15, PAIRED = 0.85;
static const double FORM_CYCLES = 2;
/* Times, for a logarithm, where a row in parts is written, or only read: of f32, and of
 * 16 bits. */
static const double PARTED = 1.6, PARTED_READ = 1.5, PARTED_READ_HALF = 2.4;
static const double PART_CYCLES = 1500;
static const double CYCLE_BYTES = 20;
/* Of a core: what is read again comes from there; and a row that is read while the last
 * one is written, whatever the loops say. */
static const double CACHE_BYTES = 3e5, NEAR_BYTES = 8e3;
/* Times, where a core has one row of more columns than that to write, which fill its
 * cache, and no other one to read meanwhile. */
static const double ALONE = 1.35;
enum { ALONE_COLS = 250000 };

enum {
    MOST_UNROLLED = 32, /* vectors of a row that is one piece of code, ... */
    LEAST_LANES = 8     /* ... of so many lanes, or more of 16 bits */
};
/* With more vectors such rows took up to 1.3 times as long as turns of a loop (8
 * lanes); this is what it takes for those to be chosen, of f32. */
static const double UNROLLED = 2.5;

/* A row of f32 in a vector that is twice as long and more: a shorter one is 0.8 to 0.95
 * of it; this is what it takes for that to be chosen. */
static const double HALF_EMPTY = 1.03;

static enum kind kind_of(const struct variant *v)
{
    return v->row_per_lane ? TRANSPOSED
           : v->exact_cols ? LINES
           : v->pipelined  ? FUSED
                           : WIDE;
}

/* The columns that it reads: in rows that are one piece of code all. */
static double columns_read(const struct config *config, const struct problem *p)
{
    bool all = clsm_variants[config->variant].exact_cols;
    return (double)p->cols * (all ? 1 : clsm_columns_seen(p));
}

/* What a vector takes, if it is more than a native one, times. */
static double wider(const struct config *config, const struct problem *p,
                    const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    const struct costs *costs = costs_of(t);
    double width = clsm_config_value(config, PARAM_VEC, 1), native = t->vector_width;
    bool half = clsm_type_bytes(p->x.type) == 2;
    double each =
        half && clsm_problem_y(p) == CLSM_Y_ROW ? costs->halves : costs->others;
    if (v->any_axis)
        each = clsm_has(p, CLSM_TARGETS) ? PAIRED_TARGETS : PAIRED;
    else if (v->row_per_lane && half && clsm_problem_effort(p) != WRITES)
        each = 1;
    else if (clsm_has(p, CLSM_DY))
        each = v->row_per_lane ? 1 : v->exact_cols ? costs->lines_dy : costs->others_dy;
    return width > native ? each * width / native : 1;
}

/* Of one vector. */
static double step_cycles(const struct config *config, const struct problem *p,
                          const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    const struct costs *costs = costs_of(t);
    enum effort effort = clsm_problem_effort(p);
    double width = clsm_config_value(config, PARAM_VEC, 1), native = t->vector_width;
    bool half = clsm_type_bytes(p->x.type) == 2;
    double cycles = (half ? costs->half : costs->vector)[kind_of(v)][effort];
    if (effort == NUMBERS && clsm_has(p, CLSM_DY))
        cycles *= MERGED;
    if (kind_of(v) == TRANSPOSED && effort != NUMBERS && p->y.type == CLSM_BF16)
        cycles *= costs->bf16_rows;
    if (v->row_per_lane && v->any_axis)
        cycles *= STRIP;
    else if (v->row_per_lane && clsm_has(p, CLSM_DY) && !half && width > MOST_TILE)
        cycles *= TILES;
    else if (v->row_per_lane && effort == WRITES && p->cols > MOST_COLS)
        cycles *= ROLLED;
    bool bounded = v->exact_cols && clsm_problem_is_bounded(p);
    if (clsm_problem_has_forms(p) || bounded)
        cycles += FORM_CYCLES;
    if (v->launches && clsm_op_may(p->op) & CLSM_LOGARITHM)
        cycles *= clsm_problem_y(p) == CLSM_Y_ROW ? PARTED
                  : half                          ? PARTED_READ_HALF
                                                  : PARTED_READ;
    if (v->exact_cols && !v->row_per_lane &&
        (double)p->cols >
            MOST_UNROLLED * (half ? fmax(native, LEAST_LANES) : LEAST_LANES))
        cycles *= half ? costs->unrolled : UNROLLED;
    return cycles * wider(config, p, t);
}

/* Of a vector whose lanes are rows, or neighbours along another axis than the last. */
static double lanes_used(const struct config *config, const struct problem *p)
{
    double width = clsm_config_value(config, PARAM_VEC, 1), inner = (double)p->inner;
    if (!clsm_variants[config->variant].any_axis || inner < 1)
        return width;
    return inner / ceil(inner / width);
}

static double softmax_cycles(const struct config *config, const struct problem *p,
                             const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    const struct costs *costs = costs_of(t);
    double width = clsm_config_value(config, PARAM_VEC, 1);
    double step = step_cycles(config, p, t),
           row = costs->row[kind_of(v)][clsm_problem_effort(p)];
    if (v->row_per_lane) {
        row *= v->any_axis ? wider(config, p, t) : 1;
        return ((double)p->cols * step + row) / lanes_used(config, p);
    }
    double cols = columns_read(config, p), cycles = ceil(cols / width) * step + row;
    if (kind_of(v) == FUSED && ceil(cols / width) * width > cols)
        cycles += costs->cut * (clsm_has(p, CLSM_DY) ? 2 : 1);
    bool few = clsm_type_bytes(p->x.type) > 2 || cols <= 4;
    bool half_empty = few && width >= 2 * cols;
    return cycles * (half_empty ? HALF_EMPTY : 1);
}

double clsm_topk_cycles(const struct config *config, const struct problem *p,
                        const struct traits *t)
{
    const struct costs *costs = costs_of(t);
    double cols = (double)p->cols, k = (double)p->k;
    double width = clsm_config_value(config, PARAM_VEC, 1);
    if (width == 1)
        return cols * costs->list.item;
    double vectors = ceil(cols / width), wide = fmax(1, width / t->vector_width);
    double length = (double)clsm_config_list(config, p, t);
    double entered = clsm_list_entered(vectors, length, width);
    double vector = costs->list.vector * (wide > 1 ? wide * costs->list.wider : 1);
    return costs->list.row + vectors * vector +
           entered * length * wide * costs->list.passed + k * width * costs->list.place;
}

double clsm_estimate_runs(const struct config *config, const struct problem *p,
                          const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    size_t rows = (size_t)fmin(clsm_problem_likely_rows(p), 0x1p53);
    double in = columns_read(config, p) * (double)clsm_type_bytes(p->x.type);
    double out = (double)p->y.cols * (double)clsm_type_bytes(p->y.type);
    unsigned launches = clsm_config_launches(config, p);
    double units = t->compute_units;
    double launch = launches * units * WAKE_CYCLES;
    if (clsm_has(p, CLSM_DY))
        in += (double)p->cols * (double)clsm_type_bytes(p->dy.type);
    double row = softmax_cycles(config, p, t), turns;
    if (v->launches) {
        struct problem known = *p;
        known.rows = rows;
        known.inner = 1;
        double parts = (double)clsm_config_parts(config, &known, t);
        turns = ceil((double)rows * parts / units) / parts;
        launch += (double)rows * parts / units * PART_CYCLES;
        in *= clsm_problem_y(p) == CLSM_Y_ROW ? launches : 1;
    } else {
        bool alone = (double)rows <= units && p->cols > ALONE_COLS;
        row *= alone && clsm_problem_y(p) == CLSM_Y_ROW ? ALONE : 1;
        double runs = (double)clsm_config_runs(config, rows, t);
        turns = ceil(runs / units) * ceil((double)rows / runs);
        turns = fmin(turns, ceil((double)rows / fmin(runs, units)) + 1);
        if (in > CACHE_BYTES)
            in *= clsm_config_reads(config, p);
    }
    double busy = fmin((double)rows * (v->launches ? units : 1), units);
    double memory = (double)rows * (in + out) / (CYCLE_BYTES * busy);
    double work = turns * row;
    bool at_once = kind_of(v) != WIDE || in + out <= NEAR_BYTES; /* or in turns? */
    return (launch + (at_once ? clsm_together(work, memory, 0) : work + memory)) /
           HERTZ;
}
