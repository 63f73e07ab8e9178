/* SPDX-License-Identifier: MIT */
/* Tiles of neighbouring softmaxes, see cl/tile.cl: what their workers hold, and how
 * many share one. */
#include "shared.h"
#include "variant.h"

enum {
    MOST_BESIDE = 4,     /* of a worker, whose every sum is four registers ... */
    MOST_BESIDE_F64 = 2, /* ... or eight */
    HELD_WORDS = 32,
    MOST_HELD_WORDS = 64,     /* where fewer do not do */
    MOST_ITEM_WORDS = 168,    /* where a worker has softmaxes to itself, */
    MOST_LOSS_REALS = 256,    /* ... which targets' gradients need as reals */
    PAIR_REALS = 8,           /* of gradients of two classes each, ... */
    PAIR_REGISTERS = 48,      /* ... for which these are enough, */
    FEW_GRADIENT_REALS = 32,  /* and beyond these, ... */
    MOST_GRADIENT_REALS = 72, /* ... up to these, */
    GRADIENT_REGISTERS = 96,  /* ... it has so many registers */
    TURN_WORDS = 16,          /* of a turn, where it has more than that */
    TURN_REGISTERS = 64,
    MORE_REGISTERS = 80, /* with more to do; the same besides all that is held */
    LEAST_REGISTERS = 40,
    AHEAD_REGISTERS = 80, /* three groups, the next part in local memory, ... */
    HALF_REGISTERS = 96,  /* ... or five of 128 work-items, which wait for others */
    TILE_GROUPS = 4,      /* of a unit, for tiles in parts */
    FEW_PARTS = 32,       /* whose records everybody reads */
    PARTS_A_GROUP = 16,
    FEW_READERS = 8 /* of a softmax's records: fewer take too long for a group's */
};

/* Registers of a worker that holds all of its columns, besides their words and what
 * each takes beside these, for f32 and for 16 bits; for operations that give a
 * logarithm of the sum; and for those of them with targets. bench/NOTES.md has the
 * programs that these fit: few spill, and with more registers most are slower. */
static const double COLUMN_REGISTERS = 1.2;
static const unsigned besides[][EFFORTS][2] = {
    {[WRITES] = {48, 40},
     [SUMS] = {40, 34},
     [NORMALISES] = {52, 38},
     [NUMBERS] = {18, 20}},
    {[LOGARITHM] = {48, 48}, [NUMBERS] = {26, 28}},
    {[LOGARITHM] = {56, 64}, [NUMBERS] = {32, 38}},
};

unsigned clsm_config_tile(const struct config *config)
{
    return clsm_config_value(config, PARAM_TILE, 1);
}

/* Has a work-item softmaxes to itself? */
static bool by_item(const struct config *config)
{
    return clsm_variants[config->variant].geometry == ROWS_PER_ITEM;
}

unsigned clsm_config_beside(const struct config *config, const struct problem *p)
{
    unsigned n = clsm_problem_is_f64(p) ? MOST_BESIDE_F64 : MOST_BESIDE;
    if (by_item(config))
        return clsm_config_tile(config) / (unsigned)clsm_config_wg(config);
    if (clsm_config_tile(config) == 1 || clsm_problem_y(p) == CLSM_Y_K)
        return 1; /* lists of candidates are too long to have several */
    if (clsm_variants[config->variant].ahead)
        return n;
    while (p->inner % n)
        n /= 2;
    return n;
}

static size_t dy_words(const struct config *config, const struct problem *p)
{
    unsigned beside = clsm_config_beside(config, p);
    return clsm_has(p, CLSM_DY) ? (beside * clsm_type_bytes(p->dy.type) + 3) / 4 : 0;
}

/* Words of one column; logits that are more than x are held as reals. */
static size_t column_words(const struct config *config, const struct problem *p)
{
    size_t beside = clsm_config_beside(config, p), real = clsm_problem_real_bytes(p);
    bool ready = clsm_problem_has_forms(p) && !clsm_variants[config->variant].ahead;
    size_t x = ready ? real : clsm_type_bytes(p->x.type);
    return (beside * x + 3) / 4 + dy_words(config, p);
}

/* Columns that a worker has, if nobody shares the tile. */
size_t clsm_tile_columns(const struct config *config, const struct problem *p)
{
    size_t depth = clsm_config_wg(config) * clsm_config_beside(config, p) /
                   clsm_config_tile(config);
    return p->cols ? (p->cols - 1) / depth + 1 : 1;
}

/* May a work-item with softmaxes to itself take their columns in turns? */
static bool may_turn(const struct config *config, const struct problem *p)
{
    clsm_y y = clsm_problem_y(p);
    return by_item(config) && (y == CLSM_Y_ONE || y == CLSM_Y_NONE) &&
           p->cols <= FEW_HUNDRED;
}

/* 0 where it takes them in turns. */
static size_t whole_words(const struct config *config, const struct problem *p)
{
    size_t words = clsm_tile_columns(config, p) * column_words(config, p);
    bool parts = clsm_variants[config->variant].geometry == ROW_PER_GROUPS;
    size_t most =
        by_item(config) && !may_turn(config, p) ? MOST_ITEM_WORDS : MOST_HELD_WORDS;
    bool fits = words <= most && words * clsm_config_wg(config) <= GROUP_WORDS;
    return !parts && fits ? words : 0;
}

/* A worker's columns of so many words or fewer, as evenly as that goes. */
static unsigned evenly(size_t words, const struct config *config,
                       const struct problem *p)
{
    size_t columns = clsm_tile_columns(config, p);
    size_t most = words / column_words(config, p);
    size_t parts = (columns - 1) / most + 1;
    return (unsigned)((columns - 1) / parts + 1);
}

/* Of a part that waits in registers. */
static unsigned held_ahead(const struct config *config, const struct problem *p)
{
    return evenly(HELD_WORDS, config, p);
}

/* Is there only one such part, so that nobody waits? */
static bool is_whole(const struct config *config, const struct problem *p)
{
    return held_ahead(config, p) >= clsm_tile_columns(config, p);
}

/* Bytes of the part of a tile that comes ahead, in local memory; 0 if none does. */
static size_t stock_bytes(const struct config *config, const struct problem *p)
{
    bool ahead = clsm_variants[config->variant].ahead;
    return ahead ? 4 * held_ahead(config, p) * column_words(config, p) *
                       clsm_config_wg(config)
                 : 0;
}

static const char *item_misfit(const struct config *config, const struct problem *p)
{
    unsigned beside = clsm_config_beside(config, p);
    if (p->inner % beside)
        return "takes packs of neighbours";
    if (beside * clsm_type_bytes(p->x.type) > PACK_BYTES)
        return "neighbours are more than 16 bytes";
    if (beside > 1 && clsm_problem_y(p) == CLSM_Y_K)
        return "takes operations that give no lists";
    bool many = clsm_has(p, CLSM_LOSS) && p->cols * beside > MOST_LOSS_REALS;
    if (many || (!whole_words(config, p) && !may_turn(config, p)))
        return "the rows do not fit in registers";
    return NULL;
}

const char *clsm_tile_misfit(const struct config *config, const struct problem *p,
                             const struct traits *t)
{
    if (by_item(config))
        return item_misfit(config, p);
    if (!clsm_variants[config->variant].ahead)
        return NULL;

    size_t real = clsm_problem_real_bytes(p), tile = clsm_config_tile(config);
    size_t groups = t->lanes ? clsm_config_wg(config) / t->lanes : 1;
    size_t local = stock_bytes(config, p) +
                   real * (3 * tile * (groups + 1) + 4 * groups) +
                   2 * sizeof(cl_ulong) * clsm_config_wg(config) + 3 * sizeof(cl_uint);
    if (p->inner % clsm_config_beside(config, p))
        return "takes packs of neighbours";
    if (clsm_has(p, CLSM_DY) &&
        clsm_type_bytes(p->dy.type) != clsm_type_bytes(p->x.type))
        return "takes a gradient as wide as its result";
    if (clsm_config_beside(config, p) * clsm_type_bytes(p->x.type) < PACK_BYTES / 2)
        return "moves 8 bytes and more of neighbours";
    if (clsm_problem_is_bounded(p))
        return "takes rows of which all columns count";
    if (clsm_has(p, CLSM_TARGETS))
        return "takes no targets";
    if (local > t->local_bytes)
        return "the device has too little local memory";
    return NULL;
}

unsigned clsm_config_hold(const struct config *config, const struct problem *p,
                          bool *all)
{
    if (clsm_variants[config->variant].ahead) {
        *all = false;
        return held_ahead(config, p);
    }
    *all = whole_words(config, p) > 0;
    if (!*all && by_item(config))
        return evenly(MOST_HELD_WORDS, config, p);
    return (unsigned)(*all ? clsm_tile_columns(config, p)
                           : TURN_WORDS / column_words(config, p));
}

/* Is a softmax more than its columns, or its result a list? */
static bool has_more(const struct problem *p)
{
    return clsm_problem_has_forms(p) || clsm_problem_is_batched(p) ||
           clsm_problem_y(p) == CLSM_Y_K;
}

/* Of a worker that holds all of its columns, these in so many words. */
static unsigned held_registers(size_t words, const struct config *config,
                               const struct problem *p)
{
    bool halves = clsm_type_bytes(p->x.type) == 2 && !clsm_problem_has_forms(p);
    unsigned kind = clsm_has(p, CLSM_TARGETS)             ? 2
                    : clsm_op_may(p->op) & CLSM_LOGARITHM ? 1
                                                          : 0;
    unsigned beside = besides[kind][clsm_problem_effort(p)][halves];
    if (has_more(p) && beside < MORE_REGISTERS)
        beside = MORE_REGISTERS;
    size_t columns = clsm_tile_columns(config, p) * (clsm_has(p, CLSM_DY) ? 2 : 1);
    return beside + (unsigned)words + (unsigned)(COLUMN_REGISTERS * (double)columns);
}

/* Of a work-item with softmaxes to itself, where NVIDIA's compiler takes more for
 * gradients of targets than are good for four times two 16-bit numbers, if these have
 * no weights, smoothing or z-loss, or for some tens of them; elsewhere it decides
 * well. */
static unsigned item_registers(const struct config *config, const struct problem *p)
{
    size_t beside = clsm_config_beside(config, p), reals = p->cols * beside;
    bool plain =
        !clsm_has(p, CLSM_WEIGHTS) && p->label_smoothing == 0 && p->z_loss == 0;
    bool many =
        reals > FEW_GRADIENT_REALS && reals <= MOST_GRADIENT_REALS && beside <= 2;
    if (!clsm_problem_is_loss_gradient(p) || clsm_type_bytes(p->x.type) != 2)
        return 0;
    if (p->cols == 2 && reals == PAIR_REALS && plain && !has_more(p))
        return PAIR_REGISTERS;
    return many ? GRADIENT_REGISTERS : 0;
}

unsigned clsm_tile_registers(const struct config *config, const struct problem *p)
{
    bool gradient = clsm_has(p, CLSM_DY) && clsm_problem_y(p) == CLSM_Y_ROW;
    bool more = gradient || clsm_has(p, CLSM_TARGETS) || has_more(p);
    size_t words = whole_words(config, p);
    if (by_item(config))
        return item_registers(config, p);
    if (clsm_config_tile(config) == 1 || clsm_problem_is_f64(p))
        return 0;
    if (clsm_variants[config->variant].ahead)
        return clsm_config_wg(config) > 128 || is_whole(config, p) ? AHEAD_REGISTERS
                                                                   : HALF_REGISTERS;
    unsigned wanted = words  ? held_registers(words, config, p)
                      : more ? MORE_REGISTERS
                             : TURN_REGISTERS;
    wanted = wanted > LEAST_REGISTERS ? wanted : LEAST_REGISTERS;
    return clsm_whole_registers(wanted);
}

/* Enough to keep the device busy, while one pair of launches has records for all. */
size_t clsm_tile_parts(const struct config *config, const struct problem *p,
                       const struct traits *t)
{
    bool all;
    size_t hold = clsm_config_hold(config, p, &all), tile = clsm_config_tile(config);
    size_t most = (clsm_tile_columns(config, p) - 1) / hold + 1;
    if (clsm_variants[config->variant].ahead)
        return most;
    size_t tiles = (clsm_problem_sure_rows(p) - 1) / tile + 1;
    size_t records = SHARED_RECORDS / tile / tiles;
    size_t wanted = TILE_GROUPS * t->compute_units / tiles;
    wanted = wanted < records ? wanted : records;
    wanted = wanted < most ? wanted : most;
    return wanted ? wanted : 1;
}

/* A launch has fewer of them than SHARED_COUNTS, since each has 12 records or more, and
 * a tile 16 softmaxes. */
size_t clsm_tile_part_groups(const struct config *config, const struct problem *p,
                             const struct traits *t)
{
    bool ahead = clsm_config_tile(config) > 1 && clsm_variants[config->variant].ahead;
    size_t parts = ahead ? clsm_tile_parts(config, p, t) : 1;
    size_t readers = clsm_config_wg(config) / clsm_config_tile(config);
    return parts > FEW_PARTS && readers >= FEW_READERS ? (parts - 1) / PARTS_A_GROUP + 1
                                                       : 0;
}
