/* SPDX-License-Identifier: MIT */
/* Registers that NVIDIA's compiler is told to take for a work-item: few enough for many
 * work-groups, so many that few programs spill. Those of tiles and blocks stand with
 * them. */
#include "variant.h"

enum {
    STOCKED_REGISTERS = 64,
    MORE_STOCKED_REGISTERS = 72,
    MOST_STOCKED_REGISTERS = 80,
    MANY_PACKS = 12,        /* of a work-item, of which most are in local memory */
    MOST_READ_ITEMS = 256,  /* of a work-group that has these and only reads, */
    MOST_SMALL_ITEMS = 128, /* or that is small */
    FEW_WORDS = 24,
    LARGE_GROUP = 512,       /* of which few fit a unit, */
    LARGE_REGISTERS = 64,    /* two and more with these */
    FEWER_WORKING = 24,      /* besides words, of f32 and of few 16-bit packs */
    SOFTMAX_REGISTERS = 24,  /* besides words that become terms and leave again */
    UNDER_WAY_BYTES = 57344, /* of x and dy on a unit, of whole lines */
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
    if (stay && held <= FEW_WORDS) /* as many groups as local memory has room for */
        return clsm_sums_again(p) ? 44 : 40;
    bool wide = clsm_problem_adds_mask(p) && (clsm_type_bytes(p->x.type) > 2 || stay);
    bool finishes = clsm_has(p, CLSM_MASK) && !clsm_problem_adds_mask(p) &&
                    held >= FEW_WORDS && clsm_problem_effort(p) == WRITES;
    bool more = wide || finishes || clsm_problem_y(p) == CLSM_Y_K || held > KEPT_WORDS;
    return more ? 48 : clsm_sums_again(p) ? 44 : is_tight(config, p, t, held) ? 40 : 32;
}

/* Of 16-bit rows that spill some words with the fewer ones: those that are only read,
 * if they take all places, and ragged ones in small work-groups, which are as fast with
 * more. */
static bool is_crowded(const struct config *config, const struct problem *p,
                       const struct traits *t)
{
    size_t wg = clsm_config_wg(config), pack = PACK_BYTES / 2;
    size_t places = clsm_config_packs_held(config, p, t) * pack * wg;
    return reads_only(p) ? wg <= MOST_READ_ITEMS && p->cols % places == 0
                         : wg <= MOST_SMALL_ITEMS && p->cols % pack;
}

/* Where packs stand in local memory, the fewest by what is done besides: masks, scales
 * and logarithms have values of their own. With fewer some words spill or wait for each
 * other, with more there are too few work-groups. */
static unsigned stocked_least(const struct config *config, const struct problem *p,
                              const struct traits *t)
{
    enum effort effort = clsm_problem_effort(p);
    bool halves = clsm_type_bytes(p->x.type) == 2, mask = clsm_has(p, CLSM_MASK);
    bool logs = effort == LOGARITHM;
    bool scaled = clsm_problem_has_forms(p) && !mask;
    bool bounded = clsm_problem_is_batched(p) && !mask;
    if (clsm_variants[config->variant].ahead) {
        bool whole = p->cols % (PACK_BYTES / 2) == 0;
        bool more = halves ? logs && whole && (scaled || bounded)
                           : mask && !clsm_problem_adds_mask(p) && effort == NORMALISES;
        return effort == WRITES && bounded ? MOST_STOCKED_REGISTERS
               : more                      ? MORE_STOCKED_REGISTERS
                                           : STOCKED_REGISTERS;
    }
    if (halves ? mask && effort == NUMBERS : clsm_problem_adds_mask(p) && logs)
        return MOST_STOCKED_REGISTERS;
    bool many = clsm_config_packs_held(config, p, t) >= MANY_PACKS;
    bool sums = clsm_op_may(p->op) & CLSM_LOGARITHM &&
                (many || (logs && clsm_config_wg(config) <= MOST_SMALL_ITEMS));
    bool more = halves ? is_crowded(config, p, t) : (scaled || reads_only(p)) && sums;
    return more ? MORE_STOCKED_REGISTERS : STOCKED_REGISTERS;
}

static unsigned stocked_registers(const struct config *config, const struct problem *p,
                                  const struct traits *t, unsigned held)
{
    unsigned wanted = held + working_registers(config, p, t, held);
    unsigned least = stocked_least(config, p, t);
    return wanted < least ? least : wanted;
}

/* Registers of a softmax's work-item, by the largest work-group. */
static const struct {
    size_t wg;
    unsigned least, most;
} softmax_registers[] = {
    {64, 40, 168}, {128, 32, 128}, {256, 32, 64}, {SIZE_MAX, 32, 40}};

/* As many as leave room for the work-groups that have all their rows of x and dy under
 * way on a unit, if the `needed` ones do. With less of it memory waits, and with more
 * softmax is 1 to 2% slower. */
static unsigned row_registers(const struct config *config, const struct problem *p,
                              unsigned needed)
{
    size_t wg = clsm_config_wg(config), element = clsm_type_bytes(p->x.type);
    element += clsm_has(p, CLSM_DY) ? clsm_type_bytes(p->dy.type) : 0;
    size_t row = p->cols * element;
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
    size_t bytes = clsm_type_bytes(p->x.type), row_bytes = p->cols * bytes;
    bool logs = effort == LOGARITHM && clsm_config_wg(config) <= MOST_SMALL_ITEMS &&
                (bytes == 4 || p->scale == 1);
    bool sums = effort == SUMS && row_bytes % LINE_BYTES == 0;
    bool normalises = effort == NORMALISES;
    if (p->open_cols && bytes == 4)
        return wanted + REGISTER_STEP; /* else some words spill */
    if (!p->cols || !clsm_problem_is_plain(p) || clsm_problem_is_f64(p) ||
        !(logs || sums || normalises))
        return wanted;
    bool anywhere = bytes == 2 && row_bytes % PACK_BYTES != 0;
    unsigned row =
        row_registers(config, p, normalises ? held + SOFTMAX_REGISTERS : wanted);
    return anywhere && row > wanted ? wanted : row;
}

unsigned clsm_whole_registers(unsigned registers)
{
    return (registers + REGISTER_STEP - 1) / REGISTER_STEP * REGISTER_STEP;
}

/* As many as leave room for as many work-groups on a unit. */
static unsigned spare_registers(unsigned wanted, size_t wg)
{
    size_t given = clsm_whole_registers(wanted);
    size_t groups = UNIT_REGISTERS / (given * wg);
    size_t most = groups ? UNIT_REGISTERS / (groups * wg) : given;
    return (unsigned)(most - most % REGISTER_STEP);
}

/* Of a work-item that holds `held` words and keeps the largest: where rows are few, as
 * many as spill nothing; where there are more than a unit has one of, few enough for
 * several work-groups, with some words spilled where that is faster. */
static unsigned keeping_registers(const struct config *config, const struct problem *p,
                                  const struct traits *t, unsigned held,
                                  unsigned wanted)
{
    size_t wg = clsm_config_wg(config), bytes = clsm_type_bytes(p->x.type);
    bool few = clsm_problem_likely_rows(p) <= t->compute_units;
    bool light =
        bytes == 4 || (bytes == 2 && held <= KEPT_WORDS / 2 && wg >= MOST_SMALL_ITEMS);
    bool alone = clsm_variants[config->variant].geometry == ROW_PER_GROUP;
    if (few || !alone || bytes == 8)
        return spare_registers(wanted, wg);
    if (wg >= LARGE_GROUP)
        return LARGE_REGISTERS;
    if (light && !clsm_config_stock_bytes(config, p, t))
        wanted = held + FEWER_WORKING;
    return spare_registers(wanted, wg);
}

unsigned clsm_config_registers(const struct config *config, const struct problem *p,
                               const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    enum geometry geometry = v->geometry;
    bool group = geometry == ROW_PER_GROUP || geometry == ROW_PER_GROUPS;
    bool alone = geometry == ROW_PER_GROUP && v->packs;
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
    if (held && v->packs && !v->ahead && clsm_problem_y(p) == CLSM_Y_K)
        wanted = keeping_registers(config, p, t, held, wanted);
    return wanted < most ? wanted : most;
}

size_t clsm_config_resident(const struct config *config, const struct problem *p,
                            const struct traits *t)
{
    size_t wg = clsm_config_wg(config), most = UNIT_ITEMS / wg;
    size_t registers = clsm_config_registers(config, p, t);
    size_t given = clsm_whole_registers(registers);
    size_t room = given ? UNIT_REGISTERS / (given * wg) : most;
    return room < most ? room : most;
}
