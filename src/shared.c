/* SPDX-License-Identifier: MIT */
/* Shared memory of a context's plans on a device: made once, used in turn. */
#include "shared.h"

#include "status.h"

#include <stdlib.h>

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct shared *all;

static clsm_status add(cl_context context, cl_device_id device, bool with_events,
                       struct shared **s)
{
    struct shared *one = calloc(1, sizeof *one);
    if (!one || pthread_mutex_init(&one->lock, NULL) != 0) {
        free(one);
        return clsm_fail(CLSM_ERR_MEMORY, "out of memory for what engines share");
    }
    cl_int error = clRetainContext(context);
    if (error != CL_SUCCESS) {
        pthread_mutex_destroy(&one->lock);
        free(one);
        return clsm_fail_cl(error, "clRetainContext");
    }
    one->context = context;
    one->device = device;
    one->records = SHARED_RECORDS;
    one->turns.with_events = with_events;
    one->next = all;
    *s = all = one;
    return CLSM_OK;
}

/* Take those off the list whom nobody needs any more. */
static struct shared *take_unused(void)
{
    struct shared *taken = NULL, **at = &all;
    while (*at) {
        struct shared *one = *at;
        bool ended;
        if (one->engines ||
            (clsm_turns_linger(&one->turns, &ended) == CLSM_OK && !ended)) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        one->next = taken;
        taken = one;
    }
    return taken;
}

static void free_all(struct shared *s)
{
    while (s) {
        struct shared *next = s->next;
        clsm_turns_forget(&s->turns);
        if (s->memory)
            clReleaseMemObject(s->memory);
        clReleaseContext(s->context);
        pthread_mutex_destroy(&s->lock);
        free(s);
        s = next;
    }
}

clsm_status clsm_shared_open(cl_context context, cl_device_id device, bool with_events,
                             struct shared **s)
{
    clsm_status status = CLSM_OK;
    pthread_mutex_lock(&all_lock);
    *s = all;
    while (*s && ((*s)->context != context || (*s)->device != device))
        *s = (*s)->next;
    if (!*s)
        status = add(context, device, with_events, s);
    if (status == CLSM_OK)
        (*s)->engines++;
    struct shared *unused = take_unused();
    pthread_mutex_unlock(&all_lock);
    free_all(unused);
    return status;
}

void clsm_shared_close(struct shared *s)
{
    pthread_mutex_lock(&all_lock);
    s->engines--;
    struct shared *unused = take_unused();
    pthread_mutex_unlock(&all_lock);
    free_all(unused);
}

static clsm_status make_memory(struct shared *s)
{
    cl_int error;
    void *zeros = calloc(1, SHARED_BYTES);
    if (!zeros)
        return clsm_fail(CLSM_ERR_MEMORY, "out of memory for what engines share");
    s->memory = clCreateBuffer(s->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                               SHARED_BYTES, zeros, &error);
    free(zeros);
    return error == CL_SUCCESS ? CLSM_OK : clsm_fail_cl(error, "clCreateBuffer");
}

clsm_status clsm_shared_need(struct shared *s)
{
    clsm_status status = CLSM_OK;
    pthread_mutex_lock(&s->lock);
    if (!s->memory)
        status = make_memory(s);
    pthread_mutex_unlock(&s->lock);
    return status;
}

clsm_status clsm_shared_epoch(struct shared *s, cl_command_queue queue, size_t rows,
                              cl_ulong *epoch)
{
    const cl_uint zero = 0;
    cl_event filled;
    if (rows >= UINT32_MAX - s->epoch) { /* start again, with nothing left of before */
        CL(clEnqueueFillBuffer, queue, s->memory, &zero, sizeof zero, 0, SHARED_BYTES,
           0, NULL, &filled);
        clsm_turns_took(&s->turns, filled);
        TRY(clsm_turns_wait(&s->turns, queue));
        s->epoch = 0;
    }
    *epoch = s->epoch;
    s->epoch += (cl_uint)rows;
    return CLSM_OK;
}
