/* SPDX-License-Identifier: MIT */
/* The third station: which configurations fit a problem on a device, fastest first. */
#ifndef CLSM_CHOOSE_H
#define CLSM_CHOOSE_H

#include "variant.h"

enum { MAX_CANDIDATES = 112, REASON_BYTES = 192 };

struct candidate {
    struct config config;
    unsigned place;     /* in the table's order, which breaks ties */
    const char *misfit; /* why it cannot serve; NULL if it can */
    double seconds;     /* estimate */
};

struct choice {
    unsigned fit;   /* the first `fit` candidates can serve, best first */
    unsigned count; /* the rest cannot */
    struct candidate ranked[MAX_CANDIDATES];
    char reason[REASON_BYTES];
};

/* Rank all configurations. `wish` is NULL, a variant, or a variant with parameters:
 * only these are ranked then, and CLSM_ERR_VARIANT says why none fits. Pure. */
clsm_status clsm_choose(const struct problem *p, const struct traits *t,
                        const char *wish, struct choice *choice);

/* Estimated seconds of one enqueue; good for ranking, not for clocks. Pure. */
double clsm_estimate(const struct config *config, const struct problem *p,
                     const struct traits *t);

#endif
