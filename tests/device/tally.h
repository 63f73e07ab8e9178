/* SPDX-License-Identifier: MIT */
/* Counting what a test found, so that it goes on after the first failure and shows each
 * with all its numbers. */
#ifndef CLSM_TEST_DEVICE_TALLY_H
#define CLSM_TEST_DEVICE_TALLY_H

#include "suites.h"

struct tally {
    const struct device *device;
    unsigned done, failed;
    char first[400]; /* the first failure */
};

/* For the test's loop index. */
struct tally tally_of(int index);

/* Run a trial and count it; prints a failure. */
bool tally_trial(struct tally *t, const struct trial *trial, clsm_plan *plan);

/* Count a fact; prints it if it does not hold. */
bool tally_fact(struct tally *t, bool holds, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Count a call that must succeed; prints the library's message otherwise. */
bool tally_ok(struct tally *t, clsm_status status, const char *call);

/* The test fails here if anything failed or nothing was done. */
void tally_end(const struct tally *t);

#endif
