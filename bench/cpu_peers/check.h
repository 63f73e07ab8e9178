/* SPDX-License-Identifier: MIT */
/* Is what a candidate computes right? */
#ifndef CPU_PEERS_CHECK_H
#define CPU_PEERS_CHECK_H

#include "candidate.h"

/*
 * Run a candidate once and compare some of the first rows and of the last, `elements`
 * of x at each end, with the reference. The library is held to its bound; peers, which
 * promise none, to one percent, or four ulps of 16 bits, and copies to every byte. *ulp
 * gets the largest error of normal outputs. False with a complaint in `text` if it is
 * wrong.
 */
bool check_candidate(struct candidate *c, size_t elements, double *ulp, char *text,
                     size_t bytes);

#endif
