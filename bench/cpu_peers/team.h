/* SPDX-License-Identifier: MIT */
/* One team of threads for all that is plain C here: the copies and the C loops. */
#ifndef CPU_PEERS_TEAM_H
#define CPU_PEERS_TEAM_H

#include <stdbool.h>

enum { MOST_THREADS = 1024 };

/* So many threads, the caller's being one of them; false if they cannot be had. */
bool team_open(unsigned threads);
void team_close(void);

/* Each thread does one of `of` parts; returns when all are done. */
void team_run(void (*part)(void *context, unsigned i, unsigned of), void *context);

#endif
