/* SPDX-License-Identifier: MIT */
/* Forms of a problem that clsoftmax-limit times: scaled, masked, causal, in place. */
#ifndef FORMS_H
#define FORMS_H

#include "clsoftmax.h"

#include <stdbool.h>

struct form {
    const char *name;
    void (*dress)(clsm_problem *problem); /* NULL: as it is */
    /* bytes that the plan counts and no kernel need move; NULL: none */
    uint64_t (*left_out)(const clsm_problem *problem);
    bool in_place; /* y stands where x stood */
};

/* By name; NULL if there is none. */
const struct form *form_find(const char *name);

#endif
