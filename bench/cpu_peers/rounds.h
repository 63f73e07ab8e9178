/* SPDX-License-Identifier: MIT */
/* Timing candidates in turn. */
#ifndef CPU_PEERS_ROUNDS_H
#define CPU_PEERS_ROUNDS_H

#include "candidate.h"

/*
 * Each round runs every candidate once, in turn, each on the next set of buffers;
 * between them the threads of the last one come to rest. Rounds whose best copy took
 * more than 1 / 0.8 of its median were disturbed by something else and do not count,
 * unless that would leave less than half of them. *dropped: how many. False, with the
 * candidate's name in *failed, if one fails.
 */
bool rounds_run(struct candidates *all, unsigned rounds, unsigned *dropped,
                const char **failed);

#endif
