/* SPDX-License-Identifier: MIT */
/* What an enqueue takes where work-groups of a GPU have blocks of short rows. */
#include "estimate.h"

#include <math.h>

/* bench/NOTES.md has the measurements that these fit. */
enum {
    UNIT_LANES = 128,  /* that step at once */
    UNIT_BYTES = 18,   /* from and to memory in a cycle */
    UNIT_ITEMS = 2048, /* at most, at a time */
    LAUNCH_CYCLES = 5000,
    STAGE_CYCLES = 2500,   /* to local memory and back */
    TURN_CYCLES = 250,     /* of a worker's rows, one after the other */
    OPERAND_CYCLES = 400,  /* more, with numbers of a row's own to be read */
    PACKED_STEPS = 300,    /* of a target, where a work-item has several rows at once */
    ROW_STEPS = 55,        /* of a work-item for each row ... */
    SUM_STEPS = 120,       /* ... of which a sum is wanted to the last digit, */
    SUM_ELEMENT_STEPS = 25 /* and for each of its elements */
};

static double bytes_in(const struct problem *p)
{
    double in = (double)p->cols * (double)clsm_type_bytes(p->x.type);
    if (clsm_has(p, CLSM_DY))
        in += (double)p->cols * (double)clsm_type_bytes(p->dy.type);
    return in;
}

/* What the next of a worker's rows waits for. */
static double operand_cycles(const struct problem *p)
{
    bool numbers = clsm_has(p, CLSM_FROM_MAX) || clsm_has(p, CLSM_TEMPERATURE);
    return (numbers ? OPERAND_CYCLES : 0) +
           (clsm_has(p, CLSM_TARGETS) ? TARGET_CYCLES : 0);
}

double clsm_estimate_blocks(const struct config *config, const struct problem *p,
                            const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    bool writes_row = clsm_problem_y(p) == CLSM_Y_ROW;
    double rows = clsm_problem_likely_rows(p), in = bytes_in(p);
    double out = (double)p->y.cols * (double)clsm_type_bytes(p->y.type);
    double units = t->compute_units, workers = clsm_config_workers(config, t);
    double per_group = (double)clsm_config_rows_per_group(config, p, t);
    double groups = ceil(rows / per_group), wg = (double)clsm_config_wg(config);
    double turns = per_group * workers / wg, busy = fmax(1, fmin(groups, units));
    double resident = floor(clsm_unit_local_bytes(t) / (per_group * in));
    resident = fmax(1, fmin(resident, UNIT_ITEMS / wg));

    double each = ceil((double)p->cols / workers), element = clsm_element_steps(p);
    if (!writes_row)
        element = fmax(SUM_ELEMENT_STEPS, element);
    double steps = (writes_row ? ROW_STEPS : SUM_STEPS) + each * element;
    double memory = rows * (in + out) / (UNIT_BYTES * units);
    double work = rows * workers * steps / UNIT_LANES / busy;
    if (v->whole_packs) { /* straight from memory to memory */
        double alone = 2 * WAIT_CYCLES + turns * operand_cycles(p);
        double waiting = (ceil(groups / (units * resident)) - 1) * alone;
        double more = clsm_has(p, CLSM_TARGETS) ? PACKED_STEPS : 0;
        work = work / 2 + rows * more / UNIT_LANES / busy;
        double all = alone + clsm_together(memory, work, waiting);
        return (LAUNCH_CYCLES + all) / 1.75e9;
    }

    /* registers for more than that, halves at odd places one by one, and work-items
     * that meet in one bank */
    bool halves = clsm_type_bytes(p->x.type) == 2;
    double most = halves && p->cols % 2 == 0 ? 50 : 32;
    memory *= (each > most ? 1 + (each - most) / 60 : 1) / 0.93;
    if (workers == 1 && p->cols * clsm_type_bytes(p->x.type) % 64 == 0)
        memory *= 1.4;
    double turn = TURN_CYCLES + operand_cycles(p);
    double waiting = ceil(groups / (units * 4)) * (WAIT_CYCLES + 1000) +
                     ceil(groups / (units * resident)) * turn * turns;
    double alone = WAIT_CYCLES + STAGE_CYCLES + each * clsm_element_steps(p) / 4;
    return (LAUNCH_CYCLES + alone + clsm_together(work, memory, waiting)) / 1.75e9;
}
