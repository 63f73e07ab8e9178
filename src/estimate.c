/* SPDX-License-Identifier: MIT */
/*
 * What an enqueue takes: count the bytes and the steps, ask which of the two a device
 * is busy with, and add what a reduction costs. Here for mappings that loop over a row
 * in memory, on CPUs, and on GPUs for `item` along axes whose elements are not
 * neighbours; each other kind of mapping of a GPU has an estimate of its own.
 */
#include "estimate.h"

#include <math.h>

/* What steps cost on one compute unit, in cycles. Rough, but they rank as
 * bench/NOTES.md has measured. */
struct costs {
    double lanes;       /* work-items that step at once */
    double resident;    /* work-items that fit on a unit */
    double element;     /* one element in one pass, one work-item */
    double forms;       /* more, where a logit is more than x */
    double barrier;     /* one barrier, for one work-item */
    double latency;     /* of a load from memory, cycles */
    double bytes;       /* from memory in a cycle */
    double cache_bytes; /* a unit's share of the last-level cache */
    double launch;      /* cycles; on a CPU for each unit, which wakes */
    double filled;      /* work-items that keep a unit busy */
    double pass;        /* cycles, before a pass over a row is under way */
    double scattered; /* bytes fetched for each byte when work-items are a row apart */
    double row;       /* steps of one work-item for each row of its own */
};

static const struct costs gpu = {.lanes = UNIT_LANES,
                                 .resident = UNIT_ITEMS,
                                 .element = 25,
                                 .forms = 25,
                                 .latency = 700,
                                 .bytes = 11,
                                 .cache_bytes = 400e3,
                                 .launch = 5000,
                                 .filled = 768,
                                 .pass = 2000,
                                 .scattered = 6,
                                 .row = 80};
static const struct costs cpu = {.lanes = 1,
                                 .resident = 1,
                                 .element = 14,
                                 .barrier = 60,
                                 .bytes = 8,
                                 .cache_bytes = 1e6,
                                 .launch = WAKE_CYCLES,
                                 .filled = 1,
                                 .scattered = 1};

/* Bytes written for each that is left out of a piece that memory moves. */
static const double SCATTER = 2.4;

/* Each barrier splits a CPU's loop over work-items: times what one takes by itself, and
 * cycles of each work-item of a row's work-group, whether it has elements or not. */
static const double BARRIERS_COST = 4, LIST_ITEM_CYCLES = 110;

/* Cycles for one softmax: work in work-item steps, over the lanes that step at once. */
static double row_cycles(const struct config *config, const struct problem *p,
                         const struct traits *t, const struct costs *k)
{
    const struct variant *v = &clsm_variants[config->variant];
    bool by_item = v->geometry == ROW_PER_ITEM || v->geometry == ROW_RUN_PER_ITEM;
    double cols = (double)p->cols, wg = (double)clsm_config_wg(config);
    if (t->bits & TRAIT_CPU && clsm_problem_y(p) == CLSM_Y_K && !p->strided) {
        double list = clsm_topk_cycles(config, p, t);
        return by_item ? list : list * BARRIERS_COST + wg * LIST_ITEM_CYCLES;
    }
    double width = clsm_config_value(config, PARAM_VEC, 1);
    double workers = clsm_config_workers(config, t) / width;
    double native = t->vector_width;
    /* A vector wider than the device's is several, whose additions overlap. */
    double vector_cost = width > native ? width / native * 0.8 : 1;
    double steps = ceil(cols / (workers * width)) * vector_cost *
                   (clsm_config_reads(config, p) + 1);
    double reduce = v->geometry == ROW_PER_ITEM ? k->row : 0;
    if (clsm_config_tile(config) > 1)
        reduce = 2 * (log2(workers) / 2 + 2) * k->barrier;
    else if (v->geometry == ROW_PER_GROUP)
        reduce = clsm_group_steps(config, t, k->barrier);
    else if (v->geometry == ROW_PER_LANES || v->geometry == ROW_PER_CLUSTER)
        reduce = 4 * log2(workers) * 4;
    else if (v->geometry == ROWS_PER_GROUP)
        reduce = 4 * log2(workers) * 4 + 3 * k->barrier;
    double element = k->element + (clsm_problem_has_forms(p) ? k->forms : 0);
    return workers * (steps * element + reduce) / k->lanes;
}

static double estimate_looped(const struct config *config, const struct problem *p,
                              const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    const struct costs *k = t->bits & TRAIT_CPU ? &cpu : &gpu;
    double rows = clsm_problem_likely_rows(p);
    struct row_bytes row = clsm_row_bytes(p);
    double in = row.in, out = row.out, reads = clsm_config_reads(config, p);
    double units = t->compute_units;
    double per_group = (double)clsm_config_rows_per_group(config, p, t);
    double groups = fmax(1, ceil(rows / per_group));
    if (clsm_config_tile(config) > 1)
        groups *= (double)clsm_config_parts(config, p, t);
    double busy = groups < units ? groups : units;

    /* Later reads come from the cache while the rows in flight fit there. */
    double in_flight = k->resident / (double)clsm_config_wg(config);
    double rows_in_flight = in_flight * (p->strided ? per_group : 1);
    double again = rows_in_flight * in <= k->cache_bytes ? 0.1 : 1;
    double bytes = in * (1 + again * (reads - 1)) + out;
    if (v->geometry == ROW_PER_ITEM && p->inner == 1)
        bytes *= fmin(2.5 + ((double)p->cols - 1) * 0.4, k->scattered);
    else if (v->geometry == ROW_PER_ITEM && !(t->bits & TRAIT_CPU))
        bytes += out * SCATTER * clsm_scatter(p, (double)p->inner);
    double work = row_cycles(config, p, t, k), memory = bytes / k->bytes;
    double there = ceil(groups / units) * (double)clsm_config_wg(config);
    work *= fmax(1, k->filled / there);
    double throughput = (work > memory ? work : memory) * rows / busy;
    /* One group alone waits for each of its loads; others hide that only if there are.
     */
    double at_once = clsm_config_value(config, PARAM_BLOCK, 2);
    double waits = ceil((double)p->cols / clsm_config_workers(config, t) / at_once);
    double waves = ceil(groups / (units * in_flight));
    double waiting = waves * reads * waits * k->latency;
    double woken = t->bits & TRAIT_CPU ? units : 1;
    double launch = woken * k->launch * clsm_config_launches(config, p);
    launch += reads * k->pass;
    return (launch + (throughput > waiting ? throughput : waiting)) / HERTZ;
}

double clsm_estimate(const struct config *config, const struct problem *p,
                     const struct traits *t)
{
    enum geometry geometry = clsm_variants[config->variant].geometry;
    bool wide = t->bits & TRAIT_CPU && geometry == ROW_RUN_PER_ITEM && !p->strided &&
                clsm_problem_y(p) != CLSM_Y_K;
    if (clsm_variants[config->variant].pipelined || wide)
        return clsm_estimate_runs(config, p, t);
    if (t->bits & TRAIT_CPU)
        return estimate_looped(config, p, t);
    if (geometry == ROWS_PER_GROUP)
        return clsm_estimate_blocks(config, p, t);
    if (geometry == ROWS_PER_ITEM)
        return clsm_estimate_items(config, p, t);
    if (clsm_config_tile(config) > 1)
        return clsm_estimate_tiles(config, p, t);
    if (clsm_config_held_words(config, p, t))
        return clsm_estimate_held(config, p, t);
    return p->strided ? estimate_looped(config, p, t)
                      : clsm_estimate_loops(config, p, t);
}
