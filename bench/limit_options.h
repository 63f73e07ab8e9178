/* SPDX-License-Identifier: MIT */
/* What clsoftmax-limit is asked for. */
#ifndef LIMIT_OPTIONS_H
#define LIMIT_OPTIONS_H

#include "command.h"
#include "goals.h"

struct limit_options {
    const char *device, *json_path, *peers_path;
    struct selection selection;
    size_t repeats;
    bool list, quiet;
};

/* Parse; an exit status, or -1 to go on. */
int limit_parse(int argc, char **argv, struct limit_options *o);

#endif
