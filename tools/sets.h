/* SPDX-License-Identifier: MIT */
/* What a problem that is timed is given: its arguments, and what stands in them. */
#ifndef SETS_H
#define SETS_H

#include "session.h"

/* The arguments of a problem, of its own shape, without buffers. */
clsm_args sets_args(const clsm_problem *problem);

/* A buffer of so many elements of one of its tensors, filled with random data; NULL on
 * failure. */
cl_mem sets_buffer(const struct session *s, const clsm_problem *problem,
                   clsm_operand tensor, size_t elements, size_t element_bytes);

/* The first n elements of one of its tensors: normal numbers, targets among the first
 * 256 columns, a mask that leaves nothing out, ones. */
void sets_draw(const clsm_problem *problem, clsm_operand tensor, void *data, size_t n,
               size_t element_bytes);

/* Bytes of all tensors that take part in a problem, and of the largest. */
clsm_status sets_bytes(const clsm_problem *problem, uint64_t *all, uint64_t *largest);

#endif
