/* SPDX-License-Identifier: MIT */
/* Copying with stores that pass the caches by: what memory can do at best. */
#ifndef CPU_PEERS_STREAM_H
#define CPU_PEERS_STREAM_H

#include <stddef.h>

/* `ahead`: bytes in front of the reads that are asked for; 0: left to the processor. */
void stream_copy(char *y, const char *x, size_t bytes, size_t ahead);

/* "AVX-512", ..., or what stands in where there are no such stores. */
const char *stream_name(void);

#endif
