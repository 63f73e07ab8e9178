/* SPDX-License-Identifier: MIT */
/* What the operations' references share between their files. */
#ifndef CLSM_REFERENCE_OPS_H
#define CLSM_REFERENCE_OPS_H

#include "reference.h"

/* (8 + 2 distance) u of v. */
long double clsm_ref_relative(const struct ref_row *row, long double distance,
                              long double v);

/* What becomes 0 where it would be subnormal, before it is multiplied by `factor`. */
long double clsm_ref_flushed(const struct ref_row *row, long double factor);

/* The probability of column c. */
struct want clsm_ref_softmax(const struct ref_row *row, size_t c);

/* Backward: sum(dy x) or sum(dy), then an element of the gradient. */
void clsm_ref_sum_products(struct ref_row *row);
void clsm_ref_sum_gradients(struct ref_row *row);
struct want clsm_ref_softmax_backward(const struct ref_row *row, size_t c);
struct want clsm_ref_log_softmax_backward(const struct ref_row *row, size_t c);

/* Cross-entropy: the loss, then an element of its gradient, or the loss as y. */
void clsm_ref_find_loss(struct ref_row *row);
struct want clsm_ref_loss_gradient(const struct ref_row *row, size_t c);
struct want clsm_ref_loss(const struct ref_row *row, size_t c);

#endif
