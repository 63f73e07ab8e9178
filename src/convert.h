/* SPDX-License-Identifier: MIT */
/* Element types on the host: one element to double and back, rounding to nearest even.
 */
#ifndef CLSM_CONVERT_H
#define CLSM_CONVERT_H

#include "clsoftmax.h"

double clsm_element_get(clsm_type type, const void *data, size_t i);
void clsm_element_set(clsm_type type, void *data, size_t i, double v);

/* One unit in the last place of `type` at v: the gap to the next larger magnitude. */
double clsm_element_ulp(clsm_type type, double v);

/* The smallest normal number of `type`. */
double clsm_element_min_normal(clsm_type type);

/* The largest finite number of `type`. */
double clsm_element_max(clsm_type type);

#endif
