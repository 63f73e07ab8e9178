/* SPDX-License-Identifier: MIT */
/* With CLSM_TEST_LIST=1 trials are told instead of run: one line each, from which
 * scripts/features.py makes FEATURES.md's tables. */
#ifndef CLSM_TEST_DEVICE_LISTING_H
#define CLSM_TEST_DEVICE_LISTING_H

#include "../../tools/trial.h"

/* "# trial OP VARIANT X_TYPE Y_TYPE FEATURE,FEATURE" */
void list_trial(const struct trial *trial);

/* Features that a trial may have: layouts, forms, results. Those it has, as bits. */
enum { FEATURES = 23 };
unsigned features_of(const struct trial *trial);

#endif
