/* SPDX-License-Identifier: MIT */
/*
 * The memory in which work-groups leave what others of their row need, see
 * cl/shared.cl. One piece serves all plans of a context on a device, whatever their
 * engines, so launches that use it run one after another, on whatever queues: two at a
 * time could each have a part of the device and wait for the rest.
 */
#ifndef CLSM_SHARED_H
#define CLSM_SHARED_H

#include "clsoftmax.h"

#include <pthread.h>

#define ulong cl_ulong
#include "shape.cl"
#undef ulong

struct shared {
    cl_context context; /* retained */
    cl_device_id device;
    unsigned engines; /* 0: stays until `used` has ended */
    struct shared *next;
    pthread_mutex_t lock; /* from ordering a launch until it is queued */
    cl_mem memory;        /* NULL until a plan needs it */
    cl_event used;        /* the command that used it last; NULL: that has ended */
    cl_uint epoch;
    size_t records; /* that a launch may use: SHARED_RECORDS, or fewer for a test */
};

/* For one engine more, which closes it. */
clsm_status clsm_shared_open(cl_context context, cl_device_id device, struct shared **s);
void clsm_shared_close(struct shared *s);

/* Make the memory, unless it is there. */
clsm_status clsm_shared_need(struct shared *s);

/* Queue whatever lets the next command of `queue` come after all that used the memory.
 */
clsm_status clsm_shared_order(struct shared *s, cl_command_queue queue);

/* The command of that event, which now is this struct's, uses the memory from here on. */
void clsm_shared_used(struct shared *s, cl_event used);

/* The first of `rows` numbers that no launch has used before. May queue a command,
 * which then has the memory in order, as clsm_shared_order() does. */
clsm_status clsm_shared_epoch(struct shared *s, cl_command_queue queue, size_t rows,
                              cl_ulong *epoch);

#endif
