/* SPDX-License-Identifier: MIT */
/* Buffers that are kept from case to case, each cut into sets by offsets: filling them
 * anew would take longer than what is timed. */
#ifndef ARENA_H
#define ARENA_H

#include "session.h"

enum { MAX_SLABS = 32 };

/* One tensor's buffer; `content` tells apart what stands in it. */
struct slab {
    int tensor, content;
    size_t bytes;
    cl_mem memory;
};

struct arena {
    const struct session *session;
    uint64_t cold_bytes; /* a round of sets is at least so large */
    struct slab slabs[MAX_SLABS];
    unsigned count;
    clsm_args *sets; /* of the last arena_sets() */
    unsigned set_count, room;
};

/* Sets for a problem, so many that going round them leaves caches cold.
 * *fits: false, and CLSM_OK, if the device has no room for one. */
clsm_status arena_sets(struct arena *arena, const clsm_problem *problem, bool in_place,
                       bool *fits);
void arena_free(struct arena *arena);

#endif
