/* SPDX-License-Identifier: MIT */
/*
 * What an enqueue takes on a GPU where work-groups or clusters of lanes hold rows or
 * parts of them in registers and local memory, see cl/held.cl.
 */
#include "estimate.h"

#include <math.h>

/* Fitted together, so that they rank: what one alone says is not to the cycle. */
enum {
    OTHER_REGISTERS = 32,   /* that a work-item needs besides what it holds */
    CLUSTER_REGISTERS = 40, /* where nobody limits them, and twice the words */
    MANY_ITEMS = 250,       /* that keep a unit busy */

    PART_STEPS = 380,       /* for each part that comes ahead, with tickets, */
    TARGET_ROW_STEPS = 175, /* more with a target; */
    EDGE_STEPS = 42,        /* of lanes that look for an edge; whole packs step then */

    RAGGED_BYTES = 190, /* of pieces of memory that a row shares with others */
    PEAK_BYTES = 43,    /* in a cycle, for a unit that others leave alone */

    SECOND_KERNEL_CYCLES = 19500, /* for one more launch, */
    THIRD_KERNEL_CYCLES = 3500,   /* and for another, much shorter one */
    PIECES_CYCLES = 1500, /* until work-groups have found their pieces of rows */

    WAIT = 333,           /* from a load to its use */
    REDUCE_CYCLES = 1600, /* until a row's sum is there, between lanes ... */
    LANES_CYCLES = 164,   /* ... of one set, ... */
    AHEAD_CYCLES = 860,   /* ... or from local memory */
    TARGET_CYCLES = 640,  /* from a target to the logit there */
    QUEUE_CYCLES = 2920,  /* that others make each wait for its turn */
    TICKET_CYCLES = 3140,
    JOIN_CYCLES = 4300, /* until all parts of a row have seen each other, */
    TOLD_CYCLES = 1610, /* where nobody pauses before the first look, */
    LOOK_CYCLES = 2270, /* for each look at as many as a set of lanes has, */
    LOOK_PARTS = 32,
    JOIN_QUEUE = 3480,  /* and in each round that is not over before it begins; */
    LATE_CYCLES = 3590, /* such rounds of parts are in step, and memory waits, ... */
    LATE_PART = 183,    /* ... and for each part */
    MASK_WORDS = 16,    /* that leave registers for masks */
    ONCE_STEPS = 10, /* of an element of 4 and of 2 bytes, with its mask, where one */
    ONCE_HALF = 7,   /* pass makes terms of it, see cl/held_once.cl, */
    ONCE_PART_STEPS = 700, /* and for each part */
    SETTLE_CYCLES = 6000   /* until masks stand where they stay */
};

/* Cycles of a step that no other work-item fills; local memory against registers; what
 * is read again, in one launch, where it is waited for, or in two, as far as no cache
 * has it. */
static const double SERIAL = 2.4, STOCK_COST = 1.09;
static const double AGAIN = 1.2, AGAIN_LATER = 1.4;
/* Rows in pieces, whose work-groups have each to find theirs, or which one goes through
 * and writes each before the next comes. */
static const double PIECES_COST = 1.05, IN_TURN_COST = 1.12;
/* Masks that do not stand as x does, one by one; others beside many packs. */
static const double GATHER_COST = 1.3, MASK_COST = 1.2;
/* Masks of 2 and more bytes from the cache beside each row; parts that are the same of
 * every row for nothing. */
static const double CACHE_COST = 1.3, SETTLED_COST = 1.3;
/* A part's way where one pass makes terms of it, of elements of 4 and of 2 bytes. */
static const double ONCE_COST = 0.65, ONCE_COST_HALF = 0.6;
/* Steps of 16-bit elements whose masks stay, where no pass makes all of them at once.
 */
static const double STAYING_HALF = 0.9;

/* Steps of a work-item, by the effort: for a row, where a work-group has it, where a
 * cluster has it, and there for each doubling of the lanes; for an element of 4 and of
 * 2 bytes. */
static const struct {
    double row, lanes, level, element, half;
} steps_of[EFFORTS] = {
    [WRITES] = {165, 196, 0, 17, 6},       [SUMS] = {210, 247, 12, 5, 9},
    [NORMALISES] = {355, 155, 10, 31, 20}, [LOGARITHM] = {405, 399, 14, 36, 20},
    [NUMBERS] = {325, 465, 8, 14, 7},
};

/* One work-group's share of a problem. */
struct share {
    double groups, parts, wg, resident;
    bool barriers, waits, joins, stock, ragged;
};

static struct share share_of(const struct config *config, const struct problem *p,
                             const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    double rows = clsm_problem_likely_rows(p);
    double per_group = (double)clsm_config_rows_per_group(config, p, t);
    double words = clsm_config_held_words(config, p, t);
    size_t stock = clsm_config_stock_bytes(config, p, t), wg = clsm_config_wg(config);
    struct share s = {.wg = (double)wg, .stock = stock > 0};
    s.parts = (double)clsm_config_parts(config, p, t);
    s.groups = fmax(1, ceil(rows / per_group)) * s.parts;
    s.barriers = v->geometry != ROW_PER_CLUSTER;
    s.waits = v->geometry == ROW_PER_GROUPS && v->packs;
    s.joins = s.waits && !clsm_has(p, CLSM_FROM_MAX);
    s.ragged = p->cols * clsm_type_bytes(p->x.type) % PACK_BYTES != 0;
    double registers =
        s.barriers ? words + OTHER_REGISTERS : 2 * words + CLUSTER_REGISTERS;
    s.resident = floor(UNIT_REGISTERS / (registers * s.wg));
    s.resident = fmin(s.resident, UNIT_ITEMS / s.wg);
    if (stock)
        s.resident = fmin(s.resident,
                          floor(clsm_unit_local_bytes(t) / (double)(stock + 16 * wg)));
    s.resident = fmax(1, s.resident);
    return s;
}

/* Are they not, since all rows have the same and it stays? */
static bool saves_mask(const struct config *config, const struct problem *p)
{
    const clsm_mask_stride *stride = &p->mask_stride;
    return clsm_problem_has_far_mask(p) && clsm_masks_stay(config, p) && !stride->row &&
           !stride->inner && (p->one_matrix || !(stride->batch || stride->head));
}

static bool goes_once(const struct config *config, const struct problem *p)
{
    return saves_mask(config, p) && clsm_problem_effort(p) == NORMALISES;
}

static double element_steps(const struct config *config, const struct problem *p)
{
    enum effort effort = clsm_problem_effort(p);
    bool halves = clsm_type_bytes(p->x.type) == 2;
    if (goes_once(config, p))
        return halves ? ONCE_HALF : ONCE_STEPS;
    double steps = halves ? steps_of[effort].half : steps_of[effort].element;
    steps += clsm_form_steps(p);
    if (halves && saves_mask(config, p))
        steps *= STAYING_HALF;
    return clsm_problem_is_f64(p) ? 100 : steps;
}

static double row_steps(const struct config *config, const struct problem *p,
                        const struct share *s, const struct traits *t)
{
    enum effort effort = clsm_problem_effort(p);
    double lanes = log2(clsm_config_workers(config, t));
    double steps = goes_once(config, p)                   ? ONCE_PART_STEPS
                   : clsm_variants[config->variant].ahead ? PART_STEPS
                   : s->barriers
                       ? steps_of[effort].row
                       : steps_of[effort].lanes + lanes * steps_of[effort].level;
    return steps + (clsm_has(p, CLSM_TARGETS) ? TARGET_ROW_STEPS : 0);
}

/* Of one work-item, for all its elements of a row. */
static double elements_steps(const struct config *config, const struct problem *p,
                             const struct share *s, const struct traits *t)
{
    double workers = clsm_config_workers(config, t) * s->parts;
    double pack = PACK_BYTES / (double)clsm_type_bytes(p->x.type);
    if (s->barriers)
        return (double)p->cols / workers * element_steps(config, p);
    return clsm_config_packs(config, p, t) * pack * element_steps(config, p) +
           (s->ragged ? EDGE_STEPS : 0);
}

/* The same where the next part comes ahead: a mask that stays is read once for each
 * work-group that is there, or as often as there are rows for it. */
static double ahead_cost(const struct config *config, const struct problem *p,
                         const struct share *s, const struct traits *t)
{
    bool settled = clsm_variants[config->variant].settled;
    if (saves_mask(config, p))
        return 1 +
               (CACHE_COST - 1) * fmin(1, s->resident * t->compute_units / s->groups);
    return (clsm_problem_has_far_mask(p) ? CACHE_COST : 1) *
           (settled ? SETTLED_COST : 1);
}

/* What masks cost that find no room beside what is held. */
static double mask_cost(const struct config *config, const struct problem *p,
                        const struct share *s, const struct traits *t)
{
    double words = clsm_config_held_words(config, p, t);
    double room = clsm_type_bytes(p->x.type) > 2 ? MASK_WORDS : 2 * MASK_WORDS;
    if (clsm_variants[config->variant].ahead)
        return ahead_cost(config, p, s, t);
    if (!clsm_has(p, CLSM_MASK) || !s->barriers)
        return 1;
    if (s->ragged && (s->stock || clsm_problem_has_far_mask(p)))
        return GATHER_COST;
    return s->stock || words > room ? MASK_COST : 1;
}

/* Cycles that memory is busy with all of it. */
static double memory_cycles(const struct problem *p, const struct share *s,
                            double again, const struct traits *t)
{
    struct row_bytes bytes = clsm_row_bytes(p);
    double in = bytes.in * clsm_columns_seen(p);
    double row = in * (1 + again) + bytes.out + bytes.numbers;
    row += s->ragged ? RAGGED_BYTES : 0;
    return clsm_problem_likely_rows(p) * row / (UNIT_BYTES * (double)t->compute_units);
}

/* What is read again of a row, in one launch or in `rounds` of them: the second reading
 * of long rows comes from the cache in part. */
static double read_again(const struct config *config, const struct problem *p,
                         unsigned launches, double rounds)
{
    if (launches > 1)
        return rounds > 1 ? AGAIN_LATER : 0;
    bool held = clsm_variants[config->variant].packs;
    return !held && clsm_config_reads(config, p) > 1 ? AGAIN : 0;
}

static double launch_cycles(const struct variant *v, unsigned launches)
{
    return KERNEL_CYCLES + (launches > 1 ? SECOND_KERNEL_CYCLES : 0) +
           (launches > 2 ? THIRD_KERNEL_CYCLES : 0) + (v->launches ? PIECES_CYCLES : 0);
}

double clsm_estimate_held(const struct config *config, const struct problem *p,
                          const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    struct share s = share_of(config, p, t);
    struct row_bytes bytes = clsm_row_bytes(p);
    bool writes_row = clsm_problem_y(p) == CLSM_Y_ROW,
         given = clsm_problem_effort(p) == WRITES;
    double units = t->compute_units, busy = fmin(s.groups, units);
    unsigned launches = clsm_config_launches(config, p);
    double rounds = launches > 1 && writes_row ? 2 : 1; /* of who has elements */
    double again = read_again(config, p, launches, rounds);
    double held = (s.stock ? STOCK_COST : 1) *
                  (v->launches                        ? PIECES_COST
                   : given && writes_row && !v->packs ? IN_TURN_COST
                                                      : 1) *
                  mask_cost(config, p, &s, t);
    double memory = held * memory_cycles(p, &s, again, t);
    double row = row_steps(config, p, &s, t),
           elements = elements_steps(config, p, &s, t);
    double steps = row + elements * (1 + again / 2) + clsm_list_steps(config, p, t);
    double there = fmin(ceil(s.groups / units), s.resident) * s.wg;
    double work = s.groups * s.wg * steps / UNIT_LANES / busy;
    work *= fmax(1, MANY_ITEMS / there) * held;

    /* one work-group by itself, and what others make it wait for its turn */
    double most = clsm_config_value(config, PARAM_PACKS, 0) * PACK_BYTES /
                  (double)clsm_type_bytes(p->x.type) * element_steps(config, p);
    double chunks = most > 0 ? fmax(1, ceil(elements / most)) : 1;
    double per_group = (double)clsm_config_rows_per_group(config, p, t);
    double moved = (bytes.in + bytes.out + bytes.numbers) *
                   fmin(clsm_problem_likely_rows(p), per_group) / s.parts / chunks;
    double reduce = v->ahead ? AHEAD_CYCLES : s.barriers ? REDUCE_CYCLES : LANES_CYCLES;
    double looks = ceil(s.parts / LOOK_PARTS);
    bool adds = clsm_problem_adds_mask(p);
    double join = v->ahead ? TOLD_CYCLES + LOOK_CYCLES
                  : adds   ? 0 /* other parts are told while masks come */
                           : JOIN_CYCLES + LOOK_CYCLES;
    double alone = WAIT + (given ? 0 : reduce) + moved / PEAK_BYTES +
                   s.wg * (row + elements / chunks) / UNIT_LANES +
                   elements / chunks * SERIAL + clsm_list_cycles(config, p, t);
    alone +=
        (s.waits ? TICKET_CYCLES : 0) + (clsm_has(p, CLSM_TARGETS) ? TARGET_CYCLES : 0);
    /* where no row is written, only the first part waits for the others; whoever takes
     * several looks at them does so while others work, but at the end */
    double last = s.joins && !writes_row ? join : 0;
    last += s.joins ? LOOK_CYCLES * (looks - 1) : 0;
    last += saves_mask(config, p) ? SETTLE_CYCLES : 0;
    bool in_step = s.joins && writes_row && !v->ahead;
    alone += s.joins && writes_row ? join : 0;
    /* between its own chunks it waits for others only as far as there are any */
    double others = chunks > 1 ? fmin(1, s.groups / units) : 1;
    double queue = QUEUE_CYCLES * others + (in_step ? JOIN_QUEUE : 0);
    double turns = ceil(s.groups / (units * s.resident)) * chunks * rounds;
    bool halves = clsm_type_bytes(p->x.type) == 2;
    double way = saves_mask(config, p) ? halves ? ONCE_COST_HALF : ONCE_COST : 1;
    double waiting = (turns - 1) * (alone + queue) * way;
    double late = LATE_CYCLES + LATE_PART * s.parts;
    late *= in_step ? turns - 1 : 0;
    return (launch_cycles(v, launches) + alone + last + late +
            clsm_together(work, memory, waiting)) /
           HERTZ;
}
