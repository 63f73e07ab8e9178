/* SPDX-License-Identifier: MIT */
/* What `bench` and `compare` have in common: shapes, buffers of random data, options.
 */
#ifndef SHAPES_H
#define SHAPES_H

#include "command.h"

enum { MAX_SHAPES = 64, MAX_PAIRS = 64 };

struct shapes {
    size_t rows[MAX_SHAPES], cols[MAX_SHAPES];
    unsigned count;
};

/* What both commands take. */
struct bench_options {
    const char *device, *json_path;
    struct shapes shapes; /* empty: the default list */
    clsm_op op;
    clsm_type type;
    size_t mib; /* of traffic for each shape of the default list; 0: by device */
    unsigned repeats;
    bool all; /* compare: every configuration instead of each variant's best */
};

/* Parse; an exit status, or -1 to go on. */
int bench_parse(int argc, char **argv, const char *help, struct bench_options *o);

/* The shapes asked for, or the default list sized for a device. */
void bench_shapes(const struct bench_options *o, const struct session *s,
                  struct shapes *shapes);

/* Pairs of buffers for one shape, x filled with N(0, 1). */
struct pairs {
    cl_mem x[MAX_PAIRS], y[MAX_PAIRS];
    unsigned count;
};

bool pairs_make(const struct session *s, clsm_type type, size_t elements,
                struct pairs *pairs);
void pairs_free(struct pairs *pairs);

#endif
