/* SPDX-License-Identifier: MIT */
/* The row lengths at which a configuration may go wrong, from the table's row. */
#ifndef CLSM_TEST_DEVICE_LENGTHS_H
#define CLSM_TEST_DEVICE_LENGTHS_H

#include "variant.h"

enum { MAX_LENGTHS = 64, LONGEST_EDGE = 65536 };

struct lengths {
    unsigned count;
    size_t cols[MAX_LENGTHS]; /* rising, each once */
};

/* 0; the smallest and, unless it is too long to test, the largest; one less and one
 * more than a vector, a set of lanes, a work-group, a work-group's block, a pack of 16
 * bytes of x, what all workers hold; a prime. Of the problem types and forms count.
 * Some that are too long for the configuration are among them. */
struct lengths edge_lengths(const struct config *config, const struct problem *p,
                            const struct traits *t);

#endif
