/* SPDX-License-Identifier: MIT */
/*
 * What the fault layer is told and what it counts. The layer exports one such struct as
 * `fault_layer`; the program that the loader put it into finds it with dlsym(). For one
 * thread at a time.
 */
#ifndef CLSM_TEST_FAULT_LAYER_H
#define CLSM_TEST_FAULT_LAYER_H

#include "clsoftmax.h"

#include <stdbool.h>

/* Kinds of objects with a reference count. */
#define KINDS(X) X(CONTEXT) X(QUEUE) X(MEMORY) X(PROGRAM) X(KERNEL) X(EVENT)

enum kind {
#define KIND(name) KIND_##name,
    KINDS(KIND)
#undef KIND
        KIND_COUNT
};

struct fault_layer {
    /* told */
    const char *function; /* the only one that counts and fails; NULL: any */
    unsigned fail_at;     /* its call of this number fails, from 1; 0: none */
    bool and_after;       /* all later ones too */
    cl_int error;         /* with this */
    cl_int error_after;   /* or, if not 0, the later ones with this */
    const char *log;      /* what each program's build log is; NULL: the driver's */
    bool watching;        /* calls are counted; false: passed on as they are */

    /* counted, while watching */
    unsigned calls;
    const char *failed;    /* the function whose call failed first */
    unsigned bad_releases; /* releases that the driver refused */

    long references[KIND_COUNT]; /* created and retained less released, always */
};

#endif
