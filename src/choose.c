/* SPDX-License-Identifier: MIT */
/*
 * Ranking by an estimate: count the bytes and the steps, ask which of the two a device
 * is busy with, and add what a reduction costs. A record of the tuned table goes first.
 */
#include "choose.h"

#include "status.h"
#include "tuned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What steps cost on one compute unit, in cycles. Rough, but they rank as
 * bench/NOTES.md has measured. */
struct costs {
    double lanes;       /* work-items that step at once */
    double together;    /* work-items that step as one, whether they are there or not */
    double resident;    /* work-items that fit on a unit */
    double element;     /* one element in one pass, one work-item */
    double barrier;     /* one barrier, for one work-item */
    double latency;     /* of a load from memory, cycles */
    double bytes;       /* from memory in a cycle */
    double cache_bytes; /* a unit's share of the last-level cache */
    double launch;      /* cycles */
    double scattered; /* bytes fetched for each byte when work-items are a row apart */
};

static const struct costs gpu = {128, 32, 2048, 14, 30, 700, 18, 400e3, 5000, 6};
static const struct costs cpu = {1, 1, 1, 14, 60, 0, 8, 1e6, 20000, 1};

/* Cycles for one softmax: work in work-item steps, over the lanes that step at once. */
static double row_cycles(const struct config *config, const struct problem *p,
                         const struct traits *t, const struct costs *k)
{
    const struct variant *v = &clsm_variants[config->variant];
    double cols = (double)p->cols, wg = (double)clsm_config_wg(config);
    double width = clsm_config_value(config, "VEC", 1);
    double workers = clsm_config_workers(config, t) / width;
    double native = t->vector_width;
    /* A vector wider than the device's is several, whose additions overlap. */
    double vector_cost = width > native ? width / native * 0.8 : 1;
    double steps =
        ceil(cols / (workers * width)) * vector_cost * (clsm_config_reads(config, p, t) + 1);
    double reduce = 0;
    if (clsm_config_tile(config) > 1)
        reduce = 2 * (log2(workers) / 2 + 2) * k->barrier;
    else if (v->geometry == ROW_PER_GROUP)
        reduce = clsm_variant_uses_lanes(v, t)
                     ? 4 * k->barrier + 2 * 5 * 8 + 2 * 6 * wg / t->lanes
                     : 2 * (log2(wg) + 2) * k->barrier;
    else if (v->geometry == ROW_PER_LANES || v->geometry == ROW_PER_CLUSTER)
        reduce = 4 * log2(workers) * 4;
    double idle = wg < k->together ? k->together / wg : 1;
    return workers * idle * (steps * k->element + reduce) / k->lanes;
}

double clsm_estimate(const struct config *config, const struct problem *p,
                     const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    const struct costs *k = t->bits & TRAIT_CPU ? &cpu : &gpu;
    double open = p->open_rows || p->deterministic;
    double rows = open ? 1e5 : (double)p->rows * (double)p->inner;
    double in = (double)p->cols * (double)clsm_type_bytes(p->x.type);
    double out = (double)p->y.cols * (double)clsm_type_bytes(p->y.type);
    double reads = clsm_config_reads(config, p, t);
    if (clsm_has(p, CLSM_DY))
        in += (double)p->cols * (double)clsm_type_bytes(p->dy.type);
    double units = t->compute_units;
    double per_group = (double)clsm_config_rows_per_group(config, t);
    double groups = ceil(rows / per_group);
    double parts = (double)clsm_config_parts(config, p, t);
    if (clsm_config_tile(config) > 1)
        groups *= parts;
    else
        parts = 1;
    double busy = groups < units ? groups : units;

    /* Later reads come from the cache while the rows in flight fit there. */
    double in_flight = k->resident / (double)clsm_config_wg(config);
    double rows_in_flight = in_flight * (p->strided ? per_group : 1);
    double again = rows_in_flight * in <= k->cache_bytes ? 0.1 : 1;
    double bytes = in * (1 + again * (reads - 1)) + out;
    bool apart = v->geometry == ROW_PER_ITEM || clsm_config_tile(config) > 1;
    if (apart && p->inner == 1 && in > 64)
        bytes *= k->scattered;

    double work = row_cycles(config, p, t, k), memory = bytes / k->bytes;
    double throughput = (work > memory ? work : memory) * rows / busy;
    /* One group alone waits for each of its loads; others hide that only if there are.
     */
    bool all;
    double at_once = clsm_config_tile(config) > 1 ? clsm_config_hold(config, p, t, &all)
                                                  : clsm_config_value(config, "BLOCK", 2);
    double waits =
        ceil((double)p->cols / (clsm_config_workers(config, t) * parts) / at_once);
    double waves = ceil(groups / (units * in_flight));
    double waiting = waves * reads * waits * k->latency;
    double launch = k->launch * (v->launches ? v->launches : 1);
    return (launch + (throughput > waiting ? throughput : waiting)) / 1.5e9;
}

static int by_seconds(const void *a, const void *b)
{
    const struct candidate *p = a, *q = b;
    if (!p->misfit != !q->misfit)
        return p->misfit ? 1 : -1;
    if (p->seconds != q->seconds)
        return p->seconds > q->seconds ? 1 : -1;
    return p->place > q->place ? 1 : -1;
}

static bool wished(const struct config *config, const struct config *wish, bool exact)
{
    return config->variant == wish->variant &&
           (!exact || memcmp(config->values, wish->values, sizeof wish->values) == 0);
}

/* Put the configuration of the tuned table first, if it is among those that fit. */
static const struct tuned *prefer_tuned(const struct problem *p, const struct traits *t,
                                        struct choice *c)
{
    const struct tuned *record = clsm_tuned_find(p, t);
    struct config config;
    bool exact;
    if (!record || clsm_config_parse(record->config, &config, &exact) != CLSM_OK)
        return NULL;
    for (unsigned i = 0; i < c->fit; i++) {
        if (!wished(&c->ranked[i].config, &config, true))
            continue;
        struct candidate first = c->ranked[i];
        memmove(c->ranked + 1, c->ranked, i * sizeof first);
        c->ranked[0] = first;
        return record;
    }
    return NULL;
}

static void say_why(const struct tuned *record, const char *wish, struct choice *c)
{
    char second[64] = "";
    double best = c->ranked[0].seconds * 1e6;
    if (c->fit > 1)
        clsm_config_text(&c->ranked[1].config, second, sizeof second);
    if (record)
        snprintf(c->reason, REASON_BYTES,
                 "measured fastest on a %s for rows of %zu to %zu columns", record->on,
                 record->cols_min, record->cols_max);
    else if (wish)
        snprintf(c->reason, REASON_BYTES, "asked for as \"%s\"", wish);
    else if (c->fit > 1)
        snprintf(c->reason, REASON_BYTES,
                 "lowest estimate, %.3g us; next is %s with %.3g us", best, second,
                 c->ranked[1].seconds * 1e6);
    else
        snprintf(c->reason, REASON_BYTES, "the only one that fits");
}

clsm_status clsm_choose(const struct problem *p, const struct traits *t,
                        const char *wish, struct choice *c)
{
    struct config wanted = {0};
    bool exact = false;
    if (wish)
        TRY(clsm_config_parse(wish, &wanted, &exact));
    *c = (struct choice){0};
    struct config config;
    for (unsigned i = 0; clsm_config_at(i, &config) && c->count < MAX_CANDIDATES; i++) {
        if (wish && !wished(&config, &wanted, exact))
            continue;
        struct candidate *candidate = &c->ranked[c->count++];
        candidate->config = config;
        candidate->place = i;
        candidate->misfit = clsm_config_misfit(&config, p, t);
        /* without lanes the estimate for lanes is not a number */
        candidate->seconds =
            candidate->misfit ? INFINITY : clsm_estimate(&config, p, t);
        c->fit += !candidate->misfit;
    }
    qsort(c->ranked, c->count, sizeof *c->ranked, by_seconds);
    if (!c->fit && wish)
        return clsm_fail(CLSM_ERR_VARIANT, "variant \"%s\" cannot serve here: %s", wish,
                         c->ranked[0].misfit);
    if (!c->fit)
        return clsm_fail(CLSM_ERR_UNSUPPORTED, "no variant can serve here: %s",
                         c->ranked[0].misfit);
    say_why(wish ? NULL : prefer_tuned(p, t, c), wish, c);
    return CLSM_OK;
}
