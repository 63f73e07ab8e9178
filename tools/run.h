/* SPDX-License-Identifier: MIT */
/* What the files behind `clsoftmax run` share: one job, from its options to its files.
 */
#ifndef RUN_H
#define RUN_H

#include "command.h"
#include "npy.h"

/* x, y and the operands in one array: at[CLSM_LSE - CLSM_X], ... */
enum { RUN_TENSORS = CLSM_OPERAND_COUNT - CLSM_X };

struct run_job {
    const char *in[RUN_TENSORS], *out[RUN_TENSORS]; /* files; NULL: none */
    const char *device, *labels;
    clsm_op_info op;
    long axis;
    bool bf16, verify, explain, has_out_type;
    unsigned said;        /* scalars that were given, a bit each */
    clsm_problem problem; /* the scalars first, the shape when x is there */
    struct npy tensors[RUN_TENSORS];
    int64_t *label;    /* of each softmax; NULL: none */
    int before, after; /* dimensions of x before the axis and behind it */
};

static inline struct npy *run_tensor(struct run_job *job, int tensor)
{
    return &job->tensors[tensor - CLSM_X];
}

/* Max, sum, ...: does the operation write it? */
bool run_is_written(int tensor);

/* ------------------------------------------------------------------- run_options.c --
 */

/* Parse and hold the options against each other. -1 to go on, else an exit status. */
int run_parse(int argc, char **argv, const char *help, struct run_job *job);

/* ------------------------------------------------------------------- run_scalars.c --
 */

/* getopt's values of the problem's numbers, and bits in run_job.said. */
enum { RUN_FIRST_SCALAR = 256, RUN_SCALARS = 10, RUN_SAID_CAUSAL = 1 << RUN_SCALARS };

void run_scalar_options(struct option *options);
int run_parse_scalar(unsigned n, const char *text, struct run_job *job);

/* Every number that was said is one that the operation takes. */
int run_check_scalars(const struct run_job *job);

/* --------------------------------------------------------------------- run_check.c --
 */

/* Every tensor that was said is the operation's, and none that it needs is missing. */
int run_check_operands(const struct run_job *job);

/* For --help: every operation with its tensors. */
void run_print_operations(void);

/* No two tensors go to one file, and none to an input's but y to x's. */
int run_check_files(const struct run_job *job);

/* --------------------------------------------------------------------- run_shape.c --
 */

/* x is read: find the axis, see x as (rows, cols, inner). */
int run_shape(struct run_job *job);

/* The same rows as (batch, head, query), for what depends on a row's place. */
void run_place(struct run_job *job);

/* A mask of this shape, aligned with x's last dimensions as NumPy does. */
int run_mask(struct run_job *job);

/* How many a head, and how many a softmax. */
size_t run_heads(const struct run_job *job);
size_t run_softmaxes(const struct run_job *job);

/* ------------------------------------------------------------------- run_tensors.c --
 */

/* Read what is given and make room for what is written; the problem is then whole. */
int run_read(struct run_job *job);
void run_free(struct run_job *job);

/* Does the tensor take part? */
bool run_has(const struct run_job *job, int tensor);

/* --------------------------------------------------------------------- run_write.c --
 */

/* Every file, or none. */
int run_write(struct run_job *job);

/* -------------------------------------------------------------------- run_device.c --
 */

/* On the device: plan, upload, run, time, read back. */
int run_compute(const struct session *s, struct run_job *job);

#endif
