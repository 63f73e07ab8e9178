/* SPDX-License-Identifier: MIT */
/* Who takes part in a case: the library, its peers, the copies. */
#ifndef CPU_PEERS_CANDIDATE_H
#define CPU_PEERS_CANDIDATE_H

#include "peer.h"
#include "stage.h"

enum { MOST_ROUNDS = 200, MOST_CANDIDATES = 16 };

struct candidate {
    char name[24];
    enum role role;
    const struct stage *stage;
    bool (*run)(struct candidate *candidate, unsigned set);
    const struct peer *peer; /* with its call; NULL: runs on the device's queue */
    void *call;
    clsm_plan *plan; /* ours */
    struct timing {
        double seconds, disturbed; /* disturbed: a share of them */
    } times[MOST_ROUNDS];
    double seconds; /* the median; 0 before rounds_run() */
};

struct candidates {
    struct candidate of[MOST_CANDIDATES];
    unsigned count;
};

/* All that were opened, if they have the role and can do the stage's problem. `twin` is
 * the same shape in bf16, for those that have no f16; NULL: there is none. */
void add_peers(struct candidates *all, const struct stage *stage,
               const struct stage *twin, enum role role);

/* The device's own copy of x to y. */
void add_device_copy(struct candidates *all, const struct stage *stage);

/* A plan of the library. */
void add_plan(struct candidates *all, const char *name, const struct stage *stage,
              clsm_plan *plan);

void candidates_free(struct candidates *all);

/* The fastest of a role, by the medians; NULL if there is none. */
const struct candidate *fastest(const struct candidates *all, enum role role);

#endif
