/* SPDX-License-Identifier: MIT */
/* Shared memory of a context's plans on a device: made once, used in turn. */
#include "shared.h"

#include "status.h"

#include <stdbool.h>
#include <stdlib.h>

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct shared *all;

static clsm_status add(cl_context context, cl_device_id device, struct shared **s)
{
    struct shared *one = calloc(1, sizeof *one);
    if (!one || pthread_mutex_init(&one->lock, NULL) != 0) {
        free(one);
        return clsm_fail(CLSM_ERR_MEMORY, "out of memory for what engines share");
    }
    one->context = context;
    one->device = device;
    one->records = SHARED_RECORDS;
    one->engines = 1;
    one->next = all;
    *s = all = one;
    return CLSM_OK;
}

clsm_status clsm_shared_open(cl_context context, cl_device_id device, struct shared **s)
{
    clsm_status status = CLSM_OK;
    pthread_mutex_lock(&all_lock);
    *s = all;
    while (*s && ((*s)->context != context || (*s)->device != device))
        *s = (*s)->next;
    if (*s)
        (*s)->engines++;
    else
        status = add(context, device, s);
    pthread_mutex_unlock(&all_lock);
    return status;
}

void clsm_shared_close(struct shared *s)
{
    pthread_mutex_lock(&all_lock);
    bool last = --s->engines == 0;
    struct shared **at = &all;
    while (last && *at != s)
        at = &(*at)->next;
    if (last)
        *at = s->next;
    pthread_mutex_unlock(&all_lock);
    if (!last)
        return;
    if (s->latest)
        clReleaseCommandQueue(s->latest);
    if (s->memory)
        clReleaseMemObject(s->memory);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

clsm_status clsm_shared_need(struct shared *s)
{
    cl_int error = CL_SUCCESS;
    pthread_mutex_lock(&s->lock);
    if (!s->memory) {
        void *zeros = calloc(1, SHARED_BYTES);
        if (zeros)
            s->memory =
                clCreateBuffer(s->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                               SHARED_BYTES, zeros, &error);
        else
            error = CL_OUT_OF_HOST_MEMORY;
        free(zeros);
    }
    pthread_mutex_unlock(&s->lock);
    return error == CL_SUCCESS ? CLSM_OK : clsm_fail_cl(error, "clCreateBuffer");
}

/* Each call's own name is in its message. */
#define CL(call, ...)                                                                  \
    do {                                                                               \
        cl_int error = call(__VA_ARGS__);                                              \
        if (error != CL_SUCCESS)                                                       \
            return clsm_fail_cl(error, #call);                                         \
    } while (0)

static clsm_status wait_for(cl_event event, cl_command_queue latest,
                            cl_command_queue queue)
{
    CL(clFlush, latest);
    CL(clEnqueueBarrierWithWaitList, queue, 1, &event, NULL);
    return CLSM_OK;
}

/* After everything that is in the latest queue now. */
static clsm_status follow(struct shared *s, cl_command_queue queue)
{
    cl_event event;
    CL(clEnqueueMarkerWithWaitList, s->latest, 0, NULL, &event);
    clsm_status status = wait_for(event, s->latest, queue);
    clReleaseEvent(event);
    return status;
}

/* Both queues have what they need, or nothing has changed. */
static clsm_status move_to(struct shared *s, cl_command_queue queue)
{
    if (s->latest)
        TRY(follow(s, queue));
    CL(clRetainCommandQueue, queue);
    if (s->latest)
        clReleaseCommandQueue(s->latest);
    s->latest = queue;
    return CLSM_OK;
}

clsm_status clsm_shared_order(struct shared *s, cl_command_queue queue)
{
    cl_command_queue_properties properties;
    if (s->latest != queue)
        return move_to(s, queue);
    CL(clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES, sizeof properties,
       &properties, NULL);
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        CL(clEnqueueBarrierWithWaitList, queue, 0, NULL, NULL);
    return CLSM_OK;
}

clsm_status clsm_shared_epoch(struct shared *s, cl_command_queue queue, size_t rows,
                              cl_ulong *epoch)
{
    const cl_uint zero = 0;
    if (rows >= UINT32_MAX - s->epoch) { /* start again, with nothing left of before */
        CL(clEnqueueFillBuffer, queue, s->memory, &zero, sizeof zero, 0, SHARED_BYTES,
           0, NULL, NULL);
        TRY(clsm_shared_order(s, queue));
        s->epoch = 0;
    }
    *epoch = s->epoch;
    s->epoch += (cl_uint)rows;
    return CLSM_OK;
}
