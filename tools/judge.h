/* SPDX-License-Identifier: MIT */
/* What `clsoftmax run` says of a result: within the bound, and how often a label's. */
#ifndef JUDGE_H
#define JUDGE_H

#include "clsoftmax.h"

/* Compare all that was written with the reference, print the largest error; an exit
 * status. */
int judge_result(const clsm_problem *p, const clsm_host_args *view);

/* Print the mean of the losses, weighted as PyTorch does, and how many targets did not
 * count. */
void judge_loss(const clsm_problem *p, const clsm_host_args *view);

/* Print how often the largest element along the axis is the label's, of which there is
 * one for each softmax. */
void judge_labels(const clsm_problem *p, const void *y, const int64_t *labels);

#endif
