/* SPDX-License-Identifier: MIT */
/* A plan: a problem, how it was chosen, and its kernel. */
#ifndef CLSM_PLAN_H
#define CLSM_PLAN_H

#include "choose.h"
#include "program.h"

/* A kernel's arguments: x, y, the operands that take part in the order of their enum,
 * the shape; and what work-groups share, where they share rows. */
enum { X_ARGUMENT, Y_ARGUMENT, FIRST_OPERAND };

struct clsm_plan {
    clsm_engine *engine;
    clsm_problem given;     /* as the caller gave it, strides 0 where packed */
    struct problem problem; /* checked and filled in */
    struct choice choice;
    unsigned chosen;        /* index into choice.ranked; those before did not build */
    char failure[4096];     /* the first of these failures, with the driver's log */
    cl_kernel kernel;       /* NULL: nothing to do */
    cl_uint shape_argument; /* its place; what work-groups share comes after it */
    pthread_mutex_t lock;   /* of the kernel's arguments */
    double build_seconds;
    bool from_disk;
    struct usage usage;
};

#endif
