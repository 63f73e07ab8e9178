/* SPDX-License-Identifier: MIT */
/* What a compiler's log says that a kernel takes of a compute unit. */
#ifndef CLSM_USAGE_H
#define CLSM_USAGE_H

#include <stdint.h>

struct usage {
    unsigned registers;   /* of a work-item; 0: not said */
    uint64_t spill_bytes; /* of a work-item: what lives in memory instead */
};

/* Read a log as NVIDIA's compiler writes it with -cl-nv-verbose; any other text, or
 * NULL, says nothing. Over several functions the most registers and the sum of all
 * bytes. */
struct usage clsm_usage_of(const char *log);

#endif
