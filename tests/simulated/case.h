/* SPDX-License-Identifier: MIT */
/* What one case of simulated.py names: a trial, and the program that serves it. */
#ifndef CASE_H
#define CASE_H

#include "choose.h"
#include "trial.h"

struct simulated_case {
    const struct traits *device;
    struct trial trial;
    struct problem checked; /* the trial's */
    struct config config;
    bool large;
    unsigned groups; /* work-groups that run at a time, where they loop over rows */
};

enum { MOST_GROUPS = 64 };

/* Say why; 1. */
int fail(const char *what, const char *why);

/* From OP TYPE ROWS COLS INNER VARIANT [GROUPS], or random SEED, see random_trial.h;
 * ends the program where that is none. Types of x and y that differ are "bf16>f32".
 *
 * An operation may end in "+mask_alone", "+causal" or another dress of dress.c, "_" for
 * each space of its name, in "+temperatures", in "+z_loss" for one beside which all
 * else is small, in "+large" for gradients near the largest numbers, in "+limit" for
 * rows with limits, in "+gaps" between rows, in "+in_place" where y is x, in "+offset"
 * for an x that starts at an odd element, a top-k in "+k=3" or another number, and in
 * "+intel" or "+khr" where lanes are those of an extension's subgroups instead of
 * NVIDIA's; in this order. */
void case_parse(int count, char **arg, struct simulated_case *c);

/* What a problem drawn at random is, in a line. */
void case_describe(const struct simulated_case *c, char *text, size_t bytes);

/* Write the program's source and print its options; the exit status. */
int case_write_source(const char *path, const struct simulated_case *c);

#endif
