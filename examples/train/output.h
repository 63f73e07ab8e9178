/* SPDX-License-Identifier: MIT */
/* The classifier's output layer: all that clsoftmax does in it. */
#ifndef TRAIN_OUTPUT_H
#define TRAIN_OUTPUT_H

#include "device.h"

/* Some rows of a set, as the device has it. */
struct batch {
    cl_mem x, targets;
    size_t first, rows;
};

struct output {
    const struct device *device;
    clsm_plan *gradient, *loss, *best;
    cl_mem losses, top, top_class; /* one a row */
};

void output_create(struct output *o, const struct device *d, size_t classes,
                   size_t max_rows);
void output_destroy(struct output *o);

/* Queue the losses and, in the place of the logits, the gradient of their mean. */
void output_gradient(const struct output *o, cl_mem logits, const struct batch *b);

/* Queue the losses alone. */
void output_loss(const struct output *o, cl_mem logits, const struct batch *b);

/* Wait for the losses queued last and return their mean over the first rows. */
double output_mean_loss(const struct output *o, size_t rows);

/* The most probable class of each row. */
void output_classes(const struct output *o, cl_mem logits, size_t rows,
                    cl_int *classes);

#endif
