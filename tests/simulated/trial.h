/* SPDX-License-Identifier: MIT */
/* What one case of simulated.py names: a problem, and the program that serves it. */
#ifndef TRIAL_H
#define TRIAL_H

#include "choose.h"

struct trial {
    const struct traits *device;
    size_t offset; /* elements in front of x */
    bool in_place; /* y is x */
    clsm_problem problem;
    struct problem checked;
    struct config config;
};

/* Say why; 1. */
int fail(const char *what, const char *why);

/* From OP TYPE ROWS COLS INNER VARIANT; ends the program where that is none.
 *
 * An operation may end in "+temperature", in "+z_loss" for one beside which all else is
 * small, in "+mask" for one of f32 that all rows share or "+bool_mask" for one of
 * booleans, in "+in_place" where y is x, in "+offset" for an x that starts at an odd
 * element, and a top-k in "+k=3" or another number; in this order. */
void trial_parse(char **arg, struct trial *t);

/* Write the program's source and print its options; the exit status. */
int trial_write_source(const char *path, const struct trial *t);

#endif
