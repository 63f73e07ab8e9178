/* SPDX-License-Identifier: MIT */
/* The part of the first station that is about values. */
#ifndef CLSM_VALUES_H
#define CLSM_VALUES_H

#include "problem.h"

/* Is every enum and flag one that exists? */
clsm_status clsm_check_enums(const clsm_problem *problem);

/* Operands, forms and numbers: do they go with the operation and each other? Fills in
 * the operands and the scale; p's types and operation stand already. */
clsm_status clsm_check_values(const clsm_problem *problem, struct problem *p);

/* A number that a caller gave as `field`: finite in the type that is computed in, and
 * within bounds? */
clsm_status clsm_check_number(const struct problem *p, const char *field, double v,
                              double least, double most);

#endif
