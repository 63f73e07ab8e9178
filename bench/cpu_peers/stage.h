/* SPDX-License-Identifier: MIT */
/* The tensors of one case, in memory that the device and plain C share. */
#ifndef CPU_PEERS_STAGE_H
#define CPU_PEERS_STAGE_H

#include "goals.h"
#include "session.h"

enum { PARTS = CLSM_OPERAND_COUNT - CLSM_X };

/* Memory that is kept from case to case. */
struct pages {
    struct {
        void *at;
        size_t bytes;
    } of[PARTS];
};

struct part {
    char *at;      /* of the first set; NULL: takes no part */
    size_t step;   /* bytes from set to set */
    size_t offset; /* of the first element, in elements */
    size_t elements, element_bytes;
    cl_mem memory;
};

struct stage {
    const struct session *session;
    clsm_problem problem;
    bool in_place;
    unsigned sets; /* going round them leaves caches cold */
    size_t x_bytes;
    struct part of[PARTS]; /* by operand - CLSM_X; y always has room for a copy of x */
};

/* Make and fill all tensors of a problem in the form's layout, with its numbers in x.
 * *fits: false, and CLSM_OK, if the device has no room for one set. */
clsm_status stage_make(const struct session *s, struct pages *pages,
                       const clsm_problem *problem, const struct form *form,
                       uint64_t cold_bytes, struct stage *stage, bool *fits);
void stage_free(struct stage *stage);
void pages_free(struct pages *pages);

/* Where a tensor's first element stands in a set; NULL if it takes no part. */
void *stage_at(const struct stage *stage, int tensor, unsigned set);

/* The arguments of an enqueue on a set. */
clsm_args stage_args(const struct stage *stage, unsigned set);

/* Make the host see what the device wrote. */
clsm_status stage_sync(const struct stage *stage);

#endif
