/* SPDX-License-Identifier: MIT */
/* Forms of a problem that are timed: scaled, masked, causal, in place, unaligned, with
 * more than one place, and with other numbers in x than N(0, 1). */
#ifndef FORMS_H
#define FORMS_H

#include "clsoftmax.h"

#include <stdbool.h>

struct form {
    const char *name;
    void (*dress)(clsm_problem *problem); /* NULL: as it is */
    /* bytes that the plan counts and no kernel need move; NULL: none */
    uint64_t (*left_out)(const clsm_problem *problem);
    size_t k;                  /* how many of the largest are found; 0: one */
    bool in_place;             /* y stands where x stood */
    size_t x_offset, y_offset; /* elements in front of the first one */
    /* what stands in column c of a row, from a number of N(0, 1); NULL: that number */
    double (*input)(double normal, size_t c, size_t cols);
};

/* By name; NULL if there is none. */
const struct form *form_find(const char *name);

/* The same among those that a problem alone says: not where its buffers are, nor what
 * is in them. */
const struct form *form_find_dress(const char *name);

/* Put one of these on a problem; false, and the problem as it was, if its operation has
 * no such form. */
bool form_wear(const struct form *form, clsm_problem *problem);

/* The names of these, each with a space before it. */
void form_print_dresses(void);

#endif
