/* SPDX-License-Identifier: MIT */
/*
 * What it costs to choose a row's largest elements among candidates, see
 * cl/topk_candidates.cl: each element is compared with a threshold, which its workers
 * agree on; what reaches it is looked at again, and compared with every other one that
 * does.
 */
#include "estimate.h"

#include <math.h>

enum holder { GROUP, LANES, CHUNKS, LOOP, SHARED_ROW };

/* Fitted together to times of a busy H200, see bench/NOTES.md: of few places, for which
 * a set of lanes has shares enough, and of many. */
static const struct costs {
    double element, again, other, turn; /* steps */
    double times;                       /* what all steps take */
    double cycles, wait; /* of a row; for each step to a threshold and each candidate */
} costs_of[][2] = {
    [GROUP] = {{0.791, 771, 2.64, 0.606, 0.507, 85.2, 1.47},
               {0.682, 432, 7.98, 5.58, 0.468, 63.3, 3.41}},
    [LANES] = {{4.41, 3.53, 58.5, 0.139, 0.864, 94.7, 6.52},
               {4.03, 3.28, 27.7, 0.137, 0.417, 94.2, 56.7}},
    [CHUNKS] = {{0.622, 407, 0.544, 1.85, 2.19, 1.51e+03, 2.53},
                {0.564, 297, 1.4, 0.927, 1.88, 1500, 11.1}},
    [LOOP] = {{17.8, 8.38, 5.64, 0.502, 1.48, 120, 6.62},
              {28.9, 8.06, 6.06, 0.401, 1.48, 111, 4.12}},
    [SHARED_ROW] = {{0.599, 536, 2.78, 0.635, 0.261, 984, 13.5},
                    {0.792, 497, 21.7, 4.89, 1.24, 2490, 5.59}},
};

static enum holder holder_of(const struct config *config)
{
    const struct variant *v = &clsm_variants[config->variant];
    return v->geometry == ROW_PER_GROUPS           ? SHARED_ROW
           : v->geometry == ROW_PER_CLUSTER        ? LANES
           : v->packs                              ? GROUP
           : clsm_config_value(config, PARAM_PACKS, 0) ? CHUNKS
                                                   : LOOP;
}

static const struct costs *costs(enum holder by, const struct problem *p,
                                 const struct traits *t)
{
    return &costs_of[by][2 * p->k > t->lanes];
}

/* How often workers go on to what is next of a row. */
static double chunks_of(const struct config *config, const struct problem *p,
                        const struct traits *t)
{
    double pack = (double)PACK_BYTES / (double)clsm_type_bytes(p->x.type);
    double each = holder_of(config) == CHUNKS
                      ? clsm_config_value(config, PARAM_PACKS, 0) * pack
                      : clsm_config_value(config, PARAM_BLOCK, 0);
    double workers = clsm_config_workers(config, t);
    return each > 0 ? fmax(1, (double)p->cols / (each * workers)) : 1;
}

/* Columns of a work-group, or of who has a row. */
static double part_cols(const struct config *config, const struct problem *p,
                        const struct traits *t)
{
    return (double)p->cols / (double)clsm_config_parts(config, p, t);
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
    double workers = clsm_config_workers(config, t), all = 0;
    double cols = part_cols(config, p, t);
    double shares = (double)clsm_config_shares(config, p, t);
    shares *= (double)clsm_config_busy(config, p, t) / workers; /* that have any */
    for (size_t j = 0; j < p->k; j++)
        all += shares > (double)j ? shares / (shares - (double)j) : cols;
    return fmin(cols, all * (1 + log2(chunks_of(config, p, t))));
}

/* Steps to a threshold: one for each place where all lanes agree on a number at once
 * and have all shares, else one share's number is compared with all the others'. */
static double threshold_steps(const struct config *config, const struct problem *p,
                              const struct traits *t)
{
    double shares = (double)clsm_config_shares(config, p, t);
    bool at_once = clsm_config_workers(config, t) >= t->lanes && shares <= t->lanes;
    return at_once ? 3 * (double)p->k : shares + 2 * log2(shares);
}

double clsm_candidate_steps(const struct config *config, const struct problem *p,
                            const struct traits *t)
{
    enum holder by = holder_of(config);
    double workers = clsm_config_workers(config, t),
           n = part_cols(config, p, t) / workers;
    double all = candidates_of(config, p, t), each = all / workers;
    double most = each + 2 * sqrt(each); /* that one of a set of lanes has, and 1 */
    double thresholds = thresholds_of(chunks_of(config, p, t));
    const struct costs *cost = costs(by, p, t);
    return cost->times * (n * cost->element + (1 + most) * cost->again +
                          ceil(each) * all * cost->other +
                          thresholds * threshold_steps(config, p, t) * cost->turn);
}

double clsm_candidate_cycles(const struct config *config, const struct problem *p,
                             const struct traits *t)
{
    enum holder by = holder_of(config);
    double chunks = chunks_of(config, p, t);
    double steps = thresholds_of(chunks) * threshold_steps(config, p, t);
    const struct costs *cost = costs(by, p, t);
    double all = cost->cycles + (steps + candidates_of(config, p, t)) * cost->wait;
    if (by == SHARED_ROW)
        return 2 * all; /* of a part, and of what all parts leave */
    return by == CHUNKS ? all / chunks : all; /* each of which is waited for */
}
