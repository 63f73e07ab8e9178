/* SPDX-License-Identifier: MIT */
/*
 * Tiles of neighbouring softmaxes, see cl/tile.cl: what their workers hold, how many
 * share one, and what an enqueue takes on a GPU.
 */
#include "choose.h"
#include "shared.h"

#include <math.h>

enum {
    MOST_BESIDE = 4,     /* of a worker, whose every sum is four registers ... */
    MOST_BESIDE_F64 = 2, /* ... or eight */
    HELD_WORDS = 32,
    MOST_HELD_WORDS = 64,     /* where fewer do not do, ... */
    MOST_ITEM_WORDS = 128,
    MOST_GROUP_WORDS = 32768, /* ... as half of the registers are */
    REGISTERS = 48,           /* besides what is held, ... */
    HALVES_REGISTERS = 64,    /* of which words of 16 bits make more, ... */
    MORE_REGISTERS = 80,      /* ... or where there is more to do */
    LEAST_REGISTERS = 64,
    AHEAD_REGISTERS = 80, /* three, where the next part comes to local memory, ... */
    HALF_REGISTERS = 96,  /* ... or five of 128 work-items, which wait for others */
    TURN_WORDS = 16,      /* where a worker has more than that */
    TILE_GROUPS = 4,      /* of a unit, for tiles in parts */
    FEW_PARTS = 32,       /* whose records everybody reads */
    PARTS_A_GROUP = 16,
    FEW_READERS = 4 /* of a softmax's records: fewer take too long for a group's */
};

unsigned clsm_config_tile(const struct config *config)
{
    return clsm_config_value(config, "TILE", 1);
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
    size_t beside = clsm_config_beside(config, p),
           real = clsm_problem_is_f64(p) ? 8 : 4;
    bool ready = clsm_problem_has_forms(p) && !clsm_variants[config->variant].ahead;
    size_t x = ready ? real : clsm_type_bytes(p->x.type);
    return (beside * x + 3) / 4 + dy_words(config, p);
}

/* Columns that a worker has, if nobody shares the tile. */
static size_t columns_of(const struct config *config, const struct problem *p)
{
    size_t depth = clsm_config_wg(config) * clsm_config_beside(config, p) /
                   clsm_config_tile(config);
    return p->cols ? (p->cols - 1) / depth + 1 : 1;
}

/* What a worker would hold of all of its columns, whose counts are rounded up to a few
 * classes if programs are not for one row length. */
static size_t whole_columns(const struct config *config, const struct problem *p)
{
    size_t n = columns_of(config, p);
    return n <= 4 || by_item(config) ? n : (n + 3) / 4 * 4;
}

/* 0 where it takes them in turns. */
static size_t whole_words(const struct config *config, const struct problem *p)
{
    size_t words = whole_columns(config, p) * column_words(config, p);
    bool parts = clsm_variants[config->variant].geometry == ROW_PER_GROUPS;
    size_t most = by_item(config) ? MOST_ITEM_WORDS : MOST_HELD_WORDS;
    bool fits = words <= most && words * clsm_config_wg(config) <= MOST_GROUP_WORDS;
    return !parts && fits ? words : 0;
}

/* A worker's columns of a part that waits in registers: as evenly as that goes. */
static unsigned held_ahead(const struct config *config, const struct problem *p)
{
    size_t columns = columns_of(config, p);
    size_t most = HELD_WORDS / column_words(config, p);
    size_t parts = (columns - 1) / most + 1;
    return (unsigned)((columns - 1) / parts + 1);
}

/* Is there only one such part, so that nobody waits? */
static bool is_whole(const struct config *config, const struct problem *p)
{
    return held_ahead(config, p) >= columns_of(config, p);
}

size_t clsm_tile_stock_bytes(const struct config *config, const struct problem *p)
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
    if (beside > 1 && clsm_problem_y(p) == CLSM_Y_K)
        return "takes operations that give no lists";
    if (!whole_words(config, p))
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

    size_t real = clsm_problem_is_f64(p) ? 8 : 4, tile = clsm_config_tile(config);
    size_t groups = t->lanes ? clsm_config_wg(config) / t->lanes : 1;
    size_t local = clsm_tile_stock_bytes(config, p) +
                   real * (3 * tile * (groups + 1) + 4 * groups) +
                   2 * sizeof(cl_ulong) * clsm_config_wg(config) + sizeof(cl_uint);
    if (p->inner % clsm_config_beside(config, p))
        return "takes packs of neighbours";
    if (clsm_has(p, CLSM_DY) &&
        clsm_type_bytes(p->dy.type) != clsm_type_bytes(p->x.type))
        return "takes a gradient as wide as its result";
    if (p->causal || p->window)
        return "takes rows of which all columns count";
    if (local > t->local_bytes)
        return "the device has too little local memory";
    return NULL;
}

unsigned clsm_config_hold(const struct config *config, const struct problem *p,
                          const struct traits *t, bool *all)
{
    (void)t;
    if (clsm_variants[config->variant].ahead) {
        *all = false;
        return held_ahead(config, p);
    }
    *all = whole_words(config, p) > 0;
    return (unsigned)(*all ? whole_columns(config, p)
                           : TURN_WORDS / column_words(config, p));
}

/* As many as a unit has for no fewer work-groups than with so many. */
static unsigned as_many_registers(unsigned registers, const struct config *config)
{
    unsigned wg = (unsigned)clsm_config_wg(config);
    unsigned groups = UNIT_REGISTERS / (registers * wg);
    unsigned most = groups ? UNIT_REGISTERS / (groups * wg) : registers;
    return most - most % REGISTER_STEP;
}

unsigned clsm_tile_registers(const struct config *config, const struct problem *p)
{
    bool more = clsm_has(p, CLSM_TARGETS) || clsm_has(p, CLSM_MASK) ||
                clsm_problem_is_batched(p) || clsm_problem_y(p) == CLSM_Y_K;
    size_t words = whole_words(config, p);
    if (clsm_config_tile(config) == 1 || clsm_problem_is_f64(p) || by_item(config))
        return 0;
    if (clsm_variants[config->variant].ahead)
        return clsm_config_wg(config) > 128 || is_whole(config, p) ? AHEAD_REGISTERS
                                                                   : HALF_REGISTERS;
    unsigned halves = clsm_type_bytes(p->x.type) == 2 ? HALVES_REGISTERS : REGISTERS;
    unsigned wanted = (more ? MORE_REGISTERS : halves) + (unsigned)words;
    return as_many_registers(wanted > LEAST_REGISTERS ? wanted : LEAST_REGISTERS,
                             config);
}

/* Enough to keep the device busy, while one pair of launches has records for all. */
size_t clsm_tile_parts(const struct config *config, const struct problem *p,
                       const struct traits *t)
{
    bool all;
    size_t hold = clsm_config_hold(config, p, t, &all), tile = clsm_config_tile(config);
    size_t most = (columns_of(config, p) - 1) / hold + 1;
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

/* Cycles; bench/NOTES.md has the measurements that these fit. */
enum {
    LAUNCH = 5000,
    WAIT = 1500,       /* from a load to its use */
    REDUCE = 500,      /* a maximum and a sum through local memory */
    ROW_STEPS = 350,   /* of a work-item for each tile ... */
    PART_STEPS = 700,  /* ... or part that comes ahead, */
    SPILL_STEPS = 900, /* more of 16-bit elements, with more than 128 work-items, */
    RECORD_STEPS = 15, /* and for each part's record that it reads then */
    RECORD_BYTES = 16,
    GROUPED_WAIT = 20,  /* for each part, where they are many */
    TURN_CYCLES = 150,  /* of each part's ticket and record */
    ELEMENT_STEPS = 13, /* from its load to its result */
    PIECE = 32,         /* bytes that memory moves at least, */
    HALF_LINE = 64,     /* better */
    LINE = 128,         /* and best */
    F64_REGISTERS = 128
};
static const double unit_bytes = 18, unit_cache_bytes = 18; /* in a cycle */
static const double cache_bytes = 50e6, unit_lanes = 128;

/* What memory moves for each byte of a tile's column. */
static double spread(const struct config *config, const struct problem *p)
{
    size_t tile = clsm_config_tile(config), inner = p->inner ? p->inner : 1;
    size_t width = inner < tile ? inner : tile;
    double bytes = (double)(width * clsm_type_bytes(p->x.type));
    bool cut = inner % tile && tile % inner;
    double pieces = ceil(bytes / PIECE) + (cut ? 1 : 0);
    return pieces * PIECE / bytes * (bytes < HALF_LINE ? 1.4 : bytes < LINE ? 1.1 : 1);
}

/* Cycles for each of a unit's work-groups, of which so many take turns at the memory,
 * each for `moving`, and otherwise do not hinder one another. Source: Reiser and
 * Lavenberg, mean value analysis. */
static double cycles_a_group(double moving, double alone, unsigned resident)
{
    double queue = 0, all = 0;
    for (unsigned n = 1; n <= resident; n++) {
        double at_memory = moving * (1 + queue);
        all = (at_memory + alone) / n;
        queue = at_memory / all;
    }
    return all;
}

double clsm_estimate_tiles(const struct config *config, const struct problem *p,
                           const struct traits *t)
{
    bool all, known = !p->deterministic && p->rows;
    double launches = clsm_config_launches(config, p);
    double rows = clsm_problem_likely_rows(p);
    double tile = clsm_config_tile(config), wg = (double)clsm_config_wg(config);
    double units = t->compute_units;
    double parts = !known ? 1 : (double)clsm_config_parts(config, p, t);
    double groups = fmax(1, ceil(rows / tile)) * parts;
    double in = (double)p->cols * (double)clsm_type_bytes(p->x.type);
    double out = (double)p->y.cols * (double)clsm_type_bytes(p->y.type);
    if (clsm_has(p, CLSM_DY))
        in += (double)p->cols * (double)clsm_type_bytes(p->dy.type);

    /* what is read again comes from the cache as far as that reaches */
    double registers = clsm_tile_registers(config, p);
    double resident = UNIT_REGISTERS / (registers > 0 ? registers : F64_REGISTERS) / wg;
    resident = fmax(1, floor(resident));
    double there = fmin(ceil(groups / units), resident);
    double under_way = launches > 1 ? rows : fmin(rows, there * units * tile);
    double missed = 1 - 0.4 * fmin(1, cache_bytes / (under_way * (in + out)));
    double reads = clsm_config_reads(config, p, t);
    double bytes = in * (1 + missed * (reads - 1)) + out;
    double moving = bytes * fmin(rows, tile) / parts / unit_bytes * spread(config, p);
    bool ahead = clsm_variants[config->variant].ahead;
    bool joins = ahead && parts > 1 && !clsm_has(p, CLSM_FROM_MAX);
    double part_groups = (double)clsm_tile_part_groups(config, p, t);
    double records = part_groups > 0 ? part_groups + 1 : parts;
    if (joins) /* everybody reads what parts of a tile, or groups of them, have left */
        moving += TURN_CYCLES + records * tile * RECORD_BYTES / unit_cache_bytes;

    double columns = (double)columns_of(config, p) / parts;
    double beside = clsm_config_beside(config, p);
    double turns = fmax(1, ceil(columns / clsm_config_hold(config, p, t, &all)));
    double steps = ahead ? PART_STEPS : ROW_STEPS;
    if (ahead && wg > 128 && clsm_type_bytes(p->x.type) == 2)
        steps += SPILL_STEPS;
    steps += columns * beside * ELEMENT_STEPS * (1 + reads) / 2;
    steps += joins ? RECORD_STEPS * records * tile / wg : 0;
    double work = wg * steps / unit_lanes;
    double wait = ahead && !joins ? 0 : WAIT; /* while the last one is written */
    double alone = launches * (wait + REDUCE) + (turns - 1) * reads * WAIT / 4 + work;
    if (joins && part_groups > 0) /* the last of more of them is waited for longer */
        alone += GROUPED_WAIT * parts;
    double each = fmax(work, cycles_a_group(moving, alone, (unsigned)there));
    return (launches * LAUNCH + alone + ceil(groups / units) * each) / 1.75e9;
}
