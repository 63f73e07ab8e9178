/* SPDX-License-Identifier: MIT */
/*
 * What an enqueue takes: count the bytes and the steps, ask which of the two a device
 * is busy with, and add what a reduction costs. One estimate for mappings that loop
 * over a row in memory, one for those that hold packs of it in registers on a GPU.
 */
#include "estimate.h"

#include <math.h>

/* What steps cost on one compute unit, in cycles. Rough, but they rank as
 * bench/NOTES.md has measured. */
struct costs {
    double lanes;       /* work-items that step at once */
    double together;    /* work-items that step as one, whether they are there or not */
    double resident;    /* work-items that fit on a unit */
    double element;     /* one element in one pass, one work-item */
    double forms;       /* more, where a logit is more than x */
    double barrier;     /* one barrier, for one work-item */
    double latency;     /* of a load from memory, cycles */
    double bytes;       /* from memory in a cycle */
    double cache_bytes; /* a unit's share of the last-level cache */
    double launch;      /* cycles */
    double filled;      /* work-items that keep a unit busy */
    double pass;        /* cycles, before a pass over a row is under way */
    double scattered; /* bytes fetched for each byte when work-items are a row apart */
    double row;       /* steps of one work-item for each row of its own */
};

static const struct costs gpu = {128, 32,    2048, 25,  25,   30, 700,
                                 18,  400e3, 5000, 768, 2000, 6,  80};
static const struct costs cpu = {1, 1, 1, 14, 0, 60, 0, 8, 1e6, 20000, 1, 0, 1, 0};

/* Each barrier splits a CPU's loop over work-items: times what one takes by itself. */
static const double BARRIERS_COST = 4;

/* Cycles for one softmax: work in work-item steps, over the lanes that step at once. */
static double row_cycles(const struct config *config, const struct problem *p,
                         const struct traits *t, const struct costs *k)
{
    const struct variant *v = &clsm_variants[config->variant];
    bool by_item = v->geometry == ROW_PER_ITEM || v->geometry == ROW_RUN_PER_ITEM;
    if (t->bits & TRAIT_CPU && clsm_problem_y(p) == CLSM_Y_K && !p->strided)
        return clsm_topk_cycles(config, p) * (by_item ? 1 : BARRIERS_COST);
    double cols = (double)p->cols, wg = (double)clsm_config_wg(config);
    double width = clsm_config_value(config, "VEC", 1);
    double workers = clsm_config_workers(config, t) / width;
    double native = t->vector_width;
    /* A vector wider than the device's is several, whose additions overlap. */
    double vector_cost = width > native ? width / native * 0.8 : 1;
    double steps = ceil(cols / (workers * width)) * vector_cost *
                   (clsm_config_reads(config, p, t) + 1);
    double reduce = v->geometry == ROW_PER_ITEM ? k->row : 0;
    if (clsm_config_tile(config) > 1)
        reduce = 2 * (log2(workers) / 2 + 2) * k->barrier;
    else if (v->geometry == ROW_PER_GROUP)
        reduce = clsm_variant_uses_lanes(v, t)
                     ? 4 * k->barrier + 2 * 5 * 8 + 2 * 6 * wg / t->lanes
                     : 2 * (log2(wg) + 2) * k->barrier;
    else if (v->geometry == ROW_PER_LANES || v->geometry == ROW_PER_CLUSTER)
        reduce = 4 * log2(workers) * 4;
    else if (v->geometry == ROWS_PER_GROUP)
        reduce = 4 * log2(workers) * 4 + 3 * k->barrier;
    double idle = wg < k->together ? k->together / wg : 1;
    double element = k->element + (clsm_problem_has_forms(p) ? k->forms : 0);
    return workers * idle * (steps * element + reduce) / k->lanes;
}

static double estimate_looped(const struct config *config, const struct problem *p,
                              const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    const struct costs *k = t->bits & TRAIT_CPU ? &cpu : &gpu;
    double rows = clsm_problem_likely_rows(p);
    double in = (double)p->cols * (double)clsm_type_bytes(p->x.type);
    double out = (double)p->y.cols * (double)clsm_type_bytes(p->y.type);
    double reads = clsm_config_reads(config, p, t);
    if (clsm_has(p, CLSM_DY))
        in += (double)p->cols * (double)clsm_type_bytes(p->dy.type);
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

    double work = row_cycles(config, p, t, k), memory = bytes / k->bytes;
    double there = ceil(groups / units) * (double)clsm_config_wg(config);
    work *= fmax(1, k->filled / there);
    double throughput = (work > memory ? work : memory) * rows / busy;
    /* One group alone waits for each of its loads; others hide that only if there are.
     */
    double at_once = clsm_config_value(config, "BLOCK", 2);
    double waits = ceil((double)p->cols / clsm_config_workers(config, t) / at_once);
    double waves = ceil(groups / (units * in_flight));
    double waiting = waves * reads * waits * k->latency;
    double launch = k->launch * (v->launches ? v->launches : 1);
    launch += reads * k->pass;
    return (launch + (throughput > waiting ? throughput : waiting)) / 1.75e9;
}

/* For what is held: bench/NOTES.md has the measurements that these fit. */
enum {
    REGISTERS = 65536,    /* of a unit */
    OTHER_REGISTERS = 32, /* that a work-item needs besides what it holds */
    ROW_STEPS = 190,      /* of a work-item for each row, with barriers ... */
    CLUSTER_STEPS = 100,  /* ... and without, */
    PART_STEPS = 650,     /* or for each part, with tickets and all the others' sums */
    QUEUE_CYCLES = 3200,  /* that others make each wait for its turn */
    RAGGED_BYTES = 200,
    PEAK_BYTES = 60, /* in a cycle, for a unit that others leave alone */
    TICKET_CYCLES = 2500,
    JOIN_CYCLES = 8800, /* until all parts of a row have seen each other */
    LATE_CYCLES = 3000, /* of each round of parts that wait for each other, ... */
    LATE_PART = 150,    /* ... for each part, ... */
    LATE_MASK = 4000,   /* ... and with masks to be read first */
    MASK_WORDS = 16     /* that leave registers for masks */
};

double clsm_element_steps(const struct problem *p)
{
    bool row = clsm_problem_y(p) == CLSM_Y_ROW;
    double steps = clsm_problem_is_f64(p)            ? 100
                   : clsm_type_bytes(p->x.type) == 2 ? (row ? 17 : 9)
                                                     : 25;
    return steps + (clsm_has(p, CLSM_DY) ? 6 : 0) +
           (clsm_problem_holds_logits(p) ? 8
            : clsm_problem_has_forms(p)  ? 3
                                         : 0) +
           (clsm_problem_y(p) == CLSM_Y_K ? 60 : 0);
}

double clsm_together(double a, double b, double c)
{
    return pow(pow(a, 8) + pow(b, 8) + pow(c, 8), 1.0 / 8);
}

double clsm_unit_local_bytes(const struct traits *t)
{
    return (double)t->local_bytes * (t->bits & TRAIT_PTX ? 4 : 1);
}

/* What local memory costs against registers; what is left of waiting where the next
 * part comes meanwhile. */
static const double STOCK_COST = 1.02, AHEAD_WAITS = 0.5;
/* Masks that do not stand as x does, one by one; others beside many packs. */
static const double GATHER_COST = 1.3, MASK_COST = 1.1;

static double estimate_held(const struct config *config, const struct problem *p,
                            const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    bool barriers = v->geometry != ROW_PER_CLUSTER;
    double rows = clsm_problem_likely_rows(p);
    double in = (double)p->cols * (double)clsm_type_bytes(p->x.type);
    double out = (double)p->y.cols * (double)clsm_type_bytes(p->y.type);
    if (clsm_has(p, CLSM_DY))
        in += (double)p->cols * (double)clsm_type_bytes(p->dy.type);
    double wg = (double)clsm_config_wg(config), units = t->compute_units;
    double parts = (double)clsm_config_parts(config, p, t);
    double per_group = (double)clsm_config_rows_per_group(config, p, t);
    double groups = fmax(1, ceil(rows / per_group)) * parts;
    double workers = clsm_config_workers(config, t) * parts;
    double elements = (double)p->cols / workers * clsm_element_steps(p);
    double words = clsm_config_held_words(config, p, t);
    /* nobody limits the registers of clusters */
    double registers = barriers ? words + OTHER_REGISTERS : 2 * words + 40;
    double resident = floor(REGISTERS / (registers * wg));
    resident = fmin(resident, 2048 / wg);
    size_t stock = clsm_config_stock_bytes(config, p, t);
    if (stock)
        resident = fmin(resident, floor(clsm_unit_local_bytes(t) /
                                        (double)(stock + 16 * (size_t)wg)));
    resident = fmax(1, resident);
    double busy = fmin(groups, units), launches = v->launches == 2 ? 2 : 1;

    /* the second reading of long rows comes from the cache in part */
    double again = clsm_config_reads(config, p, t) > 1 && !v->packs
                       ? (v->launches == 2 ? 1.4 : 0.75)
                       : 0;
    /* a row that starts or ends within 16 bytes shares pieces of memory with others */
    bool ragged = p->cols * clsm_type_bytes(p->x.type) % 16 != 0;
    double extra = ragged ? RAGGED_BYTES : 0;
    double memory = rows * (in * (1 + again) + out + extra) / (gpu.bytes * units);
    memory *= stock ? STOCK_COST : 1;
    bool crowded = stock || (clsm_type_bytes(p->x.type) > 2 && words > MASK_WORDS);
    if (clsm_has(p, CLSM_MASK) && barriers && crowded && !v->ahead)
        memory *= stock && ragged ? GATHER_COST : MASK_COST;
    double row_steps = v->ahead ? PART_STEPS : barriers ? ROW_STEPS : CLUSTER_STEPS;
    double steps = row_steps + elements * (1 + again / 2);
    double there = fmin(ceil(groups / units), resident) * wg;
    double work = groups * wg * steps / gpu.lanes / busy * fmax(1, gpu.filled / there);
    double most = clsm_config_value(config, "PACKS", 0) * 16.0 /
                  (double)clsm_type_bytes(p->x.type) * clsm_element_steps(p);
    double chunks = most > 0 ? fmax(1, ceil(elements / most)) : 1;
    /* one work-group by itself, and what others make it wait for its turn */
    double bytes = (in + out) * fmin(rows, per_group) / parts / chunks;
    double alone = WAIT_CYCLES + 4 * row_steps + bytes / PEAK_BYTES +
                   wg * (row_steps + elements / chunks) / gpu.lanes;
    double queue = QUEUE_CYCLES;
    bool waits = v->geometry == ROW_PER_GROUPS && v->packs;
    bool joins =
        waits && clsm_problem_y(p) == CLSM_Y_ROW && !clsm_has(p, CLSM_FROM_MAX);
    if (waits)
        alone += TICKET_CYCLES;
    if (clsm_has(p, CLSM_TARGETS))
        alone += TARGET_CYCLES;
    if (joins) {
        alone += JOIN_CYCLES / 4 + 20 * parts;
        queue += v->ahead ? 0 : JOIN_CYCLES * 3 / 4; /* over before it begins */
    }
    double turns = ceil(groups / (units * resident)) * chunks * launches;
    double waiting = (turns - 1) * (alone + queue) * (v->ahead ? AHEAD_WAITS : 1);
    /* work-groups that wait do so in step, and memory with them */
    double late = LATE_CYCLES + LATE_PART * parts;
    late += clsm_has(p, CLSM_MASK) ? LATE_MASK : 0;
    late *= joins && !v->ahead ? turns - 1 : 0;
    return (launches * gpu.launch + alone + late +
            clsm_together(work, memory, waiting)) /
           1.75e9;
}

double clsm_estimate(const struct config *config, const struct problem *p,
                     const struct traits *t)
{
    if (clsm_variants[config->variant].pipelined)
        return clsm_estimate_runs(config, p, t);
    if (clsm_variants[config->variant].geometry == ROWS_PER_GROUP &&
        !(t->bits & TRAIT_CPU))
        return clsm_estimate_blocks(config, p, t);
    if (clsm_config_tile(config) > 1 && !(t->bits & TRAIT_CPU))
        return clsm_estimate_tiles(config, p, t);
    bool held = clsm_config_held_words(config, p, t) && !(t->bits & TRAIT_CPU);
    return held ? estimate_held(config, p, t) : estimate_looped(config, p, t);
}
