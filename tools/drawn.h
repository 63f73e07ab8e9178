/* SPDX-License-Identifier: MIT */
/* Problems drawn at random, to see how good the library's choices are. */
#ifndef DRAWN_H
#define DRAWN_H

#include "clsoftmax.h"

/* The next problem of a stream: any operation, f32, f16 or bf16, 1 to 2^20 columns, k
 * from 1 to 16 where there is one, and rows for 1 to `mib` MiB of traffic. The columns
 * and the traffic are uniform in their logarithm; every second row length from 64 on is
 * rounded to a multiple of 64. */
clsm_status drawn_problem(uint64_t *state, size_t mib, clsm_problem *problem);

/* "topk, k 5" */
void drawn_name(const clsm_problem *problem, char *name, size_t bytes);

#endif
