/* SPDX-License-Identifier: MIT */
/* Measured choices that come with the library, see tuned.def. */
#ifndef CLSM_TUNED_H
#define CLSM_TUNED_H

#include "variant.h"

/* Operations that keep a device busy in like ways. */
enum op_kind {
    ANY_KIND,
    WRITES_ROW,      /* find a maximum and a sum, write a row */
    WRITES_LOGS,     /* as WRITES_ROW, whose records serve it too, with a logarithm */
    FINISHES,        /* as WRITES_ROW, the same, but maxima and sums are given */
    READS_ONLY,      /* find a maximum and a sum */
    READS_TWO,       /* the same of two tensors */
    LISTS,           /* the same, and up to SHORT_LIST of the largest elements, */
    LONG_LISTS,      /* or more, which take longer than finding a maximum and a sum */
    WRITES_ONE,      /* as READS_ONLY, whose records serve it too, for one number */
    SUMS_ONLY,       /* read two tensors for a sum, write a row */
    WRITES_GRADIENT, /* the same with targets */
};

enum { ANY_BYTES = 0, SHORT_LIST = 3 };

struct tuned {
    const char *on;        /* the kind of device it was measured on, in words */
    unsigned needs, lacks; /* traits it must have and must not have */
    enum op_kind kind;
    size_t element_bytes; /* of x; ANY_BYTES: of any type */
    size_t rows_min;      /* 0: any number of rows, unknown ones too */
    size_t cols_min, cols_max;
    const char *config;
    size_t multiple; /* of which those lengths are */
};

/* The rows of tuned.def, as elements of an array. */
#define TUNED(...) {__VA_ARGS__, 1},
#define TUNED_EVEN(...) {__VA_ARGS__, 2},

/* The first record for this device, kind of operation, type and shape, or NULL. */
const struct tuned *clsm_tuned_find(const struct problem *p, const struct traits *t);

#endif
