/* SPDX-License-Identifier: MIT */
/*
 * What it costs to choose a row's largest elements among candidates, see
 * cl/topk_candidates.cl: each element is compared with a threshold, which its workers
 * agree on in as many turns as there are places; what reaches it is looked at again,
 * and compared with every other one that does.
 */
#include "estimate.h"

#include <math.h>

enum holder { GROUP, LANES, LOOP };

/* Fitted together to times of a busy H200, see bench/NOTES.md. */
static const struct {
    double element, again, other, turn; /* steps */
    double times;                       /* what all steps take */
    double cycles, wait; /* of a row, and for each step of a turn and each candidate */
} costs_of[] = {
    [GROUP] = {1.34, 118, 7.36, 0.928, 2.06, 438, 8.73},
    [LANES] = {5.14, 23.4, 8.71, 0.352, 1.46, 175, 51.7},
    [LOOP] = {0.862, 30.4, 26.5, 0.487, 0.965, 412, 23.5},
};

static enum holder holder_of(const struct config *config)
{
    const struct variant *v = &clsm_variants[config->variant];
    return v->geometry == ROW_PER_CLUSTER ? LANES : v->packs ? GROUP : LOOP;
}

/* Candidates of a row: its largest elements, until as many shares have one of them as
 * there are places; and before the threshold is what it comes to, in a loop. */
static double candidates_of(const struct config *config, const struct problem *p,
                            const struct traits *t)
{
    double shares = (double)clsm_config_shares(config, p, t), all = 0;
    double block =
        clsm_config_value(config, "BLOCK", 0) * (double)clsm_config_workers(config, t);
    for (size_t j = 0; j < p->k; j++)
        all += shares / (shares - (double)j);
    return all * (block > 0 ? 1 + log(fmax(1, (double)p->cols / block)) : 1);
}

/* Steps in which lanes agree on a number: one where all do. */
static double turn_steps(const struct config *config, const struct problem *p,
                         const struct traits *t)
{
    double shares = (double)clsm_config_shares(config, p, t);
    return 2 + (clsm_config_workers(config, t) >= t->lanes ? 1 : 2 * log2(shares));
}

double clsm_candidate_steps(const struct config *config, const struct problem *p,
                            const struct traits *t)
{
    enum holder by = holder_of(config);
    double workers = clsm_config_workers(config, t), n = (double)p->cols / workers;
    double all = candidates_of(config, p, t), each = all / workers;
    double most = each + 2 * sqrt(each); /* that one of a set of lanes has, and 1 */
    return costs_of[by].times *
           (n * costs_of[by].element + (1 + most) * costs_of[by].again +
            ceil(each) * all * costs_of[by].other +
            (double)p->k * turn_steps(config, p, t) * costs_of[by].turn);
}

double clsm_candidate_cycles(const struct config *config, const struct problem *p,
                             const struct traits *t)
{
    enum holder by = holder_of(config);
    double turns = (double)p->k * turn_steps(config, p, t);
    return costs_of[by].cycles +
           (turns + candidates_of(config, p, t)) * costs_of[by].wait;
}
