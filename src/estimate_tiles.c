/* SPDX-License-Identifier: MIT */
/* What an enqueue takes on a GPU where work-groups have tiles of neighbouring
 * softmaxes, see cl/tile.cl. */
#include "estimate.h"
#include "shared.h"

#include <math.h>

/* Cycles, and steps of a work-item; bench/NOTES.md has the measurements that these fit.
 */
enum {
    LAUNCH = 4960,
    WAIT = 64,          /* from a load to its use, */
    NEXT_WAIT = 2270,   /* and of each turn after the first */
    REDUCE = 501,       /* a maximum and a sum through local memory */
    ROW_STEPS = 173,    /* for each tile ... */
    AHEAD_STEPS = 1020, /* ... or one that comes ahead, */
    PART_STEPS = 659,   /* or a part that waits for others, */
    TARGET_STEPS = 166, /* and for each target */
    RECORD_BYTES = 16,
    GROUPED_WAIT = 44, /* for each part, where they are many */
    TURN_CYCLES = 241, /* of each part's ticket and record */
    HALF_LINE = LINE_BYTES / 2,
    F64_REGISTERS = 128
};

/* Steps for an element, of which local memory takes some where it comes ahead; to bring
 * a worker's sums together. */
static const struct {
    double element, ahead, sums;
} steps_of[EFFORTS] = {
    [WRITES] = {0, 0, 0},
    [SUMS] = {2.25, 25.3, 100},
    [NORMALISES] = {26.5, 16.9, 58.3},
    [LOGARITHM] = {53.8, 52.4, 109},
    [NUMBERS] = {29, 42.4, 129},
};

/* Of an element, and to bring a worker's sums together, where a tile is held whole and
 * ones stand apart from others, see cl/tile_set.cl. */
static const struct {
    double element, sums;
} apart_of[EFFORTS] = {
    [LOGARITHM] = {36.1, 169},
    [NUMBERS] = {20.4, 86.8},
};
static const double APART_SHORT = 1.06; /* times, if it is less than a line wide */

/* Elements of 2 bytes cost that much of others, and NUMBERS that need no sum to its
 * last digit of those that do; columns of tiles that are shorter than a line or half of
 * one, and the same where they come ahead, with the rest of the line. */
static const double HALF_COST = 0.701, PLAIN_COST = 0.503;
static const double SHORT_COST[] = {1.15, 1.2}, SHORTEST_COST[] = {1.29, 1.5};

/* Bytes written for each that is left out of a piece; a unit's share of memory where
 * others have nothing to do; cycles that a worker, by itself, takes for each step. */
static const double SCATTER = 1.08, MOST_SHARE = 2.19, STEP_CYCLES = 0.0755;

/* Neighbours in a row that a worker finds in the cache, with the one that it reads. */
static const double LIST_NEAR = 2.66;

static const double unit_cache_bytes = 9.25; /* in a cycle */
static const double cache_bytes = 50e6;

/* What memory moves for each byte of a tile's column. */
static double spread(const struct config *config, const struct problem *p)
{
    size_t tile = clsm_config_tile(config), inner = p->inner ? p->inner : 1;
    size_t depth = clsm_config_wg(config) * clsm_config_beside(config, p) / tile;
    /* Where inner is small a group's workers have columns that lie side by side; not so
     * for rows, where other mappings are better, see bench/NOTES.md, but for lists. */
    double row = clsm_problem_y(p) == CLSM_Y_K ? LIST_NEAR : 1;
    size_t side = inner > tile ? tile : inner * depth;
    double width = inner == 1 ? row : (double)side;
    double bytes = width * (double)clsm_type_bytes(p->x.type);
    bool cut = inner > tile && inner % tile;
    bool ahead = clsm_variants[config->variant].ahead;
    double pieces = ceil(bytes / LEAST_BYTES) + (cut ? 1 : 0);
    return pieces * LEAST_BYTES / bytes *
           (bytes < HALF_LINE    ? SHORTEST_COST[ahead]
            : bytes < LINE_BYTES ? SHORT_COST[ahead]
                                 : 1);
}

/* Cycles for each of a unit's work-groups, of which so many take turns at the memory,
 * each for `moving`, and otherwise do not hinder one another. Source: Reiser and
 * Lavenberg, mean value analysis. */
static double cycles_a_group(double moving, double alone, unsigned resident)
{
    double queue = 0, all = 0;
    for (unsigned n = 1; n <= resident; n++) {
        double at_memory = moving * (1 + queue);
        all = (at_memory + alone) / n;
        queue = at_memory / all;
    }
    return all;
}

static double element_steps(double steps, double half, const struct problem *p)
{
    return steps * (clsm_type_bytes(p->x.type) == 2 ? half : 1) + clsm_form_steps(p);
}

/* Do ones stand apart from others in such a tile? */
static bool ones_apart(const struct config *config, const struct problem *p)
{
    bool all;
    unsigned hold = clsm_config_hold(config, p, &all);
    size_t workers = clsm_config_wg(config) * clsm_config_beside(config, p) /
                     clsm_config_tile(config);
    return all && hold * workers <= FEW_HUNDRED && clsm_op_may(p->op) & CLSM_LOGARITHM;
}

double clsm_estimate_tiles(const struct config *config, const struct problem *p,
                           const struct traits *t)
{
    bool all, known = !p->deterministic && p->rows;
    enum effort effort = clsm_problem_effort(p);
    double launches = clsm_config_launches(config, p);
    double rows = clsm_problem_likely_rows(p);
    double tile = clsm_config_tile(config), wg = (double)clsm_config_wg(config);
    double units = t->compute_units;
    bool ahead = clsm_variants[config->variant].ahead; /* in parts by columns alone */
    double parts = known || ahead ? (double)clsm_config_parts(config, p, t) : 1;
    double groups = fmax(1, ceil(rows / tile)) * parts;
    struct row_bytes row = clsm_row_bytes(p);
    double in = row.in, out = row.out + row.numbers;

    /* what is read again comes from the cache as far as that reaches */
    double registers = clsm_tile_registers(config, p);
    double resident = UNIT_REGISTERS / (registers > 0 ? registers : F64_REGISTERS) / wg;
    resident = fmax(1, floor(fmin(resident, UNIT_ITEMS / wg)));
    double there = fmin(ceil(groups / units), resident);
    double under_way = launches > 1 ? rows : fmin(rows, there * units * tile);
    double missed = 1 - 0.4 * fmin(1, cache_bytes / (under_way * (in + out)));
    double reads = clsm_config_reads(config, p);
    double bytes = in * (1 + missed * (reads - 1)) + out;
    double beside = clsm_config_beside(config, p), inner = fmax(1, (double)p->inner);
    double deep = fmax(1, SET_LANES * beside / tile); /* columns of a set of lanes */
    double side_by_side = inner > tile ? tile : inner * deep;
    bytes += row.out * SCATTER * clsm_scatter(p, side_by_side);
    double share = fmin(MOST_SHARE, fmax(1, units / groups));
    double moving = bytes * fmin(rows, tile) / parts / UNIT_BYTES / share;
    moving *= spread(config, p);
    bool joins = ahead && parts > 1 && !clsm_has(p, CLSM_FROM_MAX);
    double part_groups = (double)clsm_tile_part_groups(config, p, t);
    double records = part_groups > 0 ? part_groups + 1 : parts;
    if (joins) /* everybody reads what parts of a tile, or groups of them, have left */
        moving += TURN_CYCLES + records * tile * RECORD_BYTES / unit_cache_bytes;

    double columns = (double)clsm_tile_columns(config, p) / parts;
    double turns = fmax(1, ceil(columns / clsm_config_hold(config, p, &all)));
    bool apart = ones_apart(config, p);
    double each = ahead ? 0 : apart ? apart_of[effort].sums : steps_of[effort].sums;
    each += clsm_has(p, CLSM_TARGETS) ? TARGET_STEPS : 0;
    each *= launches;
    each += clsm_list_steps(config, p, t);
    bool plain = effort == NUMBERS && !(clsm_op_may(p->op) & CLSM_LOGARITHM);
    double element = apart ? apart_of[effort].element : steps_of[effort].element;
    element = ahead ? element_steps(steps_of[effort].ahead, 1, p)
                    : element_steps(element, HALF_COST, p);
    each += columns * (1 + reads) / 2 * element * (plain ? PLAIN_COST : 1);
    double start = joins ? PART_STEPS : ahead ? AHEAD_STEPS : ROW_STEPS;
    double work = wg * (start + beside * each) / UNIT_LANES;
    double wait = ahead && !joins ? 0 : WAIT; /* while the last one is written */
    double alone = launches * (wait + REDUCE) + (turns - 1) * reads * NEXT_WAIT + work;
    alone += STEP_CYCLES * beside * each;
    if (joins && part_groups > 0) /* the last of more of them is waited for longer */
        alone += GROUPED_WAIT * parts;
    if (apart && side_by_side * (double)clsm_type_bytes(p->x.type) < LINE_BYTES) {
        alone *= APART_SHORT;
        work *= APART_SHORT;
        moving *= APART_SHORT;
    }
    double group = fmax(work, cycles_a_group(moving, alone, (unsigned)there));
    double each_units = groups / units; /* the first of these takes the longest */
    each_units = each_units < there ? ceil(each_units) : each_units;
    double others = fmax(0, each_units - 1) * group;
    return (launches * LAUNCH + alone + moving + others) / HERTZ;
}
