/* SPDX-License-Identifier: MIT */
/* What a configuration is on a device, in numbers, and whether it can serve a problem.
 */
#include "variant.h"

#include "shared.h"

enum { GROUPS_PER_UNIT = 8, GROUPS_PER_CORE = 16, LEAST_PART_COLS = 4096 };

enum {
    MOST_ALONE = 1 << 30, /* rows of a launch in which nobody leaves a record */
    MOST_LEFT_EACH = 8    /* of the largest of parts, for each who looks at them */
};

bool clsm_variant_uses_lanes(const struct variant *v, const struct traits *t)
{
    return v->lanes && t->bits & TRAIT_LANES;
}

unsigned clsm_config_reads(const struct config *config, const struct problem *p)
{
    const struct variant *v = &clsm_variants[config->variant];
    bool all = false, writes_row = clsm_problem_y(p) == CLSM_Y_ROW;
    if (clsm_has(p, CLSM_FROM_MAX) || v->reads == 1)
        return 1; /* nothing to find out first, or it is held */
    if (clsm_config_tile(config) > 1 && clsm_config_hold(config, p, &all) && all)
        return 1;
    if (clsm_has(p, CLSM_DY) && writes_row)
        return 2; /* a sum without a maximum */
    return v->reads - !writes_row;
}

size_t clsm_config_wg(const struct config *config)
{
    return clsm_config_value(config, "WG", 1);
}

unsigned clsm_config_workers(const struct config *config, const struct traits *t)
{
    switch (clsm_variants[config->variant].geometry) {
    case ROW_PER_GROUP:
    case ROW_PER_GROUPS:
        return (unsigned)clsm_config_wg(config) / clsm_config_tile(config);
    case ROW_PER_LANES:
        return t->lanes ? t->lanes : 1;
    case ROW_PER_CLUSTER:
    case ROWS_PER_GROUP:
        return clsm_config_value(config, "CLUSTER", 1);
    default:
        return clsm_config_value(config, "VEC", 1);
    }
}

static size_t packs_of(const struct problem *p)
{
    return p->cols / (PACK_BYTES / clsm_type_bytes(p->x.type));
}

static size_t at_least_one(size_t n, size_t by)
{
    return n ? (n - 1) / by + 1 : 1;
}

size_t clsm_config_parts(const struct config *config, const struct problem *p,
                         const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    size_t hold = clsm_config_value(config, v->packs ? "HOLD" : "PACKS", 1);
    size_t most = at_least_one(packs_of(p), clsm_config_wg(config) * hold);
    if (v->geometry != ROW_PER_GROUPS)
        return 1;
    if (v->packs)
        return most;
    if (clsm_config_tile(config) > 1)
        return clsm_tile_parts(config, p, t);
    if (v->pipelined)
        most = at_least_one(p->cols, LEAST_PART_COLS);
    /* In several launches: enough to keep the device busy. */
    size_t per_unit = v->pipelined ? GROUPS_PER_CORE : GROUPS_PER_UNIT;
    size_t wanted =
        at_least_one(per_unit * t->compute_units, clsm_problem_sure_rows(p));
    wanted = wanted < MOST_PARTS ? wanted : MOST_PARTS;
    return wanted < most ? wanted : most;
}

unsigned clsm_config_stages(const struct config *config, const struct problem *p)
{
    unsigned launches = clsm_variants[config->variant].launches;
    unsigned read = 1u << STAGE_READ, merge = 1u << STAGE_MERGE,
             write = 1u << STAGE_WRITE;
    if (launches < 2 || clsm_has(p, CLSM_FROM_MAX))
        return write;
    if (launches == 2) /* who writes brings it together as well */
        return read | write;
    return read | merge | (clsm_problem_y(p) == CLSM_Y_ROW ? write : 0);
}

unsigned clsm_config_launches(const struct config *config, const struct problem *p)
{
    unsigned stages = clsm_config_stages(config, p), n = 0;
    for (; stages; stages &= stages - 1)
        n++;
    return n;
}

size_t clsm_stage_groups(unsigned stage, size_t parts, size_t pieces)
{
    return stage == STAGE_READ ? parts : stage == STAGE_MERGE ? 1 : pieces;
}

size_t clsm_config_pieces(const struct config *config, const struct problem *p,
                          const struct traits *t)
{
    size_t held = clsm_config_wg(config) * clsm_config_value(config, "PACKS", 1);
    return clsm_variants[config->variant].launches == 3
               ? at_least_one(packs_of(p), held)
               : clsm_config_parts(config, p, t);
}

size_t clsm_config_launch_rows(const struct config *config, const struct problem *p,
                               const struct traits *t, size_t records)
{
    size_t parts = clsm_config_parts(config, p, t);
    bool alone = clsm_variants[config->variant].ahead && parts == 1;
    size_t each = parts + clsm_tile_part_groups(config, p, t);
    if (clsm_config_shares(config, p, t))
        each += parts * p->k;
    size_t most = alone ? MOST_ALONE : records / each;
    return most - most % clsm_config_rows_per_group(config, p, t);
}

size_t clsm_config_list(const struct config *config, const struct problem *p,
                        const struct traits *t)
{
    const size_t few = 6;     /* up to which none is left out */
    const double rare = 1e-3; /* rows with such a worker, by chance */
    const struct variant *v = &clsm_variants[config->variant];
    size_t k = p->k, workers = clsm_config_workers(config, t), places = 0;
    if (workers == 1 || (v->reads == 1 && k <= few))
        return k;
    if (v->reads > 1) /* there are more rows to go on with meanwhile */
        places = 3 * k / workers + 3;
    else
        for (double rows = (double)workers; places < k && rows > rare; places++)
            rows *= (double)(k - places) / ((double)(places + 1) * (double)workers);
    return places < k ? places : k;
}

size_t clsm_config_busy(const struct config *config, const struct problem *p,
                        const struct traits *t)
{
    bool packs =
        clsm_variants[config->variant].packs || clsm_config_value(config, "PACKS", 0);
    size_t each = packs ? PACK_BYTES / clsm_type_bytes(p->x.type) : 1;
    size_t workers = clsm_config_workers(config, t), most = at_least_one(p->cols, each);
    size_t before = workers * (clsm_config_parts(config, p, t) - 1);
    most = most > before ? most - before : 1;
    return workers < most ? workers : most;
}

size_t clsm_config_shares(const struct config *config, const struct problem *p,
                          const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    size_t workers = clsm_config_workers(config, t), shares = 1;
    size_t busy = clsm_config_busy(config, p, t);
    if (clsm_problem_y(p) != CLSM_Y_K || !v->candidates || !(t->bits & TRAIT_SWAP) ||
        workers < 2 || p->k > workers ||
        (p->k > t->lanes && (2 * p->k > workers || p->k > busy)))
        return 0;
    while (shares * busy < 2 * p->k * workers && shares < workers)
        shares *= 2;
    while (shares > t->lanes && shares * t->lanes < workers) /* one a set or more */
        shares *= 2;
    return shares;
}

size_t clsm_config_candidates(const struct config *config, const struct problem *p,
                              const struct traits *t)
{
    /* several times what is expected: of a row whose maxima are all known from the
     * start, or not */
    size_t shares = clsm_config_shares(config, p, t);
    bool held = clsm_variants[config->variant].packs, rare = 2 * p->k <= shares;
    size_t each = held && rare ? 4 : held || rare ? 16 : 32;
    size_t room = each * shares, least = held && rare ? 32 : 128;
    return shares && room < least ? least : room;
}

size_t clsm_config_candidate_bytes(const struct config *config, const struct problem *p,
                                   const struct traits *t)
{
    size_t parts = 1 + !clsm_problem_key_bits(p), real = clsm_problem_real_bytes(p);
    size_t candidates = clsm_config_candidates(config, p, t);
    size_t rows = clsm_config_rows_per_group(config, p, t);
    size_t shares = clsm_config_shares(config, p, t);
    size_t ahead = 4 + (shares + 3) / 4 * 4; /* of the candidates */
    return candidates ? (ahead + candidates * parts) * real * rows : 0;
}

unsigned clsm_config_packs(const struct config *config, const struct problem *p,
                           const struct traits *t)
{
    size_t workers = clsm_config_workers(config, t) * clsm_config_parts(config, p, t);
    return (unsigned)at_least_one(packs_of(p), workers);
}

static const char *shared_misfit(const struct config *config, const struct problem *p,
                                 const struct traits *t)
{
    size_t parts = clsm_config_parts(config, p, t);
    const struct variant *v = &clsm_variants[config->variant];
    bool waits = !v->launches;
    /* one work-group for each unit at least, which has two parts if the next comes
     * ahead, but of two rows if it is settled */
    if (waits && parts > t->compute_units * (v->ahead && !v->settled ? 2 : 1))
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

size_t clsm_config_scratch_bytes(const struct config *config, const struct problem *p)
{
    return clsm_config_wg(config) * clsm_variants[config->variant].local_reals *
           clsm_config_beside(config, p) * clsm_problem_real_bytes(p);
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

const char *clsm_config_misfit(const struct config *config, const struct problem *p,
                               const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    size_t local = clsm_config_scratch_bytes(config, p) +
                   clsm_config_candidate_bytes(config, p, t);
    if (lacking(v->needs & ~t->bits))
        return lacking(v->needs & ~t->bits);
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
    if ((v->packs || clsm_config_value(config, "PACKS", 0)) &&
        t->bits & TRAIT_QUIRK_HELD)
        return "this driver's compiler ends the process at some of its programs";
    if (v->packs && !clsm_held_fits(config, p, t))
        return "the rows do not fit in registers";
    if (v->geometry == ROWS_PER_GROUP && clsm_block_misfit(config, p, t))
        return clsm_block_misfit(config, p, t);
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
    if (clsm_config_tile(config) > 1 && clsm_tile_misfit(config, p, t))
        return clsm_tile_misfit(config, p, t);
    if (v->row_per_lane && v->any_axis && p->inner < 2)
        return "takes softmaxes that are neighbours";
    if (v->row_per_lane && v->any_axis &&
        (clsm_has(p, CLSM_SLOPES) || clsm_has(p, CLSM_SINKS) ||
         clsm_problem_y(p) == CLSM_Y_K))
        return "takes no numbers of heads, and makes no lists";
    if (v->alike && rows_differ(p))
        return "takes rows whose logits are made of x in the same way";
    if (v->geometry == ROW_PER_GROUPS && shared_misfit(config, p, t))
        return shared_misfit(config, p, t);
    if (v->geometry == ROW_PER_LANES && clsm_config_wg(config) < t->lanes)
        return "the device's subgroups are larger than the work-group";
    return NULL;
}

size_t clsm_config_rows_per_group(const struct config *config, const struct problem *p,
                                  const struct traits *t)
{
    size_t wg = clsm_config_wg(config);
    switch (clsm_variants[config->variant].geometry) {
    case ROW_PER_GROUP:
    case ROW_PER_GROUPS:
    case ROWS_PER_ITEM:
        return clsm_config_tile(config);
    case ROW_PER_ITEM:
        return wg;
    case ROWS_PER_GROUP:
        return clsm_block_rows(config, p, t);
    case ROW_PER_CLUSTER:
        return wg / clsm_config_value(config, "CLUSTER", 1);
    case ROW_PER_LANES: /* a device without lanes is asked too, for its estimate */
        return t->lanes && wg >= t->lanes ? wg / t->lanes : 1;
    default:
        return 1;
    }
}
