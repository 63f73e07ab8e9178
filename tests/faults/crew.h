/* SPDX-License-Identifier: MIT */
/*
 * Eight threads with a queue, buffers and numbers each of their own. Only the main
 * thread asserts, since Check leaves a test by a jump; the others hand in a complaint.
 */
#ifndef CLSM_TEST_CREW_H
#define CLSM_TEST_CREW_H

#include "clsoftmax.h"

#include <check.h>

enum {
    THREADS = 8,
    LAUNCHES = 50,
    ROWS = 6,
    COLS = 131,
    N = ROWS * COLS,
    STEP = N + 5, /* from one launch's elements to the next's */
    ALL = LAUNCHES * STEP
};

struct worker {
    int number;
    clsm_plan *plan;
    char error[300]; /* empty: all well */
    float in[ALL], out[ALL];
};
extern struct worker workers[THREADS];

/* Start all threads on this work and assert that none of them complains. */
void crew_run(void *(*work)(void *));

/* To be called in a thread: go on when all have called it. */
void crew_meet(void);

/* Enqueue the plan again and again on this thread's own numbers, each time at another
 * offset, and check all results. */
void crew_use(struct worker *w, cl_context context, cl_device_id device,
              clsm_plan *plan, const clsm_problem *problem);

#endif
