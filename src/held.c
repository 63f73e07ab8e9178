/* SPDX-License-Identifier: MIT */
/* What work-items hold of rows, see cl/held.cl: in registers, and in local memory. */
#include "variant.h"

enum {
    MAX_HELD_HALVES = 32, /* words of 16-bit data, of which the compiler keeps more */
    KEPT_WORDS = 32,      /* where local memory takes the rest, */
    KEPT_REALS = 28,      /* which for whole reals takes a few registers more, */
    KEPT_TWICE = 20,      /* and where their sum may be made again, still more */
    LOCAL_SPARE_BYTES = 512,
    AHEAD_ITEM_BYTES = 192, /* so that a unit has room for as many as its registers; */
    AHEAD_HALF_BYTES = 160, /* of 16-bit data, measured beside masks, */
    SETTLED_BYTES = 288,    /* and with masks that stay */
    MOST_PACKS = 16, /* loops over them are unrolled, which a compiler has to bear */
    MAX_GROUP_WORDS = 32768,
    STOCKED_REGISTERS = 64,
    MORE_STOCKED_REGISTERS = 72,
    MOST_READ_ITEMS = 256,   /* of a work-group that has these and only reads, */
    MOST_RAGGED_ITEMS = 128, /* or whose rows are ragged */
    FEW_WORDS = 24,
    SOFTMAX_REGISTERS = 24,   /* besides words that become terms and leave again */
    UNDER_WAY_BYTES = 57344,  /* of x on a unit, of whole lines */
    RAGGED_UNDER_WAY = 65536, /* or others */
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

/* Packs that every worker has a place for, in registers or elsewhere. */
static unsigned packs_held(const struct config *config, const struct problem *p,
                           const struct traits *t)
{
    unsigned given = clsm_config_value(config, "PACKS", 0);
    bool packs = clsm_variants[config->variant].packs;
    return given ? given : packs ? clsm_config_packs(config, p, t) : 0;
}

/* Are all numbers of a row as wide as those that it is computed in? */
static bool x_is_real(const struct problem *p)
{
    return clsm_type_bytes(p->x.type) == (clsm_problem_is_f64(p) ? 8 : 4);
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
    bool gradient = clsm_has(p, CLSM_TARGETS) && clsm_problem_y(p) == CLSM_Y_ROW;
    return clsm_op_may(p->op) & CLSM_LOGARITHM && x_is_real(p) && !gradient;
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
    return kept_of(packs_held(config, p, t), config, p);
}

bool clsm_masks_stay(const struct config *config, const struct problem *p)
{
    return clsm_variants[config->variant].settled && clsm_has(p, CLSM_MASK) &&
           p->mask_type != CLSM_MASK_BOOL && !clsm_problem_is_f64(p);
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
    return stock_bytes(packs_held(config, p, t), config, p);
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
    unsigned packs = packs_held(config, p, t);
    size_t stock = stock_bytes(clsm_config_value(config, "HOLD", packs), config, p);
    size_t scratch = clsm_config_scratch_bytes(config, p) /
                     (t->lanes_by == LANES_PTX ? t->lanes : 1);
    bool halves = clsm_type_bytes(p->x.type) == 2;
    bool stay = clsm_masks_stay(config, p);
    size_t item_bytes = stay     ? SETTLED_BYTES
                        : halves ? AHEAD_HALF_BYTES
                                 : AHEAD_ITEM_BYTES;
    if (v->ahead && (words > KEPT_WORDS || !may_stock(config, p) ||
                     stock > item_bytes * clsm_config_wg(config)))
        return false;
    return packs <= MOST_PACKS && words <= most_words(p) &&
           words * clsm_config_wg(config) <= MAX_GROUP_WORDS &&
           (!stock || stock + scratch + LOCAL_SPARE_BYTES <= t->local_bytes);
}

static bool reads_only(const struct problem *p)
{
    return clsm_problem_y(p) == CLSM_Y_ONE || clsm_problem_y(p) == CLSM_Y_NONE;
}

/* Where packs stand in local memory. 16-bit rows spill some words with the fewer ones:
 * those that are only read, if they take all places, and ragged ones in small
 * work-groups, which are as fast with more. */
static unsigned stocked_registers(const struct config *config, const struct problem *p,
                                  const struct traits *t)
{
    size_t wg = clsm_config_wg(config), pack = PACK_BYTES / 2;
    size_t places = packs_held(config, p, t) * pack * wg;
    bool more = reads_only(p) ? wg <= MOST_READ_ITEMS && p->cols % places == 0
                              : wg <= MOST_RAGGED_ITEMS && p->cols % pack;
    bool halves = clsm_type_bytes(p->x.type) == 2;
    bool ahead = clsm_variants[config->variant].ahead;
    return more && halves && !ahead ? MORE_STOCKED_REGISTERS : STOCKED_REGISTERS;
}

/* Are 16-bit rows of whole packs only read, or come their parts ahead, with all places
 * for words taken and none in local memory? With 32 registers more some spill. */
static bool is_tight(const struct config *config, const struct problem *p,
                     const struct traits *t, unsigned held)
{
    bool more = clsm_has(p, CLSM_TARGETS) || clsm_has(p, CLSM_DY) ||
                clsm_problem_has_forms(p) || clsm_problem_is_batched(p);
    return clsm_type_bytes(p->x.type) == 2 && held == KEPT_WORDS &&
           p->cols % (PACK_BYTES / 2) == 0 && !more &&
           (reads_only(p) || clsm_variants[config->variant].ahead) &&
           clsm_config_kept(config, p, t) == packs_held(config, p, t);
}

/* What a kernel needs besides the words that it holds, so that none spills. */
static unsigned working_registers(const struct config *config, const struct problem *p,
                                  const struct traits *t, unsigned held)
{
    bool stay = clsm_masks_stay(config, p);
    bool wide_mask = clsm_has(p, CLSM_MASK) && p->mask_type != CLSM_MASK_BOOL &&
                     (clsm_type_bytes(p->x.type) > 2 || stay);
    if (stay && held <= FEW_WORDS && !clsm_sums_again(p))
        return 40; /* as many work-groups as local memory has room for */
    bool more = wide_mask || clsm_problem_y(p) == CLSM_Y_K || held > KEPT_WORDS;
    return more ? 48 : clsm_sums_again(p) ? 44 : is_tight(config, p, t, held) ? 40 : 32;
}

/* Registers of a softmax's work-item, by the largest work-group. */
static const struct {
    size_t wg;
    unsigned least, most;
} softmax_registers[] = {
    {64, 40, 72}, {128, 32, 72}, {256, 32, 64}, {SIZE_MAX, 32, 40}};

/* As many as leave room for the work-groups that have all their rows of x under way on
 * a unit, if the `needed` ones do. With less of it memory waits, and with more softmax
 * is 1 to 2% slower. */
static unsigned row_registers(const struct config *config, const struct problem *p,
                              unsigned needed)
{
    size_t wg = clsm_config_wg(config), row = p->cols * clsm_type_bytes(p->x.type);
    size_t bytes = row % LINE_BYTES ? RAGGED_UNDER_WAY : UNDER_WAY_BYTES;
    size_t room = UNIT_REGISTERS / (((bytes - 1) / row + 1) * wg);
    unsigned k = 0;
    while (wg > softmax_registers[k].wg)
        k++;
    unsigned most = softmax_registers[k].most, least = softmax_registers[k].least;
    unsigned registers = room < most ? (unsigned)room : most;
    registers -= registers % REGISTER_STEP;
    registers = registers < needed ? needed : registers;
    return registers < least ? least : registers;
}

/* Of a row that a work-group holds in registers alone, with `held` words of a
 * work-item. Logarithms, and 16-bit rows that begin anywhere, have more to do than to
 * wait for memory. */
static unsigned alone_registers(const struct config *config, const struct problem *p,
                                const struct traits *t, unsigned held)
{
    enum effort effort = clsm_problem_effort(p);
    unsigned wanted = held + working_registers(config, p, t, held);
    bool logs = effort == LOGARITHM && clsm_config_wg(config) <= 128;
    if (!clsm_problem_is_plain(p) || clsm_problem_is_f64(p) ||
        !(logs || effort == NORMALISES))
        return wanted;
    size_t bytes = clsm_type_bytes(p->x.type);
    bool anywhere = bytes == 2 && p->cols * bytes % PACK_BYTES != 0;
    unsigned row = row_registers(config, p, logs ? wanted : held + SOFTMAX_REGISTERS);
    return anywhere && row > wanted ? wanted : row;
}

unsigned clsm_config_registers(const struct config *config, const struct problem *p,
                               const struct traits *t)
{
    enum geometry geometry = clsm_variants[config->variant].geometry;
    bool group = geometry == ROW_PER_GROUP || geometry == ROW_PER_GROUPS;
    unsigned held = group ? clsm_config_held_words(config, p, t) : 0;
    unsigned most = UNIT_REGISTERS / (unsigned)clsm_config_wg(config);
    bool stock = held && clsm_config_stock_bytes(config, p, t);
    bool alone = geometry == ROW_PER_GROUP && !stock;
    unsigned wanted = held && alone ? alone_registers(config, p, t, held)
                      : held        ? held + working_registers(config, p, t, held)
                      : geometry == ROWS_PER_GROUP ? clsm_block_registers(config, p)
                                                   : clsm_tile_registers(config, p);
    if (stock) {
        unsigned stocked = stocked_registers(config, p, t);
        wanted = wanted < stocked ? stocked : wanted;
    }
    if (!(t->bits & TRAIT_NV_OPTIONS))
        return 0;
    return wanted < most ? wanted : most;
}

size_t clsm_config_resident(const struct config *config, const struct problem *p,
                            const struct traits *t)
{
    size_t wg = clsm_config_wg(config), most = UNIT_ITEMS / wg;
    size_t registers = clsm_config_registers(config, p, t);
    size_t given = (registers + REGISTER_STEP - 1) / REGISTER_STEP * REGISTER_STEP;
    size_t room = given ? UNIT_REGISTERS / (given * wg) : most;
    return room < most ? room : most;
}
