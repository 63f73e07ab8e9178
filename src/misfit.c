/* SPDX-License-Identifier: MIT */
/* Whether a configuration can serve a problem on a device, and if not, why. */
#include "variant.h"

#include "shared.h"

enum { MOST_LEFT_EACH = 8 }; /* of the largest of parts, for each who looks at them */

static const char *shared_misfit(const struct config *config, const struct problem *p,
                                 const struct traits *t)
{
    size_t parts = clsm_config_parts(config, p, t);
    const struct variant *v = &clsm_variants[config->variant];
    bool waits = !v->launches;
    /* one work-group for each unit at least, which has two parts if the next comes
     * ahead, but of two rows if it is settled */
    if (waits && (parts > t->compute_units * (v->ahead && !v->settled ? 2 : 1) ||
                  parts > MOST_PARTS))
        return "the rows have more parts than the device runs at once";
    if (v->settled && parts >= SHARED_COUNTS)
        return "the rows have more parts than are counted";
    if (waits && v->packs && parts < 2)
        return "a single work-group holds the rows";
    if (clsm_config_shares(config, p, t) &&
        parts * p->k > MOST_LEFT_EACH * clsm_config_wg(config))
        return "a work-group has no room for what all parts leave";
    return NULL;
}

/* What a device without these traits is told. */
static const char *lacking(unsigned traits)
{
    static const struct {
        unsigned trait;
        const char *text;
    } texts[] = {
        {TRAIT_CPU, "for CPU runtimes only"},
        {TRAIT_FMA, "the device has no fused multiply-add"},
        {TRAIT_WAIT, "the device's work-groups cannot wait for others"},
        {~0u, "the device has no working subgroups"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (traits & texts[i].trait)
            return texts[i].text;
    return NULL;
}

/* Are a row's logits made of x in a way of its own? */
static bool rows_differ(const struct problem *p)
{
    return clsm_has(p, CLSM_MASK) || clsm_has(p, CLSM_TEMPERATURE) ||
           clsm_has(p, CLSM_SLOPES) || clsm_has(p, CLSM_SINKS);
}

/* In packs, or blocks of them, or packs of neighbours? */
static bool holds_rows(const struct config *config, const struct problem *p)
{
    const struct variant *v = &clsm_variants[config->variant];
    return v->packs || clsm_config_value(config, PARAM_PACKS, 0) ||
           (v->geometry == ROWS_PER_GROUP && !v->whole_packs) ||
           (v->geometry == ROW_PER_GROUP && clsm_config_beside(config, p) > 1);
}

const char *clsm_config_misfit(const struct config *config, const struct problem *p,
                               const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    size_t local = clsm_config_scratch_bytes(config, p) +
                   clsm_config_candidate_bytes(config, p, t);
    const char *why = lacking(v->needs & ~t->bits);
    if (why)
        return why;
    if (p->cols > v->cols.max || (p->cols && p->cols < v->cols.min && !p->open_cols))
        return "not for rows of this length";
    if (v->exact_cols && !p->cols)
        return "not for rows of this length";
    if (p->open_cols && (v->cols.min > 1 || v->exact_cols))
        return "not for rows of every length up to the bound";
    if (p->strided && !v->any_axis)
        return "takes the last, packed axis only";
    if (clsm_config_wg(config) > t->max_wg)
        return "the device's work-groups are smaller";
    if (local > t->local_bytes)
        return "the device has too little local memory";
    if (v->geometry == ROW_PER_CLUSTER && clsm_config_workers(config, t) > t->lanes)
        return "the device's subgroups are smaller";
    if (t->bits & TRAIT_QUIRK_HELD && holds_rows(config, p))
        return "this driver's compiler ends the process at some of its programs";
    if (v->packs && !clsm_held_fits(config, p, t))
        return "the rows do not fit in registers";
    if (v->geometry == ROWS_PER_GROUP && (why = clsm_block_misfit(config, p, t)))
        return why;
    if (v->whole_packs && PACK_BYTES / 2 % (p->cols * clsm_type_bytes(p->x.type)))
        return "two and more rows do not fill 16 bytes";
    if (v->one_state && !clsm_problem_has_one_state(p) &&
        !clsm_config_shares(config, p, t))
        return "takes operations that need no more than a maximum and a sum";
    if (v->pipelined && clsm_problem_is_f64(p))
        return "computes in 32 bits only";
    /* what a target leaves for other classes goes to those that are seen */
    bool all = v->row_per_lane || (v->exact_cols && clsm_has(p, CLSM_TARGETS));
    if (v->pipelined && all && clsm_problem_is_bounded(p))
        return "takes rows of which all columns count";
    if (clsm_config_tile(config) > 1 && (why = clsm_tile_misfit(config, p, t)))
        return why;
    if (v->row_per_lane && v->any_axis && p->inner < 2)
        return "takes softmaxes that are neighbours";
    if (v->row_per_lane && v->any_axis &&
        (clsm_has(p, CLSM_SLOPES) || clsm_has(p, CLSM_SINKS) ||
         clsm_problem_y(p) == CLSM_Y_K))
        return "takes no numbers of heads, and makes no lists";
    if (v->alike && rows_differ(p))
        return "takes rows whose logits are made of x in the same way";
    if (v->geometry == ROW_PER_GROUPS && (why = shared_misfit(config, p, t)))
        return why;
    if (v->geometry == ROW_PER_LANES && clsm_config_wg(config) < t->lanes)
        return "the device's subgroups are larger than the work-group";
    return NULL;
}
