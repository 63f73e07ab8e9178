/* SPDX-License-Identifier: MIT */
/*
 * The memory in which work-groups leave what others of their row need, see
 * cl/shared.cl. One piece serves all plans of a context on a device, whatever their
 * engines, so launches that use it run one after another, on whatever queues: two at a
 * time could each have a part of the device and wait for the rest.
 */
#ifndef CLSM_SHARED_H
#define CLSM_SHARED_H

#include "turns.h"

#include <pthread.h>

#define ulong cl_ulong
#include "shape.cl"
#undef ulong

struct shared {
    cl_context context; /* retained */
    cl_device_id device;
    unsigned engines; /* 0: stays until the latest launch has ended */
    struct shared *next;
    pthread_mutex_t lock; /* from ordering a launch until it is queued */
    cl_mem memory;        /* NULL until a plan needs it */
    struct turns turns;
    cl_uint epoch;
    size_t records; /* that a launch may use: SHARED_RECORDS, or fewer for a test */
};

/* For one engine more, which closes it. with_events: see turns.h. */
clsm_status clsm_shared_open(cl_context context, cl_device_id device, bool with_events,
                             struct shared **s);
void clsm_shared_close(struct shared *s);

/* Make the memory, unless it is there. */
clsm_status clsm_shared_need(struct shared *s);

/* The first of `rows` numbers that no launch has used before. May queue a command,
 * which then is waited for, as by clsm_turns_wait(). */
clsm_status clsm_shared_epoch(struct shared *s, cl_command_queue queue, size_t rows,
                              cl_ulong *epoch);

#endif
