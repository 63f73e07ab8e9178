/* SPDX-License-Identifier: MIT */
/* A GPU as work-items that take turns on one processor; what kernels call of it stands
 * in machine.c under the names that clang gives it. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stddef.h>

enum { LANES = 32 };

/* What a work-item does: `argument` is the same for all of a work-group. */
typedef void work(void *argument);

/* Runs groups of `items` work-items each to their end, in an order that the seed
 * decides. Returns 0 if they never end. Barriers and lanes' exchanges wait for all of
 * those they concern, copies to local memory arrive when they are waited for. */
int machine_run(work *work, void *const *arguments, unsigned groups, unsigned items,
                unsigned long seed);

#endif
