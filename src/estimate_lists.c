/* SPDX-License-Identifier: MIT */
/*
 * What a list of the largest elements costs, see cl/topk_lists.cl. Each work-item
 * compares every element with the end of its own list; a set of lanes goes through the
 * list where any of them has found one that belongs there, which is rarer the more it
 * has seen. Then all of a row's work-items bring their heads together, place by place,
 * and write them.
 */
#include "estimate.h"

#include <math.h>

/* Fitted together to times of a busy H200, those of STAGED and ITEM apart since lists
 * leave through local memory there, see bench/NOTES.md. */
enum {
    DROP_STEPS = 3,     /* for each place of the list whose head was taken */
    STORE_STEPS = 31,   /* of one that lanes write, for each lane's that it is apart, */
    FOUR_STEPS = 10,    /* of four that a work-item alone writes as one, */
    TWO_STEPS = 17,     /* of two, */
    ALONE_STEPS = 33,   /* of one by itself */
    AGAIN_STEPS = 135,  /* for each element, if a list has run out */
    FREE_REGISTERS = 47 /* that elements and lists have room in */
};

/* Steps for each place that an element is moved past, as a pair and as a key; how much
 * longer they take for each register that there is no room for; registers of an element
 * of 2 bytes. */
static const double PAIR_STEPS = 4, KEY_STEPS = 0.45, CROWDED = 0.18, HALF_HELD = 0.36;

/* Who has a list. */
enum holder { LOOP, GROUP, LANES, BLOCK, STAGED, ITEM, TILE };

static const struct {
    double element, place; /* steps */
    double cycles;         /* that one place waits for the one before */
    double times;          /* what all steps take */
    double level;          /* steps of a place, for each doubling of lanes that agree */
    bool holds;            /* are elements in registers? */
} costs_of[] = {
    [LOOP] = {0, 63, 0, 0.85, 0, false},
    [GROUP] = {8.4, 190, 188, 1.25, 0, true},
    [LANES] = {30, 49, 1400, 0.56, 17, true},
    [BLOCK] = {11.3, 0, 154, 0.87, 13, true},
    [STAGED] = {17, 31.5, 310, 1.23, 8.5, true},
    [ITEM] = {24, 10, 0, 1.46, 0, true},
    [TILE] = {22, 230, 7000, 2.1, 0, false},
};

static enum holder holder_of(const struct config *config, const struct problem *p)
{
    const struct variant *v = &clsm_variants[config->variant];
    if (v->geometry == ROWS_PER_GROUP)
        return clsm_block_list_bytes(config, p) ? STAGED : BLOCK;
    if (v->geometry == ROWS_PER_ITEM)
        return ITEM;
    if (clsm_config_tile(config) > 1)
        return TILE;
    if (v->geometry == ROW_PER_CLUSTER)
        return LANES;
    return v->packs ? GROUP : LOOP;
}

double clsm_list_entered(double n, double length, double lanes)
{
    /* number n from the start is one of the `length` largest of so many lists by the
     * chance lanes length / n */
    double sure = lanes * length;
    return n <= sure ? n : sure * (1 + log(n / sure));
}

/* The chance that one of so many workers has `length` and more of the k largest: they
 * fall on them as Poisson says. */
static double runs_out(double length, double k, double workers)
{
    double mean = k / workers, term = exp(-mean), below = 0;
    for (int i = 0; i < (int)length; i++) {
        below += term;
        term *= mean / (i + 1);
    }
    return length < k ? 1 - pow(below, fmax(workers, SET_LANES)) : 0;
}

/* Neighbouring places that a work-item by itself writes as one. */
static double places_at_once(const struct problem *p)
{
    return p->inner > 1 ? 1 : p->k % 4 == 0 ? 4 : p->k % 2 == 0 ? 2 : 1;
}

/* Steps for each place of a list that an element moves past. */
static double move_steps(const struct problem *p, double length, double held)
{
    bool keys = clsm_problem_key_bits(p), half = clsm_type_bytes(p->x.type) == 2;
    double registers = held * (half ? HALF_HELD : 1) + length * (keys ? 1 : 2);
    return (keys ? KEY_STEPS : PAIR_STEPS) *
           (1 + CROWDED * fmax(0, registers - FREE_REGISTERS));
}

double clsm_list_steps(const struct config *config, const struct problem *p,
                       const struct traits *t)
{
    if (clsm_problem_y(p) != CLSM_Y_K)
        return 0;
    if (clsm_config_shares(config, p, t))
        return clsm_candidate_steps(config, p, t);
    enum holder by = holder_of(config, p);
    bool packs = clsm_variants[config->variant].packs;
    double workers = clsm_config_workers(config, t), k = (double)p->k;
    double pack = packs ? (double)PACK_BYTES / (double)clsm_type_bytes(p->x.type) : 1;
    double busy = fmin(workers, fmax(1, ceil((double)p->cols / pack)));
    double length = (double)clsm_config_list(config, p, t), n = (double)p->cols / busy;
    double entered = clsm_list_entered(n, length, SET_LANES);
    double place = costs_of[by].place;
    if (workers > 1)
        place += length * DROP_STEPS + costs_of[by].level * log2(workers);
    double once = workers > 1 ? 1 : places_at_once(p);
    double store = workers > 1 ? STORE_STEPS
                   : once > 2  ? FOUR_STEPS
                   : once > 1  ? TWO_STEPS
                               : ALONE_STEPS;
    double stores = by == STAGED ? 0 : ceil(k / workers) / once;
    double apart = p->inner > 1 ? 1 : fmax(1, k / workers);
    double moves = entered * length * move_steps(p, length, costs_of[by].holds ? n : 0);
    return costs_of[by].times *
           (n * costs_of[by].element + moves + k * place + stores * apart * store +
            runs_out(length, k, busy) * n * AGAIN_STEPS);
}

double clsm_list_cycles(const struct config *config, const struct problem *p,
                        const struct traits *t)
{
    if (clsm_problem_y(p) != CLSM_Y_K)
        return 0;
    if (clsm_config_shares(config, p, t))
        return clsm_candidate_cycles(config, p, t);
    enum holder by = holder_of(config, p);
    bool block = by == BLOCK || by == STAGED;
    bool waits = block || clsm_config_workers(config, t) > 1;
    return waits ? (double)p->k * costs_of[by].cycles : 0;
}
