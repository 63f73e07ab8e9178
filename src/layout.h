/* SPDX-License-Identifier: MIT */
/* The part of the first station that is about memory. */
#ifndef CLSM_LAYOUT_H
#define CLSM_LAYOUT_H

#include "problem.h"

/* Fill in packed strides; check that rows and matrices neither overlap nor overflow. */
clsm_status clsm_layouts_check(struct problem *p);

#endif
