/* SPDX-License-Identifier: MIT */
/* Telling what a plan does and why, as a struct and as text. */
#include "plan.h"
#include "status.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Text that is counted on past the end of its room. */
struct text {
    char *at;
    size_t room, length;
};

static void put(struct text *t, const char *format, ...) PRINTF_LIKE(2, 3);

static void put(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t left = t->length < t->room ? t->room - t->length : 0;
    int n = vsnprintf(left ? t->at + t->length : NULL, left, format, args);
    va_end(args);
    t->length += n > 0 ? (size_t)n : 0;
}

/* Rows that work-groups share go in as many pieces as there are records for. */
static unsigned launches_of(const clsm_plan *plan)
{
    const struct config *config = &plan->choice.ranked[plan->chosen].config;
    const struct variant *v = &clsm_variants[config->variant];
    const struct problem *p = &plan->problem;
    if (!plan->kernel || v->geometry != ROW_PER_GROUPS)
        return plan->kernel ? 1 : 0;
    size_t most = clsm_config_launch_rows(config, p, &plan->engine->traits,
                                          plan->engine->shared->records);
    size_t rows = p->rows * p->inner, pieces = rows ? (rows - 1) / most + 1 : 1;
    return (unsigned)pieces * clsm_config_launches(config, p);
}

clsm_status clsm_plan_get_info(const clsm_plan *plan, clsm_plan_info *info)
{
    NEED(plan);
    NEED_STRUCT_FROM(info, offsetof(clsm_plan_info, registers),
                     "set it to sizeof(clsm_plan_info)");
    clsm_plan_info full = {
        .struct_bytes = info->struct_bytes,
        .bytes = clsm_problem_bytes(&plan->problem),
        .build_seconds = plan->build_seconds,
        .from_disk = plan->from_disk,
        .registers = plan->usage.registers,
        .spill_bytes = plan->usage.spill_bytes,
    };
    if (plan->kernel &&
        clsm_variants[plan->choice.ranked[plan->chosen].config.variant].geometry ==
            ROW_PER_GROUPS)
        full.scratch_bytes = SHARED_BYTES;
    full.launches = launches_of(plan);
    clsm_config_text(&plan->choice.ranked[plan->chosen].config, full.variant,
                     sizeof full.variant);
    snprintf(full.reason, sizeof full.reason, "%s", plan->choice.reason);
    if (!plan->kernel)
        snprintf(full.reason, sizeof full.reason, "nothing to do: an empty problem");
    else if (plan->chosen)
        snprintf(full.reason, sizeof full.reason,
                 "the first of %u candidates before it failed: %.*s", plan->chosen,
                 (int)strcspn(plan->failure, "\n"), plan->failure);
    memcpy(info, &full, full.struct_bytes);
    return CLSM_OK;
}

/* The best configuration of each variant that was not chosen, with what was against it.
 */
static void put_rejected(const clsm_plan *plan, struct text *t)
{
    const struct choice *c = &plan->choice;
    uint64_t seen = UINT64_C(1) << c->ranked[plan->chosen].config.variant;
    for (unsigned i = 0; i < c->count; i++) {
        const struct candidate *one = &c->ranked[i];
        char name[64];
        uint64_t bit = UINT64_C(1) << one->config.variant;
        if (seen & bit)
            continue;
        seen |= bit;
        clsm_config_text(&one->config, name, sizeof name);
        if (one->misfit)
            put(t, "rejected  %s: %s\n", clsm_variants[one->config.variant].name,
                one->misfit);
        else if (i > 0 && i < plan->chosen)
            put(t, "rejected  %s: did not build either\n", name);
        else if (i < plan->chosen)
            put(t, "rejected  %s: %.*s\n", name, (int)strcspn(plan->failure, "\n"),
                plan->failure);
        else
            put(t, "rejected  %s: estimate %.3g us\n", name, one->seconds * 1e6);
    }
}

/* The estimate of every configuration that fits, each variant's in a line of its own.
 */
static void put_estimates(const struct choice *c, struct text *t)
{
    uint64_t seen = 0;
    for (unsigned i = 0; i < c->fit; i++) {
        unsigned variant = c->ranked[i].config.variant;
        if (seen & UINT64_C(1) << variant)
            continue;
        seen |= UINT64_C(1) << variant;
        for (unsigned k = i; k < c->fit; k++) {
            char name[64];
            if (c->ranked[k].config.variant != variant)
                continue;
            clsm_config_text(&c->ranked[k].config, name, sizeof name);
            put(t, "%s%s %.3g us", k == i ? "estimates " : "; ", name,
                c->ranked[k].seconds * 1e6);
        }
        put(t, "\n");
    }
}

static void put_problem(const struct problem *p, struct text *t)
{
    put(t, "problem   %s %s -> %s, rows %zu%s, cols %zu%s, inner %zu%s\n",
        clsm_op_name(p->op), clsm_type_name(p->x.type), clsm_type_name(p->y.type),
        p->rows, p->open_rows ? " (open)" : "", p->cols,
        p->open_cols ? " (open up to this)" : "", p->inner,
        p->nonfinite == CLSM_NONFINITE_LIMIT ? ", non-finite rows by their limit" : "");
}

/* Operands and forms, if there are any. */
static void put_forms(const struct problem *p, struct text *t)
{
    size_t before = t->length;
    for (unsigned o = 0; o < CLSM_OPERAND_COUNT; o++)
        if (clsm_has(p, (clsm_operand)o))
            put(t, "%s%s", t->length == before ? "with      " : ", ",
                clsm_operand_name((clsm_operand)o));
    const char *start = t->length == before ? "with      " : ", ";
    if (p->mask_type != CLSM_MASK_NONE)
        put(t, " (mask of %s)", clsm_mask_name(p->mask_type));
#define PUT_IF(condition, ...)                                                         \
    if (condition) {                                                                   \
        put(t, "%s", start);                                                           \
        put(t, __VA_ARGS__);                                                           \
        start = ", ";                                                                  \
    }
    PUT_IF(!p->one_matrix, "%zu queries x %zu heads", p->queries, p->heads)
    PUT_IF(p->scale != 1, "scale %g", p->scale)
    PUT_IF(p->one_hot, "temperature 0")
    PUT_IF(p->softcap != 0, "soft cap %g", p->softcap)
    PUT_IF(p->causal, "causal from column %td", p->causal_offset)
    PUT_IF(p->window, "window %zu", p->window)
    PUT_IF(p->label_smoothing != 0, "label smoothing %g", p->label_smoothing)
    PUT_IF(p->z_loss != 0, "z-loss %g", p->z_loss)
    PUT_IF(clsm_problem_y(p) == CLSM_Y_K, "k %zu", p->k)
#undef PUT_IF
    if (t->length != before)
        put(t, "\n");
}

clsm_status clsm_plan_explain(const clsm_plan *plan, char *text, size_t bytes,
                              size_t *needed)
{
    clsm_plan_info info = {.struct_bytes = sizeof info};
    clsm_counters n = {.struct_bytes = sizeof n};
    TRY(clsm_plan_get_info(plan, &info));
    TRY(clsm_get_counters(&n));
    struct text t = {text, text ? bytes : 0, 0};
    const struct config *config = &plan->choice.ranked[plan->chosen].config;
    put_problem(&plan->problem, &t);
    put_forms(&plan->problem, &t);
    put(&t, "variant   %s\nbecause   %s\n", info.variant, info.reason);
    put_rejected(plan, &t);
    put_estimates(&plan->choice, &t);
    put(&t, "lanes     %s\n", clsm_lanes_by_name(plan->engine->traits.lanes_by));
    put(&t, "moves     %llu bytes, reading x %u times; scratch %llu bytes\n",
        (unsigned long long)info.bytes, clsm_config_reads(config, &plan->problem),
        (unsigned long long)info.scratch_bytes);
    put(&t, "program   %s, %.3f s\n",
        !plan->kernel            ? "none: nothing to do"
        : info.from_disk         ? "from the disk cache"
        : info.build_seconds > 0 ? "built from source"
                                 : "there already",
        info.build_seconds);
    if (info.registers)
        put(&t, "takes     %u registers a work-item, %llu bytes spilled\n",
            info.registers, (unsigned long long)info.spill_bytes);
    put(&t, "process   %llu programs: %llu built, %llu disk cache hits, %llu misses\n",
        (unsigned long long)n.programs, (unsigned long long)n.builds,
        (unsigned long long)n.disk_hits, (unsigned long long)n.disk_misses);
    if (needed)
        *needed = t.length + 1;
    return CLSM_OK;
}
