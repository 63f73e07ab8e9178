/* SPDX-License-Identifier: MIT */
/* Plans of the next problems, made by threads while the last ones are being timed. */
#ifndef AHEAD_H
#define AHEAD_H

#include "session.h"

#include <stdbool.h>

/* A problem's plans: first the library's choice, then the other configurations that fit
 * and whose estimates are not too far from the best one. */
struct plans {
    const clsm_problem *problem;
    struct one_plan {
        char config[CONFIG_BYTES];
        clsm_plan *plan;  /* NULL: it did not build */
        double estimated; /* seconds */
    } of[MAX_CONFIGS];
    unsigned count;
    unsigned left_out; /* configurations, by their estimates */
    char message[256]; /* why there is no first plan */
};

struct ahead_wishes {
    double within;  /* times the best estimate */
    unsigned jobs;  /* threads */
    unsigned depth; /* problems worked on at a time; at least 1 */
};

struct ahead;

/* Start on the problems, which must stay. NULL if there is no memory or no thread. */
struct ahead *ahead_start(clsm_engine *engine, const clsm_problem *problems, size_t n,
                          const struct ahead_wishes *wishes);

/* Wait for the next problem's plans; they are good until the next call. NULL: no more.
 */
const struct plans *ahead_next(struct ahead *a);

/* Stop, whatever is left. NULL is fine. */
void ahead_stop(struct ahead *a);

#endif
