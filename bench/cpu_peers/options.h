/* SPDX-License-Identifier: MIT */
/* What clsoftmax-cpu-peers is asked for. */
#ifndef CPU_PEERS_OPTIONS_H
#define CPU_PEERS_OPTIONS_H

#include "command.h"
#include "goals.h"

struct cpu_options {
    const char *device, *json_path, *peers_path;
    struct selection selection;
    double bytes; /* of x */
    size_t rounds, threads;
    bool list, quiet;
};

/* Parse; an exit status, or -1 to go on. */
int cpu_parse(int argc, char **argv, struct cpu_options *o);

#endif
