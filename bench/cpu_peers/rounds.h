/* SPDX-License-Identifier: MIT */
/* Timing candidates in turn. */
#ifndef CPU_PEERS_ROUNDS_H
#define CPU_PEERS_ROUNDS_H

#include "candidate.h"

/* How it went. */
struct rounds {
    unsigned timings, disturbed; /* of all candidates; disturbed ones among them */
    const char *failed;          /* the candidate that did; NULL: none */
};

/*
 * Each round runs every candidate in turn, twice, on the next two sets of buffers, and
 * times the second run; before that the threads of the last one come to rest. A timing
 * was disturbed if threads that could run had no processor for a twentieth of it, and a
 * whole round if its best copy took more than 1 / 0.8 of its median. A candidate's time
 * is the median of the others, or of the least disturbed quarter where that is more;
 * where half are disturbed there are up to four times as many rounds as wanted.
 */
struct rounds rounds_run(struct candidates *all, unsigned wanted);

#endif
