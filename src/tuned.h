/* SPDX-License-Identifier: MIT */
/* Measured choices that come with the library, see tuned.def. */
#ifndef CLSM_TUNED_H
#define CLSM_TUNED_H

#include "variant.h"

struct tuned {
    const char *on;        /* the kind of device it was measured on, in words */
    unsigned needs, lacks; /* traits it must have and must not have */
    size_t rows_min;       /* 0: any number of rows, unknown ones too */
    size_t cols_min, cols_max;
    const char *config;
};

/* The first record for this device and row length, or NULL. */
const struct tuned *clsm_tuned_find(const struct problem *p, const struct traits *t);

#endif
