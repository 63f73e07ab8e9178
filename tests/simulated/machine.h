/* SPDX-License-Identifier: MIT */
/* A GPU as work-items that take turns on one processor; what kernels call of it stands
 * in machine.c, and what concerns memory alone in ptx_memory.c, under the names that
 * clang gives it. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stddef.h>

enum { LANES = 32, MOST_COPIES = 64 };

/* To local memory, on their way. */
struct copies {
    unsigned count;
    struct copy {
        void *to;
        unsigned bytes;
        unsigned char from[16];
    } of[MOST_COPIES];
};

/* What a work-item does: `argument` is the same for all of a work-group. */
typedef void work(void *argument);

/* Runs groups of `items` work-items each to their end, in an order that the seed
 * decides. Returns 0 if they never end. Barriers and lanes' exchanges wait for all of
 * those they concern, copies to local memory arrive when they are waited for. */
int machine_run(work *work, void *const *arguments, unsigned groups, unsigned items,
                unsigned long seed);

/* For the work-item whose turn it is: let others go on; once in `of` times; its copies.
 */
void machine_others(void);
bool machine_by_chance(unsigned of);
struct copies *machine_copies(void);

#endif
