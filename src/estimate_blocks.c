/* SPDX-License-Identifier: MIT */
/* What an enqueue takes where work-groups of a GPU have blocks of short rows. */
#include "estimate.h"

#include <math.h>

/* Fitted together, as in estimate_held.c. */
enum {
    WAIT = 98,            /* from a load to its use */
    MANY_GROUPS = 11,     /* of a unit keep it busy, */
    LIST_GROUPS = 6,      /* or fewer, with lists; */
    ROUND_GROUPS = 6,     /* are under way at a time, as far as they have room; */
    ROUND_CYCLES = 354,   /* more for each round of these, */
    STAGE_CYCLES = 138,   /* to local memory and back, */
    TURN_CYCLES = 272,    /* of a worker's rows, one after the other; */
    OPERAND_CYCLES = 132, /* more, with numbers of a row's own to be read, */
    TARGET_CYCLES = 232,  /* or with a target, and the logit there */
    ROW_STEPS_TARGET = 126,
    ROW_STEPS_MASK = 40, /* more for a row with a mask of its own */
    TARGET_STEPS = 4,    /* of an element that may be the target, */
    HALF_STEPS = 1,      /* of one that stands at an odd place, */
    MASK_STEPS = 22,     /* of one with a mask, */
    CHUNK_STEPS = 12,    /* of 16 bytes to local memory or back */
    MOST_EVEN = 50,      /* elements that registers have room for */
    MOST_ELEMENTS = 45,
    SPILL_ELEMENTS = 27,
    /* a block of x and dy, of which 16 crowd out a unit's cache */
    CROWDED_BYTES = 11264
};

/* Steps of a work-item, by the effort: for a row, for each doubling of those who share
 * it, and for an element of 4 and of 2 bytes. */
static const struct {
    double row, level, element, half;
} steps_of[EFFORTS] = {
    [WRITES] = {260, 0, 26, 10},     [SUMS] = {31, 29, 35, 27},
    [NORMALISES] = {67, 25, 27, 16}, [LOGARITHM] = {100, 30, 17, 11},
    [NUMBERS] = {70, 36, 15, 12},
};

/* Memory is busy for longer: borders of blocks; work-items that meet in one bank. */
static const double BORDERS = 1.02, BANKS = 1.6, CROWDED = 1.05;

/* Where each work-item takes 16 bytes, which are several whole rows. */
enum {
    PACKED_WAIT = 1570,
    PACKED_ROW_STEPS = 61,
    PACKED_STEPS = 7,        /* of an element, */
    PACKED_TARGET_STEPS = 77 /* of a target */
};
/* Cycles of a number beside a row: the lanes' numbers lie as many rows apart as a pack
 * has, and one load or store touches as many pieces of memory. */
static const double NUMBER_OUT = 0.24, NUMBER_IN = 0.005;

static double operand_cycles(const struct problem *p)
{
    return (clsm_numbers_in(p) ? OPERAND_CYCLES : 0) +
           (clsm_has(p, CLSM_TARGETS) ? TARGET_CYCLES : 0);
}

static double element_steps(const struct problem *p)
{
    enum effort effort = clsm_problem_effort(p);
    bool halves = clsm_type_bytes(p->x.type) == 2;
    if (clsm_problem_is_f64(p))
        return 100;
    double steps = halves ? steps_of[effort].half : steps_of[effort].element;
    if (clsm_problem_is_loss_gradient(p))
        steps += TARGET_STEPS;
    if (halves && p->cols % 2)
        steps += HALF_STEPS;
    return steps + (clsm_has(p, CLSM_MASK) ? MASK_STEPS : clsm_form_steps(p));
}

/* Straight from memory to memory. */
static double packed_cycles(const struct problem *p, double memory, double busy,
                            double turns, double rounds)
{
    double rows = clsm_problem_likely_rows(p), cols = (double)p->cols;
    double in_pack = PACK_BYTES / (double)clsm_type_bytes(p->x.type) / cols;
    double numbers = clsm_numbers_out(p) * NUMBER_OUT + clsm_numbers_in(p) * NUMBER_IN;
    double alone = PACKED_WAIT + turns * operand_cycles(p);
    double steps = PACKED_ROW_STEPS + cols * PACKED_STEPS;
    steps += clsm_has(p, CLSM_TARGETS) ? PACKED_TARGET_STEPS : 0;
    double work = rows * steps / UNIT_LANES / busy;
    memory += rows * in_pack * numbers / busy;
    return alone + clsm_together(memory, work, (rounds - 1) * alone);
}

double clsm_estimate_blocks(const struct config *config, const struct problem *p,
                            const struct traits *t)
{
    enum effort effort = clsm_problem_effort(p);
    struct row_bytes bytes = clsm_row_bytes(p);
    double rows = clsm_problem_likely_rows(p), units = t->compute_units;
    double workers = clsm_config_workers(config, t);
    double per_group = (double)clsm_config_rows_per_group(config, p, t);
    double groups = ceil(rows / per_group), wg = (double)clsm_config_wg(config);
    double turns = per_group * workers / wg, busy = fmax(1, fmin(groups, units));
    double resident = floor(clsm_unit_local_bytes(t) / (per_group * bytes.in));
    resident = fmax(1, fmin(resident, UNIT_ITEMS / wg));
    double rounds = ceil(groups / (units * resident));
    double memory =
        rows * (bytes.in + bytes.out + bytes.numbers) / (UNIT_BYTES * units);
    if (clsm_variants[config->variant].whole_packs)
        return (KERNEL_CYCLES + packed_cycles(p, memory, busy, turns, rounds)) / HERTZ;

    double each = ceil((double)p->cols / workers), element = element_steps(p);
    double steps = steps_of[effort].row + steps_of[effort].level * log2(workers) +
                   each * element + clsm_list_steps(config, p, t);
    steps += (clsm_has(p, CLSM_TARGETS) ? ROW_STEPS_TARGET : 0) +
             (clsm_problem_has_own_masks(p) ? ROW_STEPS_MASK : 0);
    double chunks = (bytes.in + (effort == NUMBERS ? 0 : bytes.out)) / PACK_BYTES;
    double work = rows * (workers * steps + chunks * CHUNK_STEPS) / UNIT_LANES / busy;
    double many = clsm_problem_y(p) == CLSM_Y_K ? LIST_GROUPS : MANY_GROUPS;
    work *= fmax(1, many / fmin(ceil(groups / units), resident));
    bool halves = clsm_type_bytes(p->x.type) == 2;
    double most = halves && p->cols % 2 == 0 ? MOST_EVEN : MOST_ELEMENTS;
    memory *= (each > most ? 1 + (each - most) / SPILL_ELEMENTS : 1) * BORDERS;
    if (workers == 1 && p->cols * clsm_type_bytes(p->x.type) % 64 == 0)
        memory *= BANKS;
    if (clsm_has(p, CLSM_DY) && per_group * bytes.in > CROWDED_BYTES)
        memory *= CROWDED;
    double row = operand_cycles(p) + clsm_list_cycles(config, p, t);
    double waiting =
        ceil(groups / (units * fmin(resident, ROUND_GROUPS))) * (WAIT + ROUND_CYCLES) +
        rounds * turns * (TURN_CYCLES + row);
    double alone = WAIT + STAGE_CYCLES + each * element / 4 + row;
    return (KERNEL_CYCLES + alone + clsm_together(work, memory, waiting)) / HERTZ;
}
