/* SPDX-License-Identifier: MIT */
/* Blocks of neighbouring rows that a work-group has in local memory, see cl/staged.cl;
 * and of those that go straight from memory to memory, see cl/packed.cl. */
#include "variant.h"

/* Enough bytes under way, and room for several work-groups on a unit. */
enum {
    ITEM_BYTES = 32,      /* of x under way for each work-item, */
    MANY_ITEM_BYTES = 64, /* or, through local memory, where all units are busy */
    MAX_TURNS = 16,
    MOST_IN_FOURS = 12, /* places of a list that a work-item writes four by four */
    MAX_BLOCK_BYTES = 24576,
    MANY_BLOCK_BYTES = 5120, /* with a KiB more each, 32 of them take 192 KiB */
    BLOCK_SPARE_BYTES = 3 * 48 + 256 * 8 /* borders; scratch */
};

/* Registers for so many elements, or more, that a work-item holds beside a target.
 * NVIDIA's compiler takes up to 128, which leaves a unit with few work-groups, or
 * spills. */
static const struct {
    size_t held;
    unsigned registers;
} registers_for[] = {{51, 96}, {41, 80}, {25, 64}};

static size_t workers_of(const struct config *config)
{
    return clsm_config_value(config, PARAM_CLUSTER, 1);
}

/* Elements of x that a work-item holds. */
static size_t held_of(const struct config *config, const struct problem *p)
{
    size_t workers = workers_of(config);
    return p->cols / workers + (p->cols % workers != 0);
}

/* Bytes of a row's target. */
static size_t target_bytes_of(const struct problem *p)
{
    return clsm_has(p, CLSM_TARGETS) ? clsm_operand_bytes(CLSM_TARGETS, p) : 0;
}

/* Bytes of a row's list, if it goes through local memory: not where those who have the
 * row write it in one piece, or a work-item in a few of four places, which is faster.
 */
size_t clsm_block_list_bytes(const struct config *config, const struct problem *p)
{
    const struct variant *v = &clsm_variants[config->variant];
    bool fours = p->k % 4 == 0 && p->k <= (workers_of(config) == 1 ? MOST_IN_FOURS : 4);
    bool blocks = v->geometry == ROWS_PER_GROUP && !v->whole_packs;
    if (!blocks || clsm_problem_y(p) != CLSM_Y_K || p->k <= 2 || fours)
        return 0;
    return p->k * (clsm_type_bytes(p->y.type) + sizeof(cl_int));
}

/* Bytes of all else that a row of a block takes in local memory. */
static size_t row_bytes_of(const struct config *config, const struct problem *p)
{
    size_t x = clsm_type_bytes(p->x.type), y = clsm_type_bytes(p->y.type);
    size_t bytes = x;
    if (clsm_has(p, CLSM_DY))
        bytes += clsm_type_bytes(p->dy.type);
    if (clsm_problem_y(p) == CLSM_Y_ROW && y != x)
        bytes += y;
    bytes *= p->cols;
    if (clsm_has(p, CLSM_TEMPERATURE))
        bytes += clsm_problem_real_bytes(p);
    return bytes + clsm_block_list_bytes(config, p);
}

/* The same with it, but where numbers have 16 bits: beside a target work-items take
 * more registers then, and a unit has room for fewer. */
static size_t crowding_bytes_of(const struct config *config, const struct problem *p)
{
    bool halves = clsm_type_bytes(p->x.type) == 2;
    return row_bytes_of(config, p) + (halves ? 0 : target_bytes_of(p));
}

/* Where local memory takes more than 196 KiB of an NVIDIA unit's 256, what is left to
 * its cache is too little, and all is up to a tenth slower. */
size_t clsm_block_rows(const struct config *config, const struct problem *p,
                       const struct traits *t)
{
    size_t workers = workers_of(config), turns = 1;
    size_t row_bytes = p->cols * clsm_type_bytes(p->x.type);
    double busy = (double)MANY_ITEM_BYTES * UNIT_ITEMS * t->compute_units;
    bool many = clsm_problem_likely_rows(p) * (double)row_bytes >= busy;
    bool staged = !clsm_variants[config->variant].whole_packs;
    size_t item_bytes = staged && many ? MANY_ITEM_BYTES : ITEM_BYTES;
    while (turns < MAX_TURNS && turns * row_bytes < item_bytes * workers)
        turns *= 2;
    size_t sets = clsm_config_wg(config) / workers;
    while (staged && turns > 1 &&
           sets * turns * crowding_bytes_of(config, p) > MANY_BLOCK_BYTES)
        turns /= 2;
    return sets * turns;
}

const char *clsm_block_misfit(const struct config *config, const struct problem *p,
                              const struct traits *t)
{
    size_t workers = workers_of(config), rows = clsm_block_rows(config, p, t);
    size_t bytes = rows * row_bytes_of(config, p);
    size_t targets = rows * target_bytes_of(p);
    size_t held = held_of(config, p) * (clsm_has(p, CLSM_DY) ? 2 : 1);
    if (workers > 1 && !(t->bits & TRAIT_SWAP))
        return "the device has no working subgroups";
    if (workers > 1 && workers > t->lanes)
        return "the device's subgroups are smaller";
    if (held * (clsm_problem_is_f64(p) ? 2 : 1) > MAX_HELD_WORDS)
        return "the rows do not fit in registers";
    if (bytes > MAX_BLOCK_BYTES || bytes + targets + BLOCK_SPARE_BYTES > t->local_bytes)
        return "the rows do not fit in local memory";
    return NULL;
}

unsigned clsm_block_registers(const struct config *config, const struct problem *p)
{
    size_t held = held_of(config, p);
    if (!clsm_problem_is_loss_gradient(p) || clsm_problem_is_f64(p) ||
        clsm_variants[config->variant].whole_packs)
        return 0;
    for (size_t i = 0; i < sizeof registers_for / sizeof *registers_for; i++)
        if (held >= registers_for[i].held)
            return registers_for[i].registers;
    return 0;
}
