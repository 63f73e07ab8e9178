/* SPDX-License-Identifier: MIT */
/* What an enqueue takes on a GPU where work-items loop over rows in memory. */
#include "estimate.h"

#include <math.h>

/* Rough, but they rank as bench/NOTES.md has measured them. */
enum {
    FORM_STEPS = 25, /* of one work-item, more for an element in one pass */
    ITEM_ROW_STEPS = 145,
    ITEM_TARGET_STEPS = 57,
    ITEM_START_CYCLES = 1020
};

/* Without a list of the largest, and with one: fitted apart, as they rank among other
 * mappings in other ways. */
static const struct costs {
    double element; /* steps of one work-item, in one pass */
    double barrier; /* steps */
    double latency; /* of a load, cycles */
    double pass;    /* cycles, before a pass over a row is under way */
    double start;
    double many;  /* work-items that keep a unit busy */
    double cache; /* bytes, a unit's share of the last-level one */
} costs_of[] = {
    {25, 30, 395, 2000, 5400, 768, 250000},
    {24, 98, 74, 0, 5232, 737, 10147},
};

/* Bytes moved for each byte of rows that work-items have to themselves: the longer the
 * rows, the fewer pieces of memory the caches keep until they were used up. */
static const double SCATTERED = 2.9, SCATTERED_BYTE = 0.1;

/* Cycles for one row: work in work-item steps, over the lanes that step at once. */
static double row_cycles(const struct config *config, const struct problem *p,
                         const struct traits *t, const struct costs *k)
{
    const struct variant *v = &clsm_variants[config->variant];
    double wg = (double)clsm_config_wg(config),
           workers = clsm_config_workers(config, t);
    double block = clsm_config_value(config, PARAM_BLOCK, 1), reduce = 0;
    double steps = ceil((double)p->cols / workers / block) * block *
                   (clsm_config_reads(config, p) + 1);
    steps *= v->geometry == ROW_RUN_PER_ITEM ? workers : 1; /* vectors are loops here */
    if (v->geometry == ROW_PER_LANES) /* as much by itself, where nothing is reduced */
        reduce = 4 * log2(workers) * 4;
    else if (clsm_problem_effort(p) == WRITES)
        reduce = 0;
    else if (v->geometry == ROW_PER_ITEM)
        reduce = ITEM_ROW_STEPS + (clsm_has(p, CLSM_TARGETS) ? ITEM_TARGET_STEPS : 0);
    else if (v->geometry == ROW_PER_GROUP)
        reduce = clsm_group_steps(config, t, k->barrier);
    double idle = wg < SET_LANES ? SET_LANES / wg : 1;
    double element = k->element + (clsm_problem_has_forms(p) ? FORM_STEPS : 0);
    return workers * idle * (steps * element + reduce + clsm_list_steps(config, p, t)) /
           UNIT_LANES;
}

double clsm_estimate_loops(const struct config *config, const struct problem *p,
                           const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    bool lists = clsm_problem_y(p) == CLSM_Y_K;
    const struct costs *k = &costs_of[lists];
    bool item = v->geometry == ROW_PER_ITEM;
    double rows = clsm_problem_likely_rows(p), units = t->compute_units;
    double wg = (double)clsm_config_wg(config), reads = clsm_config_reads(config, p);
    double per_group = (double)clsm_config_rows_per_group(config, p, t);
    double groups = fmax(1, ceil(rows / per_group)), busy = fmin(groups, units);
    double most = ceil(groups / units); /* groups on one unit */

    /* Later reads come from the cache while the rows in flight fit there. */
    struct row_bytes row = clsm_row_bytes(p);
    double in_flight = UNIT_ITEMS / wg;
    double again = in_flight * row.in <= k->cache ? 0.1 : 1;
    double bytes = row.in * (1 + again * (reads - 1)) + row.out + row.numbers;
    if (item)
        bytes *= fmin(SCATTERED + SCATTERED_BYTE * row.in,
                      LEAST_BYTES / (double)clsm_type_bytes(p->x.type));

    double work = row_cycles(config, p, t, k) * fmax(1, k->many / (most * wg));
    work *= most * fmin(per_group, rows);
    double throughput = fmax(work, bytes / UNIT_BYTES * rows / busy);
    /* One group alone waits for each of its loads; others hide that only if there are.
     */
    double at_once = clsm_config_value(config, PARAM_BLOCK, 2);
    double waits = ceil((double)p->cols / clsm_config_workers(config, t) / at_once);
    double waves = ceil(groups / (units * in_flight));
    double waiting =
        waves * (reads * waits * k->latency + clsm_list_cycles(config, p, t));
    double start = reads * k->pass + (item ? ITEM_START_CYCLES : k->start);
    /* an element that enters a list holds up what comes behind it */
    double all = lists ? throughput + waiting : fmax(throughput, waiting);
    return (KERNEL_CYCLES + start + all) / HERTZ;
}
