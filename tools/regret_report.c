/* SPDX-License-Identifier: MIT */
/* What `compare --random` and `--problems` print and write. */
#include "drawn.h"
#include "regret.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void regret_print_source(FILE *f, const struct bench_options *o, size_t n)
{
    if (o->problems)
        fprintf(f, "%zu problems of %s", n, o->problems);
    else
        fprintf(f, "%zu random problems of seed %zu", n, o->seed);
    if (o->form)
        fprintf(f, " (%s)", o->form->name);
}

void regret_print_head(FILE *f)
{
    fprintf(f, "%5s %-24s %-4s %10s x %-8s %-23s %10s  %-23s %10s %7s\n", "",
            "operation", "type", "rows", "cols", "chosen", "us", "best", "us",
            "regret");
}

/* "softmax f32 12 x 3000: tree:WG=64 12.00 us, group:WG=64 10.00 us" in columns. */
static void print_what(FILE *f, const struct result *r)
{
    char name[64];
    const struct timing *best = &r->timings[r->best];
    drawn_name(&r->problem, name, sizeof name);
    fprintf(f, "%-24s %-4s %10zu x %-8zu %-23s %10.2f  %-23s %10.2f %7.3f\n", name,
            clsm_type_name(r->problem.x_type), r->problem.rows, r->problem.cols,
            r->timings[0].config, r->timings[0].seconds * 1e6, best->config,
            best->seconds * 1e6, r->regret);
}

void regret_print(FILE *f, size_t number, const struct result *r)
{
    fprintf(f, "%5zu ", number);
    print_what(f, r);
    fflush(f);
}

struct totals {
    double log_regret;
    size_t over_5, over_15;
    unsigned of[NOT_BUILT + 1], left_out;
};

static struct totals add_up(const struct result *results, size_t n)
{
    struct totals t = {0};
    for (size_t i = 0; i < n; i++) {
        const struct result *r = &results[i];
        t.log_regret += log(r->regret);
        t.over_5 += r->regret > 1.05;
        t.over_15 += r->regret > 1.15;
        t.left_out += r->left_out;
        for (unsigned k = 0; k < r->count; k++)
            t.of[r->timings[k].outcome]++;
    }
    return t;
}

static int by_regret(const void *a, const void *b)
{
    const struct result *p = *(const struct result *const *)a;
    const struct result *q = *(const struct result *const *)b;
    return p->regret != q->regret ? (p->regret < q->regret ? 1 : -1) : p > q ? 1 : -1;
}

/* The problems that a record would help, worst first. */
static void list_worst(FILE *f, const struct result *results, size_t n)
{
    const struct result **order = malloc((n ? n : 1) * sizeof *order);
    if (!order)
        return;
    for (size_t i = 0; i < n; i++)
        order[i] = &results[i];
    qsort(order, n, sizeof *order, by_regret);
    if (n && order[0]->regret > 1.05)
        fprintf(f, "records would help here (scripts/fit_tuned.py proposes them from "
                   "--json):\n");
    for (size_t i = 0; i < n && order[i]->regret > 1.05; i++) {
        fprintf(f, "  ");
        print_what(f, order[i]);
    }
    free(order);
}

void regret_summarise(FILE *f, const char *device, const struct bench_options *o,
                      const struct result *results, size_t n, size_t skipped)
{
    struct totals t = add_up(results, n);
    const struct result *worst = results;
    for (size_t i = 0; i < n; i++)
        worst = results[i].regret > worst->regret ? &results[i] : worst;
    list_worst(f, results, n);
    fprintf(f,
            "%u configurations timed, %u given up after first runs over %g times the "
            "chosen one's,\n%u did not build or run, %u left out unmeasured: "
            "estimated at over %g times the best estimate\n",
            t.of[TIMED], t.of[TRIED], GIVE_UP, t.of[NOT_BUILT], t.left_out, o->within);
    if (skipped)
        fprintf(f, "%zu problems skipped\n", skipped);
    if (!n)
        return;
    regret_print_estimates(f, results, n);
    fprintf(f, "%s: regret over ", device);
    regret_print_source(f, o, n);
    fprintf(f, ": geometric mean %.3f, %zu over 1.05, %zu over 1.15; worst:\n  ",
            exp(t.log_regret / (double)n), t.over_5, t.over_15);
    print_what(f, worst);
}

static cJSON *json_timing(const struct timing *t)
{
    static const char *const outcomes[] = {"timed", "tried", "not built"};
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "variant", t->config);
    cJSON_AddStringToObject(j, "outcome", outcomes[t->outcome]);
    cJSON_AddNumberToObject(j, "estimated", t->estimated);
    if (t->outcome != NOT_BUILT)
        cJSON_AddNumberToObject(j, "seconds", t->seconds);
    return j;
}

cJSON *regret_json(const struct result *r)
{
    static const char *const ys[] = {"row", "one", "k", "none"};
    const clsm_problem *p = &r->problem;
    clsm_op_info info = {.struct_bytes = sizeof info};
    cJSON *j = cJSON_CreateObject(), *all;
    clsm_op_get_info(p->op, &info);
    cJSON_AddStringToObject(j, "op", clsm_op_name(p->op));
    cJSON_AddStringToObject(j, "y", ys[info.y]);
    cJSON_AddBoolToObject(j, "has_dy", (info.needs & CLSM_BIT(CLSM_DY)) != 0);
    cJSON_AddBoolToObject(j, "has_targets", (info.needs & CLSM_BIT(CLSM_TARGETS)) != 0);
    cJSON_AddStringToObject(j, "type", clsm_type_name(p->x_type));
    cJSON_AddNumberToObject(j, "element_bytes", (double)clsm_type_bytes(p->x_type));
    cJSON_AddNumberToObject(j, "rows", (double)p->rows);
    cJSON_AddNumberToObject(j, "cols", (double)p->cols);
    cJSON_AddNumberToObject(j, "k", (double)p->k);
    cJSON_AddNumberToObject(j, "bytes", (double)r->bytes);
    cJSON_AddStringToObject(j, "chosen", r->timings[0].config);
    cJSON_AddStringToObject(j, "best", r->timings[r->best].config);
    cJSON_AddNumberToObject(j, "regret", r->regret);
    cJSON_AddNumberToObject(j, "left_out", r->left_out);
    cJSON_AddItemToObject(j, "timings", all = cJSON_CreateArray());
    for (unsigned i = 0; i < r->count; i++)
        cJSON_AddItemToArray(all, json_timing(&r->timings[i]));
    return j;
}
