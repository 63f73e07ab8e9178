/* SPDX-License-Identifier: MIT */
/* Registers that NVIDIA's compiler is told to take for a work-item: few enough for many
 * work-groups, so many that few programs spill. Those of tiles and blocks stand with
 * them. */
#include "variant.h"

enum {
    STOCKED_REGISTERS = 64,
    MORE_STOCKED_REGISTERS = 72,
    MOST_READ_ITEMS = 256,   /* of a work-group that has these and only reads, */
    MOST_RAGGED_ITEMS = 128, /* or whose rows are ragged */
    FEW_WORDS = 24,
    SOFTMAX_REGISTERS = 24,  /* besides words that become terms and leave again */
    UNDER_WAY_BYTES = 57344, /* of x on a unit, of whole lines */
    RAGGED_UNDER_WAY = 65536 /* or others */
};

static bool reads_only(const struct problem *p)
{
    return clsm_problem_y(p) == CLSM_Y_ONE || clsm_problem_y(p) == CLSM_Y_NONE;
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
           clsm_config_kept(config, p, t) == clsm_config_packs_held(config, p, t);
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

/* Where packs stand in local memory. 16-bit rows spill some words with the fewer ones:
 * those that are only read, if they take all places, and ragged ones in small
 * work-groups, which are as fast with more. */
static unsigned stocked_registers(const struct config *config, const struct problem *p,
                                  const struct traits *t, unsigned held)
{
    unsigned wanted = held + working_registers(config, p, t, held);
    size_t wg = clsm_config_wg(config), pack = PACK_BYTES / 2;
    size_t places = clsm_config_packs_held(config, p, t) * pack * wg;
    bool more = reads_only(p) ? wg <= MOST_READ_ITEMS && p->cols % places == 0
                              : wg <= MOST_RAGGED_ITEMS && p->cols % pack;
    bool halves = clsm_type_bytes(p->x.type) == 2;
    bool ahead = clsm_variants[config->variant].ahead;
    unsigned least =
        more && halves && !ahead ? MORE_STOCKED_REGISTERS : STOCKED_REGISTERS;
    return wanted < least ? least : wanted;
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

/* Of a row that a work-group holds whole, in registers alone, with `held` words of a
 * work-item. Logarithms, and 16-bit rows that begin anywhere, have more to do than to
 * wait for memory. */
static unsigned alone_registers(const struct config *config, const struct problem *p,
                                const struct traits *t, unsigned held)
{
    enum effort effort = clsm_problem_effort(p);
    unsigned wanted = held + working_registers(config, p, t, held);
    bool logs = effort == LOGARITHM && clsm_config_wg(config) <= 128;
    if (!p->cols || !clsm_problem_is_plain(p) || clsm_problem_is_f64(p) ||
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
    bool alone = geometry == ROW_PER_GROUP && clsm_variants[config->variant].packs;
    unsigned held = group ? clsm_config_held_words(config, p, t) : 0;
    unsigned most = UNIT_REGISTERS / (unsigned)clsm_config_wg(config);
    if (!(t->bits & TRAIT_NV_OPTIONS))
        return 0;
    unsigned wanted;
    if (!held)
        wanted = geometry == ROWS_PER_GROUP ? clsm_block_registers(config, p)
                                            : clsm_tile_registers(config, p);
    else if (clsm_config_stock_bytes(config, p, t))
        wanted = stocked_registers(config, p, t, held);
    else if (alone)
        wanted = alone_registers(config, p, t, held);
    else
        wanted = held + working_registers(config, p, t, held);
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
