/* SPDX-License-Identifier: MIT */
/* Measured choices that come with the library, see tuned.def. */
#ifndef CLSM_TUNED_H
#define CLSM_TUNED_H

#include "variant.h"

/* Operations that keep a device busy in like ways. */
enum op_kind {
    ANY_KIND,
    WRITES_ROW,      /* find a maximum and a sum, write a row; */
    WRITES_SOFTMAX,  /* that and nothing else but a scale, of packed rows; */
    WRITES_WITH_SUM, /* that or its terms, and the sum beside them, */
    WRITES_LOGS,     /* logarithms, */
    WRITES_GRADIENT, /* or a gradient of targets, */
    FINISHES,        /* or are given both (records of WRITES_ROW serve these too) */
    READS_ONLY,      /* find a maximum and a sum; */
    WRITES_ONE,      /* and write one number (records of READS_ONLY serve these too) */
    READS_TWO,       /* find both in two tensors */
    LISTS,           /* find both, and some of the largest elements */
    SUMS_ONLY,       /* read two tensors for a sum, write a row */
    OP_KIND_COUNT,
};

enum { ANY_BYTES = 0 };

struct tuned {
    const char *on;        /* the kind of device it was measured on, in words */
    unsigned needs, lacks; /* traits it must have and must not have */
    enum op_kind kind;
    size_t element_bytes; /* of x; ANY_BYTES: of any type, on GPUs but f64 */
    size_t rows_min;      /* 0: any number of rows, unknown ones too */
    size_t cols_min, cols_max;
    const char *config;
    size_t multiple; /* of which those lengths are */
    size_t rows_max;
    size_t k_min, k_max; /* largest elements */
};

/* Kinds of devices: in words, the traits that they must have, and must not have. */
#define PLAIN_CPU "CPU without FMA", TRAIT_CPU, TRAIT_FMA
#define LANES_GPU "GPU with subgroups", TRAIT_LANES, TRAIT_CPU
#define WAITING_GPU "GPU with subgroups", TRAIT_LANES | TRAIT_WAIT, TRAIT_CPU
#define NVIDIA_GPU "NVIDIA GPU", TRAIT_LANES | TRAIT_WAIT | TRAIT_NV_OPTIONS, TRAIT_CPU

/* The rows of tuned.def, as elements of an array. */
#define TUNED(...) {__VA_ARGS__, 1, SIZE_MAX, 1, CLSM_MAX_K},
#define TUNED_OF(multiple, ...) {__VA_ARGS__, multiple, SIZE_MAX, 1, CLSM_MAX_K},
#define TUNED_UP_TO(rows_max, ...) {__VA_ARGS__, 1, rows_max, 1, CLSM_MAX_K},
#define TUNED_LISTS(k_min, k_max, rows_max, ...)                                         \
    {WAITING_GPU, LISTS, __VA_ARGS__, 1, rows_max, k_min, k_max},

/* The first record for this device, kind of operation, type and shape, or NULL. */
const struct tuned *clsm_tuned_find(const struct problem *p, const struct traits *t);

#endif
