/* SPDX-License-Identifier: MIT */
/* Shared memory of an engine's plans: made once, used in turn. */
#include "shared.h"

#include "status.h"

#include <stdlib.h>

clsm_status clsm_shared_init(struct shared *s)
{
    *s = (struct shared){.records = SHARED_RECORDS};
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
