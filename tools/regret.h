/* SPDX-License-Identifier: MIT */
/* `compare --random` and `--problems`: the regret of the library's choices on problems
 * drawn at random or listed in a file. */
#ifndef REGRET_H
#define REGRET_H

#include "shapes.h"

#include <stdio.h>

#define GIVE_UP 1.5 /* times the chosen one's first runs, or its median */

/* How one configuration did on one problem. */
enum outcome {
    TIMED,
    TRIED,     /* its first runs were far slower than the chosen one's */
    NOT_BUILT, /* or not run */
};

struct timing {
    char config[CONFIG_BYTES];
    double seconds; /* of TRIED: the better of two runs */
    double estimated;
    enum outcome outcome;
};

struct result {
    clsm_problem problem;
    uint64_t bytes;
    struct timing *timings; /* the chosen configuration first */
    unsigned count, best, left_out;
    double regret;
};

/* Draw or read, time and report on one device; adds an object to the array `json`. */
int regret_on(const struct session *s, const struct bench_options *o, cJSON *json);

/* "300 random problems of seed 1" or "12 problems of regret.json". */
void regret_print_source(FILE *f, const struct bench_options *o, size_t n);

/* The head of the list, one problem's line, and what all of them come to. */
void regret_print_head(FILE *f);
void regret_print(FILE *f, size_t number, const struct result *r);
void regret_summarise(FILE *f, const char *device, const struct bench_options *o,
                      const struct result *results, size_t n, size_t skipped);

/* For each variant, what its estimates say over what was measured: how far they are
 * from each other's where it matters, near the best times. */
void regret_print_estimates(FILE *f, const struct result *results, size_t n);

/* One problem with all of its timings. */
cJSON *regret_json(const struct result *r);

#endif
