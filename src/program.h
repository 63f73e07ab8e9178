/* SPDX-License-Identifier: MIT */
/* The fourth station: what programs are made of (options.c), and built ones, from memory,
 * from disk or from source. */
#ifndef CLSM_PROGRAM_H
#define CLSM_PROGRAM_H

#include "build.h"
#include "variant.h"

struct program {
    struct program *next;
    char *options;      /* with the operation and the variant: what it was built for */
    cl_program program; /* NULL: a thread is building it */
    double build_seconds;
    bool from_disk;
    struct usage usage; /* nothing known of one from disk, which has no log */
};

/* Everything that a program is specialised on. The names stand in its options too, as
 * defines that no kernel reads, so that these alone are the key. */
void clsm_program_describe(const struct problem *p, const struct config *config,
                           const struct traits *t, struct build *b);

/* The same for cl/probe.cl. */
void clsm_program_describe_probe(const struct traits *t, struct build *b);

/* The program for a problem's specialisation, made if it is not there. *fresh: this
 * call made it. It lives as long as the engine. */
clsm_status clsm_program_get(clsm_engine *engine, const struct problem *p,
                             const struct config *config,
                             const struct program **program, bool *fresh);

/* The probe's, which is made anew each time; release it. */
clsm_status clsm_program_probe(clsm_engine *engine, cl_program *program);

void clsm_programs_free(struct program *first);

/* The kernel's name in every program. */
#define KERNEL_NAME "clsm_row"

#endif
