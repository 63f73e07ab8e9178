/* SPDX-License-Identifier: MIT */
/* What the example trains on: made-up points, or the digits of examples/data. */
#ifndef TRAIN_DATA_H
#define TRAIN_DATA_H

#include <clsoftmax.h>

#include <stddef.h>
#include <stdint.h>

/* Rows of inputs with the class of each. */
struct samples {
    size_t rows, inputs, classes;
    float *x;
    cl_int *labels;
};

/* One normally distributed number; the same series from the same state everywhere. */
double random_normal(uint64_t *state);

/* Normally distributed inputs; the class is the sign of a row's first one. */
void sign_samples(struct samples *s, size_t rows, size_t inputs, uint64_t seed);

/* The digits: every fifth row is held out, the others are shuffled. */
void digits_samples(const char *folder, struct samples *train,
                    struct samples *held_out);

void samples_free(struct samples *s);

#endif
