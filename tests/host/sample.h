/* SPDX-License-Identifier: MIT */
/* A problem with host memory for every tensor that takes part, inputs made up at random
 * and outputs as the reference gives them. One at a time. */
#ifndef CLSM_TEST_SAMPLE_H
#define CLSM_TEST_SAMPLE_H

#include "problem.h"

#define PLUS_ONE(...) +1
enum { OPS = 0 CLSM_OPERATIONS(PLUS_ONE) };

struct sample {
    clsm_problem given;
    struct problem p;
    clsm_host_args in;  /* x and the operands that are read */
    clsm_host_args out; /* the reference's, packed doubles */
    clsm_host_args got; /* in, and out rounded to its types: what a device would give */
};

/* From 0 to 1, the next of a row of numbers. */
double sample_random(void);

/* Everything an operation takes and gives, and all numbers away from their defaults: a
 * problem of 7 rows, 2 queries to a matrix, 3 heads. */
void sample_everything(clsm_problem *problem, clsm_op op, clsm_type type, size_t cols);

/* Memory and inputs; the reference of them; the reference rounded. */
void sample_make(struct sample *s, const clsm_problem *problem);
void sample_run(struct sample *s);
void sample_round(struct sample *s);
void sample_free(struct sample *s);

/* Numbers in a packed output: of y, or of an operand that is written. */
size_t sample_count(const struct sample *s, clsm_operand tensor);

/* A number of an output, packed doubles; CLSM_Y is y. */
double *sample_out(const struct sample *s, clsm_operand tensor);

/* A number of an input that is "real". */
void sample_set_real(const struct sample *s, clsm_operand operand, size_t i, double v);

#endif
