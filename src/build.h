/* SPDX-License-Identifier: MIT */
/* From pieces of source and options to a built program, through the disk cache. */
#ifndef CLSM_BUILD_H
#define CLSM_BUILD_H

#include "engine.h"
#include "usage.h"

struct source {
    const unsigned char *bytes;
    size_t count;
};

enum { MAX_PARTS = 5, OPTIONS_BYTES = 1024 };

struct build {
    const char *kernel;
    unsigned parts;
    const struct source *part[MAX_PARTS];
    char options[OPTIONS_BYTES];
};

/* Load or build. *from_disk: loaded. *usage: by the log of a build from source, where
 * the device writes one. Counts for clsm_get_counters(). */
clsm_status clsm_build_program(const clsm_engine *engine, const struct build *b,
                               cl_program *program, bool *from_disk,
                               struct usage *usage);

#endif
