/* SPDX-License-Identifier: MIT */
/*
 * What it costs to choose a row's largest elements among candidates, see
 * cl/topk_candidates.cl: each element is compared with a threshold, which its workers
 * agree on in as many turns as there are places; what reaches it is looked at again,
 * and compared with every other one that does.
 */
#include "estimate.h"

#include <math.h>

enum holder { GROUP, LANES, CHUNKS, LOOP };

/* Fitted together to times of a busy H200, see bench/NOTES.md. */
static const struct {
    double element, again, other, turn; /* steps */
    double times;                       /* what all steps take */
    double cycles, wait; /* of a row, and for each step of a turn and each candidate */
} costs_of[] = {
    [GROUP] = {1.17, 802, 2.53, 0.489, 0.535, 101, 1.49},
    [LANES] = {9.2, 8.1, 32.5, 0.162, 0.939, 79.5, 64.8},
    [CHUNKS] = {0.664, 544, 0.58, 1.03, 2.27, 1.67e+03, 1.89},
    [LOOP] = {16.8, 14.6, 3.85, 0.474, 2.17, 201, 11.8},
};

static enum holder holder_of(const struct config *config)
{
    const struct variant *v = &clsm_variants[config->variant];
    return v->geometry == ROW_PER_CLUSTER          ? LANES
           : v->packs                              ? GROUP
           : clsm_config_value(config, "PACKS", 0) ? CHUNKS
                                                   : LOOP;
}

/* How often workers go on to what is next of a row. */
static double chunks_of(const struct config *config, const struct problem *p,
                        const struct traits *t)
{
    double pack = (double)PACK_BYTES / (double)clsm_type_bytes(p->x.type);
    double each = holder_of(config) == CHUNKS
                      ? clsm_config_value(config, "PACKS", 0) * pack
                      : clsm_config_value(config, "BLOCK", 0);
    double workers = clsm_config_workers(config, t);
    return each > 0 ? fmax(1, (double)p->cols / (each * workers)) : 1;
}

/* Thresholds of a row: one where all is known, or the first, one more whenever twice as
 * much has been seen, and the last. */
static double thresholds_of(double chunks)
{
    return chunks > 1 ? 2 + log2(chunks) : 1;
}

/* Candidates of a row: its largest elements, until as many shares have one of them as
 * there are places; and as many until twice as much has been seen. */
static double candidates_of(const struct config *config, const struct problem *p,
                            const struct traits *t)
{
    double shares = (double)clsm_config_shares(config, p, t), all = 0;
    for (size_t j = 0; j < p->k; j++)
        all += shares / (shares - (double)j);
    return all * (1 + log2(chunks_of(config, p, t)));
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
    double turns = (double)p->k * thresholds_of(chunks_of(config, p, t));
    return costs_of[by].times *
           (n * costs_of[by].element + (1 + most) * costs_of[by].again +
            ceil(each) * all * costs_of[by].other +
            turns * turn_steps(config, p, t) * costs_of[by].turn);
}

double clsm_candidate_cycles(const struct config *config, const struct problem *p,
                             const struct traits *t)
{
    enum holder by = holder_of(config);
    double chunks = chunks_of(config, p, t);
    double turns = (double)p->k * thresholds_of(chunks) * turn_steps(config, p, t);
    double all =
        costs_of[by].cycles + (turns + candidates_of(config, p, t)) * costs_of[by].wait;
    return by == CHUNKS ? all / chunks : all; /* each of which is waited for */
}
