/* SPDX-License-Identifier: MIT */
/*
 * One softmax on the host in long double, and how far a device's result may be from it.
 * Kept apart from the kernels' way of computing: the largest element, plain sums in
 * long double, the non-finite policy as cases. f64 problems are compared in long
 * double, which on x86 has 11 bits more; elsewhere the reference is no finer than f64.
 */
#ifndef CLSM_REFERENCE_H
#define CLSM_REFERENCE_H

#include "problem.h"

/* A value and the error that computing it may have, before it is stored. An exact logit
 * has error 0; errors of logits are in units of u, 2^-24 or 2^-53. */
struct want {
    long double value, error;
};

/* What one softmax needs to know of its elements. */
struct facts {
    long double max, sum, rest; /* rest: the sum without one largest element */
    long double max_error;      /* of the largest logit, in u */
    long double error; /* of the logits on average, by their probability, in u */
    size_t infinities; /* elements that are +inf */
    size_t first;      /* where the largest stands first */
    bool nan;
    bool one_hot; /* temperature 0 */
};

struct ref_row {
    const struct problem *p;
    const clsm_host_args *in;
    size_t r, i; /* which softmax: outer row and inner element */
    struct facts f;
    long double u;
    /* what the operation has found out before its first element */
    long double total, magnitude;   /* backward: a sum, and of its terms' magnitudes */
    struct want loss;               /* cross-entropy */
    long double all, all_magnitude; /* see cl/cross_entropy.cl */
    long double each, hit, missing;
    size_t target;
    size_t top[CLSM_MAX_K]; /* topk: columns */
};

/* Number of the softmax: where its row results stand. */
size_t clsm_ref_number(const struct ref_row *row);

/* The element of a tensor of x's shape. */
double clsm_ref_element(const struct ref_row *row, const struct layout *l,
                        const void *data, size_t c);

/* A number of an operand that is "real". */
double clsm_ref_real(const struct ref_row *row, clsm_operand operand, size_t at);

/* By how much exp(x) may be off where x is off by `error` units. */
long double clsm_ref_exp_error(const struct ref_row *row, long double x,
                               long double error);

/* The logit of column c: x with all its forms; -inf where masked. */
struct want clsm_ref_logit(const struct ref_row *row, size_t c);

/* Fill row->f. */
void clsm_ref_facts(struct ref_row *row);

/* In reference.c: start a softmax; what its y and row results should be. */
void clsm_ref_start(struct ref_row *row, const struct problem *p,
                    const clsm_host_args *in, size_t r, size_t i);
struct want clsm_ref_y(const struct ref_row *row, size_t c);
struct want clsm_ref_operand(const struct ref_row *row, clsm_operand operand);

/* A target of cross-entropy: does it count, is it no class? */
bool clsm_ref_target(const struct ref_row *row, size_t *target, bool *bad);

#endif
