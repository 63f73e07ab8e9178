/* SPDX-License-Identifier: MIT */
/* Looking up the shipped table of measured choices. */
#include "tuned.h"

static const struct tuned records[] = {
#include "tuned.def"
    {.cols_max = 0},
};

static enum op_kind kind_of(const struct problem *p)
{
    if (clsm_problem_y(p) == CLSM_Y_K)
        return LISTS;
    if (clsm_problem_y(p) != CLSM_Y_ROW)
        return clsm_has(p, CLSM_DY)              ? READS_TWO
               : clsm_problem_y(p) == CLSM_Y_ONE ? WRITES_ONE
                                                 : READS_ONLY;
    if (clsm_has(p, CLSM_TARGETS))
        return WRITES_GRADIENT;
    if (clsm_has(p, CLSM_DY))
        return SUMS_ONLY;
    if (clsm_has(p, CLSM_FROM_MAX))
        return FINISHES;
    if (clsm_op_may(p->op) & CLSM_LOGARITHM)
        return WRITES_LOGS;
    if (clsm_has(p, CLSM_SUM))
        return WRITES_WITH_SUM;
    return clsm_problem_is_plain(p) ? WRITES_SOFTMAX : WRITES_ROW;
}

/* Whose records serve a kind besides its own and ANY_KIND's. */
static const enum op_kind serve_too[OP_KIND_COUNT] = {
    [WRITES_SOFTMAX] = WRITES_ROW, [WRITES_WITH_SUM] = WRITES_ROW,
    [WRITES_LOGS] = WRITES_ROW,    [WRITES_GRADIENT] = WRITES_ROW,
    [FINISHES] = WRITES_ROW,       [WRITES_ONE] = READS_ONLY,
};

enum { SHORT_COLS = 4096 };

/* Does it have a work-group take a block of rows? Then masks are read one by one. */
static bool takes_blocks(const struct tuned *r)
{
    struct config config;
    bool exact;
    return clsm_config_parse(r->config, &config, &exact) == CLSM_OK &&
           clsm_variants[config.variant].geometry == ROWS_PER_GROUP;
}

/* Has a row fewer columns than it seems, or a mask of its own, so that a record of
 * short ones misleads? */
static bool misleads(const struct tuned *r, const struct problem *p,
                     const struct traits *t)
{
    return !(t->bits & TRAIT_CPU) && r->cols_max < SHORT_COLS &&
           (clsm_problem_is_bounded(p) ||
            (clsm_problem_has_own_masks(p) && takes_blocks(r)));
}

static bool serves(const struct tuned *r, const struct problem *p,
                   const struct traits *t)
{
    size_t rows = p->deterministic ? 0 : p->rows; /* 0: unknown */
    enum op_kind kind = kind_of(p);
    return (r->kind == ANY_KIND || r->kind == kind || r->kind == serve_too[kind]) &&
           (r->element_bytes == ANY_BYTES ||
            r->element_bytes == clsm_type_bytes(p->x.type)) &&
           !(r->needs & ~t->bits) && !(r->lacks & t->bits) && !misleads(r, p, t) &&
           rows >= r->rows_min && rows <= r->rows_max && p->cols >= r->cols_min &&
           p->cols <= r->cols_max && p->cols % r->multiple == 0 && p->k >= r->k_min &&
           p->k <= r->k_max;
}

const struct tuned *clsm_tuned_find(const struct problem *p, const struct traits *t)
{
    bool gpu = !(t->bits & TRAIT_CPU);
    if (p->strided || (gpu && (clsm_problem_has_far_mask(p) || clsm_problem_is_f64(p))))
        return NULL; /* measured on packed rows of up to 4 bytes an element, without
                      * masks from the last cache */
    for (const struct tuned *r = records; r->cols_max; r++)
        if (serves(r, p, t))
            return r;
    return NULL;
}
