/* SPDX-License-Identifier: MIT */
/* One cell of `clsoftmax verify`: a variant, an operation and a pair of types. */
#ifndef CELL_H
#define CELL_H

#include "session.h"

struct cell {
    const char *config;
    clsm_op op;
    clsm_type x, y;
    char name[96];
    uint64_t seed;
    unsigned dress; /* the one that it wears at a few lengths; 0: each of them */
    /* what came of it */
    unsigned run, passed;
    bool unfit; /* does not run on this device */
    double worst, max_ulp;
};

/* All lengths bare, and a few dressed. Prints what fails. */
void cell_verify(const struct session *s, struct cell *cell);

#endif
