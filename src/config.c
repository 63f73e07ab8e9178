/* SPDX-License-Identifier: MIT */
/* What a configuration is on a device, in numbers. */
#include "variant.h"

#include "shared.h"

enum { GROUPS_PER_UNIT = 8, GROUPS_PER_CORE = 16, LEAST_PART_COLS = 4096 };

enum { MOST_ALONE = 1 << 30 }; /* rows of a launch in which nobody leaves a record */

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
    return clsm_config_value(config, PARAM_WG, 1);
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
        return clsm_config_value(config, PARAM_CLUSTER, 1);
    default:
        return clsm_config_value(config, PARAM_VEC, 1);
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
    size_t hold = clsm_config_value(config, v->packs ? PARAM_HOLD : PARAM_PACKS, 1);
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
    size_t held = clsm_config_wg(config) * clsm_config_value(config, PARAM_PACKS, 1);
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
    bool packs = clsm_variants[config->variant].packs ||
                 clsm_config_value(config, PARAM_PACKS, 0);
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

size_t clsm_config_scratch_bytes(const struct config *config, const struct problem *p)
{
    return clsm_config_wg(config) * clsm_variants[config->variant].local_reals *
           clsm_config_beside(config, p) * clsm_problem_real_bytes(p);
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
        return wg / clsm_config_value(config, PARAM_CLUSTER, 1);
    case ROW_PER_LANES: /* a device without lanes is asked too: what would it take? */
        return t->lanes && wg >= t->lanes ? wg / t->lanes : 1;
    default:
        return 1;
    }
}
