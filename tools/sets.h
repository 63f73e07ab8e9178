/* SPDX-License-Identifier: MIT */
/* Sets of buffers for timing one problem: going round them leaves caches cold. */
#ifndef SETS_H
#define SETS_H

#include "measure.h"

struct sets {
    clsm_args of[MAX_SETS]; /* each with buffers of its own for all that takes part */
    unsigned count;
};

/* The arguments of a problem of closed shape, without buffers. */
clsm_args sets_args(const clsm_problem *problem);

/* A buffer of so many elements of one of its tensors, filled with random data; NULL on
 * failure. */
cl_mem sets_buffer(const struct session *s, const clsm_problem *problem,
                   clsm_operand tensor, size_t elements, size_t element_bytes);

/* The first n elements of one of its tensors: normal numbers, targets all over the row,
 * a mask that leaves nothing out, ones. */
void sets_draw(const clsm_problem *problem, clsm_operand tensor, void *data, size_t n,
               size_t element_bytes);

/* Bytes of all tensors that take part in a problem, and of the largest. */
clsm_status sets_bytes(const clsm_problem *problem, uint64_t *all, uint64_t *largest);

/* Buffers for a problem of closed shape, filled with random data. *fits: false, and
 * CLSM_OK, if the device has no room for one set. */
clsm_status sets_make(const struct session *s, const clsm_problem *problem,
                      struct sets *sets, bool *fits);
void sets_free(struct sets *sets);

#endif
