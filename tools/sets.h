/* SPDX-License-Identifier: MIT */
/* Sets of buffers for timing one problem: going round them leaves caches cold. */
#ifndef SETS_H
#define SETS_H

#include "session.h"

enum { MAX_SETS = 64 };

struct sets {
    clsm_args of[MAX_SETS]; /* each with buffers of its own for all that takes part */
    unsigned count;
};

/* Bytes of all tensors that take part in a problem, and of the largest. */
clsm_status sets_bytes(const clsm_problem *problem, uint64_t *all, uint64_t *largest);

/* Buffers for a problem of closed shape, filled with random data. *fits: false, and
 * CLSM_OK, if the device has no room for one set. */
clsm_status sets_make(const struct session *s, const clsm_problem *problem,
                      struct sets *sets, bool *fits);
void sets_free(struct sets *sets);

#endif
