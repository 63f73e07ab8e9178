/* SPDX-License-Identifier: MIT */
/* What an enqueue takes on a GPU where work-items have softmaxes to themselves, see
 * cl/spatial.cl: neighbours of a middle axis, or rows. */
#include "estimate.h"
#include "shared.h"

#include <math.h>

/* Registers of a work-item, and words; bench/NOTES.md has the measurements that these
 * fit. */
enum {
    REGISTERS = 58,       /* that it needs besides what it holds, */
    WITH_TARGETS = 42,    /* ... or where it has targets, */
    TARGET_REGISTERS = 5, /* and for each of these */
    MOST_REGISTERS = 255,
    LIST_SETS = 8,   /* of lanes that keep a unit busy with lists of rows */
    WIDE_REALS = 64, /* as many 16-bit numbers are held as reals */
    WORD = 4         /* bytes */
};

/* Neighbours, and rows. */
static const struct costs {
    double launch, group; /* cycles, with a wait; of a unit's work-group */
    double sets;          /* of lanes that keep a unit busy */
    /* steps of a work-item and of each of its columns, of a target and one whose loss
     * alone is wanted, of a number that a softmax leaves */
    double item, column, target, loss, number;
    /* how much longer memory is busy with loads of few bytes, and with pieces between
     * softmaxes' ends */
    double narrow, pieces;
    double half;                            /* times, for an element of 2 bytes */
    double element[EFFORTS], sums[EFFORTS]; /* steps of an element, of a softmax */
} costs_of[] = {
    {.launch = 6840,
     .sets = 21,
     .item = 90,
     .column = 7.04,
     .target = 95,
     .loss = 30,
     .narrow = 0.144,
     .pieces = 0.0369,
     .half = 0.61,
     .element = {26.9, 34.3, 40.1, 36, 8.19},
     .sums = {95.5, 3.2, 3.01, 24.9, 72.6}},
    {.launch = 4280,
     .group = 45,
     .sets = 26,
     .target = 28,
     .loss = 7,
     .number = 13,
     .narrow = 0.08,
     .pieces = 0.0052,
     .half = 0.68,
     .element = {98, 27, 85, 96, 33},
     .sums = {32, 92, 189, 15, 83}},
};

/* How much longer memory is busy where nothing else is moved with loads of many bytes,
 * and with numbers of more than two softmaxes, which a work-item writes apart; bytes
 * written for each that is left out of a piece. */
static const double WIDE_COST = 0.233, APART_COST = 0.322, SCATTER = 1.24;

/* Cycles of a unit for a piece of memory that is written to number by number. */
static const double PIECE_CYCLES = 2;

/* With so many numbers of so many softmaxes. */
static double registers(const struct problem *p, double reals, double beside)
{
    double bytes = (double)clsm_type_bytes(p->x.type), words = reals;
    bool numbers = clsm_problem_effort(p) == NUMBERS;
    if (clsm_has(p, CLSM_TARGETS)) {
        words *= numbers ? bytes / WORD : 1;
        words += WITH_TARGETS + TARGET_REGISTERS * beside;
    } else {
        words *= bytes == 2 && beside > 1 && reals > WIDE_REALS ? 3.0 / 4 : 1;
        words += REGISTERS;
    }
    return fmin(MOST_REGISTERS, words);
}

/* Of a softmax, by one of those that a work-item has beside each other. */
static double softmax_steps(const struct config *config, const struct problem *p,
                            const struct traits *t, const struct costs *k)
{
    enum effort effort = clsm_problem_effort(p);
    double beside = clsm_config_beside(config, p);
    bool halves = clsm_type_bytes(p->x.type) == 2;
    double element = k->element[effort] * (halves ? k->half : 1) + clsm_form_steps(p);
    double steps = k->item / beside + k->sums[effort];
    if (clsm_has(p, CLSM_TARGETS))
        steps += effort == NUMBERS ? k->loss : k->target;
    return steps + (double)p->cols * (k->column / beside + element) +
           k->number * clsm_numbers_out(p) + clsm_list_steps(config, p, t);
}

/* Cycles that all rows take which work-items write number by number: a set of lanes
 * touches as many pieces of memory with each. */
static double pieces_cycles(const struct problem *p, const struct traits *t)
{
    double cols = (double)p->cols, bytes = (double)clsm_type_bytes(p->y.type);
    double pieces = fmin(SET_LANES, cols * bytes * SET_LANES / LEAST_BYTES);
    if (p->inner > 1 || clsm_problem_y(p) != CLSM_Y_ROW)
        return 0;
    return clsm_problem_likely_rows(p) / t->compute_units * cols * pieces / SET_LANES *
           PIECE_CYCLES;
}

/* Cycles that memory is busy with all of them. */
static double memory_cycles(const struct config *config, const struct problem *p,
                            const struct traits *t, const struct costs *k)
{
    struct row_bytes row = clsm_row_bytes(p);
    double beside = clsm_config_beside(config, p), rows = clsm_problem_likely_rows(p);
    double bytes = (double)clsm_type_bytes(p->x.type);
    double inner = fmax(1, (double)p->inner);
    double numbers = row.numbers * (1 + APART_COST * fmax(0, beside - 2));
    double load = beside * bytes / WORD; /* words of a work-item */
    bool writes = clsm_problem_effort(p) != NUMBERS || inner == 1;
    double cost = 1 + k->narrow * fmax(0, 1 / load - (writes ? 0.5 : 1)) +
                  (writes ? 0 : WIDE_COST * fmax(0, log2(load)));
    cost *= 1 + k->pieces * fmax(load, 1 / load) *
                    fmax(0, LINE_BYTES / (inner * bytes) - 1);
    double scatter = inner > 1 ? SCATTER * clsm_scatter(p, inner) : 0;
    double moved = (row.in + row.out + numbers) * cost + row.out * scatter;
    return rows * moved / UNIT_BYTES / t->compute_units;
}

double clsm_estimate_items(const struct config *config, const struct problem *p,
                           const struct traits *t)
{
    const struct costs *k = &costs_of[p->inner <= 1];
    double beside = clsm_config_beside(config, p), units = t->compute_units;
    double rows = clsm_problem_likely_rows(p), wg = (double)clsm_config_wg(config);
    double sets = ceil(rows / beside / SET_LANES);
    bool all;
    double reals = clsm_config_hold(config, p, &all) * beside;
    reals *= clsm_has(p, CLSM_DY) ? 2 : 1;
    double there = UNIT_REGISTERS / SET_LANES / registers(p, reals, beside);
    there = fmin(there, ceil(sets / units));
    double work =
        rows * softmax_steps(config, p, t, k) / UNIT_LANES / fmin(units, sets);
    bool lists = clsm_problem_y(p) == CLSM_Y_K && p->inner <= 1;
    work *= fmax(1, (lists ? LIST_SETS : k->sets) / there);
    double launching = sets * SET_LANES / wg / units * k->group;
    double memory = fmax(memory_cycles(config, p, t, k), pieces_cycles(p, t));
    return (k->launch + clsm_together(work, memory, launching)) / HERTZ;
}
