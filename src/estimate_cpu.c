/* SPDX-License-Identifier: MIT */
/*
 * What an enqueue takes on a CPU, for mappings in which a work-item with wide vectors
 * takes runs of rows or parts of them (cl/pipeline.cl, cl/lines.cl, cl/transposed.cl).
 * In cycles of one core, as bench/NOTES.md has measured them.
 */
#include "estimate.h"

#include <math.h>

enum {
    TERM_CYCLES = 11, /* of a vector from x to its term and from there to y */
    ROUGH_CYCLES = 8, /* the same where y has 16 bits */
    SUM_CYCLES = 6,   /* where there is no exponential */
    TURN_CYCLES = 4,  /* of a vector whose lanes are rows, there and back, */
    STRIP_CYCLES = 6, /* or by way of local memory, see cl/neighbours.cl */
    REST_CYCLES = 4,  /* for each term as a pair */
    FORM_CYCLES = 2,
    SETTLE_CYCLES = 150, /* until a row's sum is known, its edges ... */
    NEAR_CYCLES = 8,     /* ... and with other rows' in between */
    MOST_UNROLLED = 32,  /* vectors of a row that is one piece of code, ... */
    LEAST_LANES = 8,     /* ... of no fewer lanes */
    LANE_CYCLES = 4,     /* of a reduction, for each halving; half with other rows' */
    LAUNCH_CYCLES = 20000,
    PART_CYCLES = 1500
};

static const double CYCLE_BYTES = 8, HERTZ = 1.75e9;
/* With more vectors such rows took up to 1.3 times as long as turns of a loop (8
 * lanes); this is what it takes for those to be chosen. */
static const double UNROLLED = 2;
static const double PARTED_LOG = 1.2; /* parts' sums for a logarithm */

/* The k largest, where a work-item has a list for itself or one for each lane. */
enum {
    LISTED_CYCLES = 45,       /* of an element that goes into a list, unforeseen, ... */
    ONE_LISTED_CYCLES = 15,   /* ... or takes the place of the only one there */
    LANE_LISTED_CYCLES = 130, /* of a place that is passed, over all lanes' lists */
    ITEM_CYCLES = 22,         /* of an element */
    ITEM_ROW_CYCLES = 75,
    ITEM_PLACE_CYCLES = 88, /* until one is found, and again */
    VECTOR_CYCLES = 30,
    ROW_CYCLES = 70,
    PLACE_CYCLES = 70,
    LANE_ROW_CYCLES = 10,
    LANE_PLACE_CYCLES = 7
};
static const double LANE_ELEMENT_CYCLES = 4.5;

/* Of one vector. */
static double step_cycles(const struct config *config, const struct problem *p,
                          const struct traits *t)
{
    bool writes = clsm_problem_y(p) == CLSM_Y_ROW;
    double width = clsm_config_value(config, "VEC", 1), native = t->vector_width;
    bool exact = clsm_variants[config->variant].exact_cols;
    bool held = clsm_config_hold_cols(config, p, t) || exact;
    bool rough = writes && clsm_type_bytes(p->y.type) == 2;
    double cycles = clsm_has(p, CLSM_DY) ? SUM_CYCLES
                    : rough              ? ROUGH_CYCLES
                                         : TERM_CYCLES;
    if (writes && !held && !clsm_has(p, CLSM_FROM_MAX))
        cycles += cycles * 0.8; /* the terms are made twice */
    if (exact && (!writes || clsm_has(p, CLSM_LSE)))
        cycles += REST_CYCLES;
    if (clsm_variants[config->variant].row_per_lane)
        cycles += clsm_variants[config->variant].any_axis ? STRIP_CYCLES : TURN_CYCLES;
    if (clsm_problem_has_forms(p))
        cycles += FORM_CYCLES;
    if (clsm_variants[config->variant].launches && clsm_op_may(p->op) & CLSM_LOGARITHM)
        cycles *= PARTED_LOG;
    double each = rough ? 1.2 : 1.03; /* two vectors for one want more registers */
    if (clsm_has(p, CLSM_DY))
        each = clsm_variants[config->variant].row_per_lane ? 1 : exact ? 1.25 : 1.1;
    return cycles * (width > native ? each * width / native : 1);
}

/* Of a vector whose lanes are rows, or neighbours along an axis that is not the last. */
static double lanes_used(const struct config *config, const struct problem *p)
{
    double width = clsm_config_value(config, "VEC", 1), inner = (double)p->inner;
    if (!clsm_variants[config->variant].any_axis || inner < 1)
        return width;
    return inner / ceil(inner / width);
}

static double row_cycles(const struct config *config, const struct problem *p,
                         const struct traits *t)
{
    double width = clsm_config_value(config, "VEC", 1);
    double step = step_cycles(config, p, t);
    double reduce = 2 * log2(width) * LANE_CYCLES;
    if (clsm_variants[config->variant].row_per_lane)
        return ((double)p->cols * step + 3 * NEAR_CYCLES) / lanes_used(config, p);
    if (clsm_variants[config->variant].exact_cols) {
        if ((double)p->cols > MOST_UNROLLED * fmax(t->vector_width, LEAST_LANES))
            step *= UNROLLED;
        return ceil((double)p->cols / width) * step + reduce / 2 + NEAR_CYCLES;
    }
    return ceil((double)p->cols / width) * step + reduce + SETTLE_CYCLES;
}

/* How many of n elements go into a sorted list of the k largest, on average. */
static double listed(double n, double k)
{
    return n <= k ? n : k * (1 + log(n / k));
}

double clsm_topk_cycles(const struct config *config, const struct problem *p,
                        const struct traits *t)
{
    double cols = (double)p->cols, k = (double)p->k;
    double width = clsm_config_value(config, "VEC", 1);
    if (width == 1)
        return cols * ITEM_CYCLES + ITEM_ROW_CYCLES + k * ITEM_PLACE_CYCLES +
               (k > 1 ? LISTED_CYCLES : ONE_LISTED_CYCLES) * listed(cols, k);
    double added = k > 1 ? LANE_LISTED_CYCLES * k / width : ONE_LISTED_CYCLES * width;
    if (k > 1 && width > t->vector_width)
        added *= pow(width / t->vector_width, 2);
    double element = LANE_ELEMENT_CYCLES + VECTOR_CYCLES / width;
    return cols * element + ROW_CYCLES + LANE_ROW_CYCLES * width +
           k * (PLACE_CYCLES + LANE_PLACE_CYCLES * width) +
           added * listed(cols / width, k);
}

double clsm_estimate_runs(const struct config *config, const struct problem *p,
                          const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    size_t rows = (size_t)clsm_problem_likely_rows(p);
    double in = (double)p->cols * (double)clsm_type_bytes(p->x.type);
    double out = (double)p->y.cols * (double)clsm_type_bytes(p->y.type);
    unsigned launches = clsm_config_launches(config, p);
    double units = t->compute_units, launch = launches * LAUNCH_CYCLES;
    if (clsm_has(p, CLSM_DY))
        in += (double)p->cols * (double)clsm_type_bytes(p->dy.type);
    double row = row_cycles(config, p, t), turns;
    if (v->launches) {
        struct problem known = *p;
        known.rows = rows;
        known.inner = 1;
        double parts = (double)clsm_config_parts(config, &known, t);
        turns = ceil((double)rows * parts / units) / parts;
        launch += (double)rows * parts / units * PART_CYCLES;
        in *= clsm_problem_y(p) == CLSM_Y_ROW ? launches : 1;
    } else {
        double runs = (double)clsm_config_runs(config, rows, t);
        turns = ceil(runs / units) * ceil((double)rows / runs);
        turns = fmin(turns, ceil((double)rows / fmin(runs, units)) + 1);
    }
    double busy = fmin((double)rows * (v->launches ? units : 1), units);
    double memory = (double)rows * (in + out) / (CYCLE_BYTES * busy);
    return (launch + clsm_together(turns * row, memory, 0)) / HERTZ;
}
