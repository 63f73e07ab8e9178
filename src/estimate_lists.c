/* SPDX-License-Identifier: MIT */
/*
 * What a list of the largest elements costs, see cl/op_topk.cl. Each work-item compares
 * every element with the end of its own list; a set of lanes goes through the list
 * where any of them has found one that belongs there, which is rarer the more it has
 * seen. Then all of a row's work-items bring their heads together, place by place.
 */
#include "estimate.h"

#include <math.h>

enum {
    COMPARE_STEPS = 4, /* for each element, */
    HELD_STEPS = 60,   /* more where the element is in a register of a pack, */
    MOVE_STEPS = 6,    /* for each place that one is moved past; */
    PLACE_STEPS = 42,  /* of the result: between lanes, */
    LEVEL_STEPS = 18,  /* for each doubling of these, */
    GROUP_STEPS = 82,  /* or by way of local memory */
    DROP_STEPS = 4,    /* for each place of the list whose head was taken */
    AGAIN_STEPS = 40,  /* for each element, if a list has run out */
    LANES_CYCLES = 795,
    GROUP_CYCLES = 910
};

static bool has_barriers(const struct config *config)
{
    return clsm_variants[config->variant].geometry == ROW_PER_GROUP;
}

static double length_of(const struct problem *p, double workers)
{
    double share = floor(3 * (double)p->k / workers) + 3, k = (double)p->k;
    return workers > 1 && share < k ? share : k;
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

double clsm_list_steps(const struct config *config, const struct problem *p,
                       const struct traits *t)
{
    if (clsm_problem_y(p) != CLSM_Y_K)
        return 0;
    bool packs = clsm_variants[config->variant].packs;
    double workers = clsm_config_workers(config, t), k = (double)p->k;
    double pack = packs ? (double)PACK_BYTES / (double)clsm_type_bytes(p->x.type) : 1;
    double busy = fmin(workers, fmax(1, ceil((double)p->cols / pack)));
    double length = length_of(p, workers), n = (double)p->cols / busy;
    /* number n from the start belongs to the `length` largest of so many lists by the
     * chance SET_LANES length / n */
    double sure = SET_LANES * length;
    double entered = n <= sure ? n : sure * (1 + log(n / sure));
    double place = workers == 1           ? 0
                   : has_barriers(config) ? GROUP_STEPS
                                          : PLACE_STEPS + LEVEL_STEPS * log2(workers);
    return n * (COMPARE_STEPS + (packs ? HELD_STEPS : 0)) +
           entered * length * MOVE_STEPS + k * (place + length * DROP_STEPS) +
           runs_out(length, k, busy) * n * AGAIN_STEPS;
}

double clsm_list_cycles(const struct config *config, const struct problem *p,
                        const struct traits *t)
{
    if (clsm_problem_y(p) != CLSM_Y_K || clsm_config_workers(config, t) == 1)
        return 0;
    return (double)p->k * (has_barriers(config) ? GROUP_CYCLES : LANES_CYCLES);
}
