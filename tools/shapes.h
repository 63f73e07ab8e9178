/* SPDX-License-Identifier: MIT */
/* What `bench` and `compare` have in common: shapes and options. */
#ifndef SHAPES_H
#define SHAPES_H

#include "command.h"
#include "forms.h"

enum { MAX_SHAPES = 64 };

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
    size_t mib; /* of x and y, for each shape of the default list; 0: by device */
    size_t k;   /* of operations that have one */
    const struct form *form; /* that problems wear; NULL: none */
    size_t repeats;

    /* of `compare` alone */
    bool all;             /* every configuration instead of each variant's best */
    size_t random;        /* problems to draw; 0: the shapes, or those of `problems` */
    const char *problems; /* a file; NULL: none */
    size_t seed;
    size_t seconds;         /* to go on drawing; 0: to the end */
    size_t jobs;            /* threads that build; 0: by the host */
    double within;          /* times the best estimate */
    unsigned share, shares; /* build that one of so many; 0 shares: time all */
};

/* Parse; an exit status, or -1 to go on. */
int bench_parse(int argc, char **argv, const char *help, bool comparing,
                struct bench_options *o);

/* The shapes asked for, or the default list sized for a device. */
void bench_shapes(const struct bench_options *o, const struct session *s,
                  struct shapes *shapes);

/* "plain", or what problems wear. */
const char *bench_form(const struct bench_options *o);

/* The problem of one shape. */
void bench_problem(const struct bench_options *o, size_t rows, size_t cols,
                   clsm_problem *problem);

/* Of the bytes that a plan counts, those that have to be moved. */
uint64_t bench_bytes(const struct bench_options *o, const clsm_problem *problem,
                     uint64_t bytes);

/* What both commands say of one timing, for listed.h as well. */
cJSON *bench_json(const struct bench_options *o, const struct session *s,
                  const clsm_problem *problem, const char *variant, double seconds,
                  double bytes, double copy_seconds);

#endif
