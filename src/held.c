/* SPDX-License-Identifier: MIT */
/* What work-items hold of rows, see cl/held.cl: in registers, and in local memory. */
#include "variant.h"

enum {
    MAX_HELD_HALVES = 32, /* words of 16-bit data, of which the compiler keeps more */
    KEPT_REALS = 28,      /* whole reals take a few registers more than KEPT_WORDS, */
    KEPT_TWICE = 20,      /* and where their sum may be made again, still more */
    LOCAL_SPARE_BYTES = 512,
    AHEAD_ITEM_BYTES = 192, /* so that a unit has room for as many as its registers; */
    AHEAD_HALF_BYTES = 160, /* of 16-bit data, measured beside masks, */
    SETTLED_BYTES = 288,    /* and with masks that stay */
    MOST_PACKS = 16 /* loops over them are unrolled, which a compiler has to bear */
};

/* Words of one pack: as many as it has, or a real for each logit that is held ready;
 * and of what is read beside it and stays. */
static size_t pack_words(const struct problem *p)
{
    size_t pack = PACK_BYTES / clsm_type_bytes(p->x.type), words = PACK_BYTES / 4;
    if (clsm_problem_holds_logits(p))
        words = pack * (clsm_problem_is_f64(p) ? 2 : 1);
    if (clsm_has(p, CLSM_DY))
        words += (pack * clsm_type_bytes(p->dy.type) + 3) / 4;
    return words;
}

unsigned clsm_config_packs_held(const struct config *config, const struct problem *p,
                                const struct traits *t)
{
    unsigned given = clsm_config_value(config, PARAM_PACKS, 0);
    bool packs = clsm_variants[config->variant].packs;
    return given ? given : packs ? clsm_config_packs(config, p, t) : 0;
}

/* Are all numbers of a row as wide as those that it is computed in? */
static bool x_is_real(const struct problem *p)
{
    return clsm_type_bytes(p->x.type) == clsm_problem_real_bytes(p);
}

/* May some packs stand in local memory? Of these are x, or logits in its place, and a
 * dy as large. */
static bool may_stock(const struct config *config, const struct problem *p)
{
    const struct variant *v = &clsm_variants[config->variant];
    bool dy = !clsm_has(p, CLSM_DY) ||
              clsm_type_bytes(p->dy.type) == clsm_type_bytes(p->x.type);
    return v->packs && v->geometry != ROW_PER_CLUSTER && dy &&
           (x_is_real(p) || !clsm_problem_holds_logits(p) ||
            (v->ahead && !clsm_problem_is_f64(p)));
}

static size_t most_words(const struct problem *p)
{
    bool halves = clsm_type_bytes(p->x.type) == 2 && !clsm_problem_holds_logits(p);
    return halves ? MAX_HELD_HALVES : MAX_HELD_WORDS;
}

bool clsm_sums_again(const struct problem *p)
{
    return clsm_op_may(p->op) & CLSM_LOGARITHM && x_is_real(p) &&
           !clsm_problem_is_loss_gradient(p);
}

/* Words that stay in registers where the rest may stand elsewhere: all of a row with a
 * gradient if they can, where a work-group has it by itself. */
static size_t most_kept(const struct config *config, const struct problem *p)
{
    bool alone = clsm_variants[config->variant].geometry != ROW_PER_GROUPS;
    if (clsm_sums_again(p))
        return KEPT_TWICE;
    return clsm_has(p, CLSM_DY) && alone ? most_words(p) : KEPT_WORDS;
}

/* Of `packs` packs, those that stay there. */
static unsigned kept_of(unsigned packs, const struct config *config,
                        const struct problem *p)
{
    bool halves = clsm_type_bytes(p->x.type) == 2;
    bool ahead = clsm_variants[config->variant].ahead;
    size_t words = pack_words(p), most = most_kept(config, p);
    if (packs * words <= most || !may_stock(config, p) || ahead)
        return packs;
    if (most > KEPT_REALS && !halves)
        most = KEPT_REALS;
    return (unsigned)((most < KEPT_WORDS ? most : KEPT_WORDS) / words);
}

unsigned clsm_config_kept(const struct config *config, const struct problem *p,
                          const struct traits *t)
{
    return kept_of(clsm_config_packs_held(config, p, t), config, p);
}

bool clsm_masks_stay(const struct config *config, const struct problem *p)
{
    return clsm_variants[config->variant].settled && clsm_problem_adds_mask(p) &&
           !clsm_problem_is_f64(p);
}

bool clsm_starts_alike(const struct problem *p)
{
    size_t pack = PACK_BYTES / clsm_type_bytes(p->x.type);
    return p->deterministic || (!p->open_cols && p->x.row_stride % pack == 0 &&
                                (p->one_matrix || p->x.matrix_stride % pack == 0));
}

/* Bytes of the masks beside the packs of `wg` work-items, see cl/planes.cl: those that
 * come ahead, or windows of those that stay. */
static size_t mask_bytes(const struct config *config, const struct problem *p,
                         size_t wg)
{
    size_t pack = PACK_BYTES / clsm_type_bytes(p->x.type);
    if (!clsm_has(p, CLSM_MASK) || !clsm_variants[config->variant].ahead)
        return 0;
    if (clsm_masks_stay(config, p))
        return (wg * pack + LINE_BYTES / clsm_type_bytes(p->x.type)) * sizeof(float);
    return (pack * clsm_operand_bytes(CLSM_MASK, p) + 3) / 4 * 4 * wg;
}

/* Bytes of one pack in local memory. */
static size_t pack_bytes(const struct problem *p)
{
    size_t pack = PACK_BYTES / clsm_type_bytes(p->x.type), bytes = PACK_BYTES;
    if (clsm_problem_holds_logits(p) && !x_is_real(p))
        bytes = pack * sizeof(float);
    if (clsm_has(p, CLSM_DY))
        bytes += PACK_BYTES;
    return bytes;
}

static size_t stock_bytes(unsigned packs, const struct config *config,
                          const struct problem *p)
{
    unsigned ahead = clsm_variants[config->variant].ahead ? packs : 0;
    size_t wg = clsm_config_wg(config);
    return (packs - kept_of(packs, config, p) + ahead) * pack_bytes(p) * wg +
           ahead * mask_bytes(config, p, wg);
}

size_t clsm_config_stock_bytes(const struct config *config, const struct problem *p,
                               const struct traits *t)
{
    return stock_bytes(clsm_config_packs_held(config, p, t), config, p);
}

unsigned clsm_config_held_words(const struct config *config, const struct problem *p,
                                const struct traits *t)
{
    return (unsigned)(clsm_config_kept(config, p, t) * pack_words(p));
}

/* Do the rows fit? 128 KiB a work-group in registers, half of what GPUs have, few
 * enough words a work-item that none spill, and the rest in local memory. Parts of rows
 * hold as many packs as they may, or a few less: if as many do not fit, the next longer
 * row's do not. */
bool clsm_held_fits(const struct config *config, const struct problem *p,
                    const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    size_t words = clsm_config_held_words(config, p, t);
    unsigned packs = clsm_config_packs_held(config, p, t);
    size_t stock = stock_bytes(clsm_config_value(config, PARAM_HOLD, packs), config, p);
    size_t scratch = clsm_config_scratch_bytes(config, p) /
                         (t->lanes_by == LANES_PTX ? t->lanes : 1) +
                     clsm_config_candidate_bytes(config, p, t);
    bool halves = clsm_type_bytes(p->x.type) == 2;
    bool stay = clsm_masks_stay(config, p);
    size_t item_bytes = stay     ? SETTLED_BYTES
                        : halves ? AHEAD_HALF_BYTES
                                 : AHEAD_ITEM_BYTES;
    if (v->ahead && (words > KEPT_WORDS || !may_stock(config, p) ||
                     stock > item_bytes * clsm_config_wg(config)))
        return false;
    return packs <= MOST_PACKS && words <= most_words(p) &&
           words * clsm_config_wg(config) <= GROUP_WORDS &&
           (!stock || stock + scratch + LOCAL_SPARE_BYTES <= t->local_bytes);
}
