/* SPDX-License-Identifier: MIT */
/* The same as JSON, for plot.py and for other runs to be compared with. */
#include "report.h"

#include <math.h>
#include <string.h>

static const char *const yardsticks[] = {
    [COPY] = "copy",           [TORCH] = "torch",    [LAUNCH] = "empty launch",
    [NEIGHBOUR] = "neighbour", [NORMAL] = "N(0, 1)", [ULP] = "ulp",
    [SECONDS] = "s",           [NOTHING] = "-",
};

static cJSON *case_json(const struct limit_case *c)
{
    char key[160];
    cJSON *j = cJSON_CreateObject();
    case_key(c, key, sizeof key);
    cJSON_AddStringToObject(j, "key", key);
    cJSON_AddStringToObject(j, "goals", c->goal->group);
    cJSON_AddStringToObject(j, "op", clsm_op_name(c->op));
    cJSON_AddStringToObject(j, "type", clsm_type_name(c->type));
    cJSON_AddStringToObject(j, "form", c->form->name);
    cJSON_AddNumberToObject(j, "rows", (double)c->rows);
    cJSON_AddNumberToObject(j, "cols", (double)c->cols);
    cJSON_AddNumberToObject(j, "inner", (double)c->inner);
    return j;
}

static void add_times(cJSON *j, const struct result *r)
{
    double bytes = (double)r->info.bytes;
    if (r->seconds > 0)
        cJSON_AddNumberToObject(j, "seconds", r->seconds);
    if (r->seconds <= 0 || r->copy_seconds <= 0)
        return;
    cJSON_AddNumberToObject(j, "gb_per_s", bytes / r->seconds * 1e-9);
    cJSON_AddNumberToObject(j, "copy_gb_per_s", bytes / r->copy_seconds * 1e-9);
    cJSON_AddStringToObject(j, "copied_by", r->copied_by);
    cJSON_AddNumberToObject(j, "of_copy", r->copy_seconds / r->seconds);
}

static cJSON *result_json(const struct limit *limit, const struct result *r)
{
    const struct goal *goal = r->of.goal;
    cJSON *j = case_json(&r->of);
    const cJSON *peers = peers_of(limit->peers, &r->of);
    cJSON_AddStringToObject(j, "variant", r->info.variant);
    cJSON_AddNumberToObject(j, "registers_per_item", r->info.registers);
    cJSON_AddNumberToObject(j, "spill_bytes", (double)r->info.spill_bytes);
    cJSON_AddNumberToObject(j, "bytes", (double)r->info.bytes);
    add_times(j, r);
    cJSON_AddNumberToObject(j, "value", r->value);
    cJSON_AddNumberToObject(j, "goal", goal->goal);
    cJSON_AddStringToObject(j, "against", yardsticks[goal->against]);
    if (r->peer) {
        cJSON_AddStringToObject(j, "best_peer", r->peer);
        cJSON_AddNumberToObject(j, "of_best_peer", r->peer_ratio);
    }
    if (goal->peer > 0)
        cJSON_AddNumberToObject(j, "peer_goal", goal->peer);
    if (r->threads)
        cJSON_AddNumberToObject(j, "threads", r->threads);
    cJSON_AddStringToObject(j, "mark", mark_name(r->mark));
    if (r->note[0])
        cJSON_AddStringToObject(j, "note", r->note);
    if (peers && !r->threads) /* theirs are those of all threads */
        cJSON_AddItemToObject(j, "peers", cJSON_Duplicate(peers, true));
    return j;
}

static cJSON *groups_json(const struct report *report)
{
    cJSON *all = cJSON_CreateArray();
    struct group_sum sum;
    for (size_t at = 0; report_group(report, &at, &sum);) {
        cJSON *j = cJSON_CreateObject();
        cJSON_AddStringToObject(j, "goals", sum.name);
        cJSON_AddNumberToObject(j, "cases", sum.cases);
        cJSON_AddNumberToObject(j, "judged", sum.judged);
        cJSON_AddNumberToObject(j, "met", sum.met);
        cJSON_AddNumberToObject(j, "median", sum.median);
        cJSON_AddNumberToObject(j, "worst", sum.worst ? sum.worst->value : 0);
        cJSON_AddItemToArray(all, j);
    }
    return all;
}

static cJSON *peers_json(const struct report *report)
{
    cJSON *all = cJSON_CreateObject();
    for (unsigned i = 0; i < report->peer_count; i++) {
        const struct against_peer *p = &report->peers[i];
        cJSON *j = cJSON_AddObjectToObject(all, p->name);
        cJSON_AddNumberToObject(j, "cases", p->cases);
        cJSON_AddNumberToObject(j, "faster_than_ours", p->faster);
        cJSON_AddNumberToObject(j, "faster_by_more_than_1_percent", p->clearly);
        cJSON_AddNumberToObject(j, "geometric_mean", exp(p->log_ratio / p->cases));
    }
    return all;
}

cJSON *report_json(const struct limit *limit)
{
    const struct report *report = limit->report;
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "version", clsm_version());
    cJSON_AddItemToObject(j, "device", json_device(&limit->session->info));
    cJSON_AddNumberToObject(j, "scale", limit->selection.scale);
    cJSON_AddNumberToObject(j, "seed", (double)limit->selection.seed);
    cJSON_AddNumberToObject(j, "repeats", limit->repeats);
    cJSON *results = cJSON_AddArrayToObject(j, "results");
    for (size_t i = 0; i < report->count; i++)
        cJSON_AddItemToArray(results, result_json(limit, &report->results[i]));
    cJSON_AddItemToObject(j, "groups", groups_json(report));
    cJSON_AddItemToObject(j, "peers", peers_json(report));
    return j;
}

/* The others are about this library's own plans. */
static bool peers_know(enum kind kind)
{
    return kind != CLIFFS && kind != BUILD && kind != OPEN;
}

cJSON *cases_json(const struct case_list *list)
{
    cJSON *all = cJSON_CreateArray();
    for (size_t i = 0; i < list->count; i++)
        if (peers_know(list->at[i].goal->kind))
            cJSON_AddItemToArray(all, case_json(&list->at[i]));
    return all;
}
