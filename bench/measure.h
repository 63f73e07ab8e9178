/* SPDX-License-Identifier: MIT */
/* Timing on a device: medians, with buffers rotated so that caches are cold. */
#ifndef MEASURE_H
#define MEASURE_H

#include "session.h"

/* Median seconds of one enqueue of a plan, going round `count` sets of arguments. One
 * run of each first warms up, for at most a second, and on a GPU some milliseconds
 * more; then at most a second of repeats, or four for the first three of them. On a GPU
 * these stand in line, so that none waits for the host; on a CPU each is waited for. */
clsm_status measure_plan(const struct session *s, clsm_plan *plan,
                         const clsm_args *sets, unsigned count, unsigned repeats,
                         double *seconds);

/* The better of two runs, on a GPU of two short lines: what a plan takes at least, or
 * nearly. */
clsm_status measure_first(const struct session *s, clsm_plan *plan,
                          const clsm_args *sets, unsigned count, double *seconds);

/* Median seconds to move `bytes` in all, half of them read and half written, going
 * round so many sets: the better of clEnqueueCopyBuffer and a copy kernel. *how names
 * the better one. */
clsm_status measure_copy(const struct session *s, uint64_t bytes, unsigned sets,
                         double *seconds, const char **how);

/* So many bytes, touched in between, leave caches cold. */
uint64_t measure_cold_bytes(const struct session *s);

/* The host's clock, in seconds. */
double now(void);

/* The median of n numbers, which get sorted. */
double median(double *v, unsigned n);

#endif
