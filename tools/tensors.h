/* SPDX-License-Identifier: MIT */
/* A trial's tensors in host memory: random data between guard zones. */
#ifndef TENSORS_H
#define TENSORS_H

#include "trial.h"

enum { TENSORS = CLSM_OPERAND_COUNT + 2 };

struct tensor {
    unsigned char *data;            /* NULL: does not take part */
    size_t offset, extent;          /* where its own elements are */
    size_t elements, element_bytes; /* elements: guards included */
    bool written;
};

/* x and y, then the operands: tensors[CLSM_LSE - CLSM_X], ... */
struct tensors {
    struct tensor of[TENSORS];
};

/* Make and fill them all. */
clsm_status tensors_make(const struct trial *trial, struct tensors *t);
void tensors_free(struct tensors *t);

/* What y shares its buffer with; -1 for nothing. */
int tensors_y_is(const struct trial *trial);

/* All that a call of the trial's plan gives beside the buffers. */
void tensors_call(const struct trial *trial, const struct tensors *t, clsm_args *args);

/* In operands.c: fill all operands but dy. */
void operands_fill(const struct trial *trial, struct tensors *t);

/* In derived.c: make x and the given statistics what the operation expects of them,
 * from logits that stand in x. */
clsm_status derived_fill(const struct trial *trial, struct tensors *t);

/* What stands in a softmax's x. */
enum input_kind tensors_kind(const struct trial *trial, size_t softmax);

/* Where element (r, c, i) of x stands, and of y, from the buffer's start. */
size_t tensors_x_place(const struct trial *trial, size_t r, size_t c, size_t i);
size_t tensors_y_place(const struct trial *trial, const struct tensors *t, size_t r,
                       size_t c, size_t i);

/* The host's view of them. */
clsm_host_args tensors_view(const struct tensors *t);

#endif
