/* SPDX-License-Identifier: MIT */
/* Shared memory of an engine's plans: made once, used in turn. */
#include "shared.h"

#include "status.h"

#include <stdbool.h>
#include <stdlib.h>

clsm_status clsm_shared_init(struct shared *s)
{
    *s = (struct shared){.memory = NULL};
    return pthread_mutex_init(&s->lock, NULL) == 0
               ? CLSM_OK
               : clsm_fail(CLSM_ERR_MEMORY, "no mutex for an engine");
}

void clsm_shared_free(struct shared *s)
{
    if (s->latest)
        clReleaseCommandQueue(s->latest);
    if (s->memory)
        clReleaseMemObject(s->memory);
    pthread_mutex_destroy(&s->lock);
}

clsm_status clsm_shared_need(struct shared *s, cl_context context)
{
    cl_int error = CL_SUCCESS;
    pthread_mutex_lock(&s->lock);
    if (!s->memory) {
        void *zeros = calloc(1, SHARED_BYTES);
        if (zeros)
            s->memory =
                clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                               SHARED_BYTES, zeros, &error);
        else
            error = CL_OUT_OF_HOST_MEMORY;
        free(zeros);
    }
    pthread_mutex_unlock(&s->lock);
    return error == CL_SUCCESS ? CLSM_OK : clsm_fail_cl(error, "clCreateBuffer");
}

/* After everything that is in the latest queue now. */
static cl_int follow(struct shared *s, cl_command_queue queue)
{
    cl_event event;
    cl_int error = clEnqueueMarkerWithWaitList(s->latest, 0, NULL, &event);
    if (error != CL_SUCCESS)
        return error;
    error = clFlush(s->latest);
    if (error == CL_SUCCESS)
        error = clEnqueueBarrierWithWaitList(queue, 1, &event, NULL);
    clReleaseEvent(event);
    return error;
}

cl_int clsm_shared_order(struct shared *s, cl_command_queue queue)
{
    cl_command_queue_properties properties;
    cl_int error = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                         &properties, NULL);
    bool in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    if (error != CL_SUCCESS || (s->latest == queue && in_order))
        return error;
    if (s->latest && s->latest != queue)
        error = follow(s, queue);
    else if (!in_order)
        error = clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL);
    if (error != CL_SUCCESS || s->latest == queue)
        return error;
    if (s->latest)
        clReleaseCommandQueue(s->latest);
    s->latest = queue;
    return clRetainCommandQueue(queue);
}

cl_int clsm_shared_epoch(struct shared *s, cl_command_queue queue, size_t rows,
                         cl_ulong *epoch)
{
    const cl_uint zero = 0;
    cl_int error = CL_SUCCESS;
    if (rows >= UINT32_MAX - s->epoch) { /* start again, with nothing left of before */
        error = clEnqueueFillBuffer(queue, s->memory, &zero, sizeof zero, 0,
                                    SHARED_BYTES, 0, NULL, NULL);
        if (error == CL_SUCCESS)
            error = clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL);
        s->epoch = 0;
    }
    *epoch = s->epoch;
    s->epoch += (cl_uint)rows;
    return error;
}
