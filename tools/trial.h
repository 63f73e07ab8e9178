/* SPDX-License-Identifier: MIT */
/*
 * One conformance trial: a problem on a device with random input, everything it writes
 * between guard zones and poisoned before, run twice, compared with the reference.
 * `clsoftmax verify` and the device tests are both made of these.
 */
#ifndef TRIAL_H
#define TRIAL_H

#include "input.h"
#include "session.h"

struct trial {
    clsm_problem problem; /* its variant too */
    enum input_kind
        kind; /* of the first row; each next row takes the next kind if mixed */
    bool mixed;
    bool in_place;    /* y is x; both types must be equally large */
    bool in_place_dy; /* y is dy */
    bool fenced;      /* behind what is only read there is no memory, see fenced.h */
    size_t x_offset, y_offset;
    size_t shift; /* of all other tensors, behind where they stand otherwise */
    uint64_t seed;
};

/* What came of it. */
struct verdict {
    clsm_status status; /* of the library; CLSM_ERR_VARIANT: does not fit here */
    clsm_report report;
    char variant[CONFIG_BYTES]; /* what ran */
    char complaint[256]; /* what is wrong, with the numbers; "" if it passed */
};

/* A plan made for the trial's problem is taken if given, else made and released. True
 * if it passed. */
bool trial_run(const struct session *s, const struct trial *trial, clsm_plan *plan,
               struct verdict *v);

#endif
