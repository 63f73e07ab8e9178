/* SPDX-License-Identifier: MIT */
/* What `clsoftmax run` says of a result: within the bound, and how often a label's. */
#ifndef JUDGE_H
#define JUDGE_H

#include "clsoftmax.h"

/* Compare packed x and y with the reference, print the largest error; an exit status.
 */
int judge_result(const clsm_problem *p, const void *x, const void *y);

/* Print how often the largest element along the axis is the label's of a .npy file of
 * integers, one for each softmax; an exit status. */
int judge_labels(const clsm_problem *p, const void *y, const char *path);

#endif
