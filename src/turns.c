/* SPDX-License-Identifier: MIT */
/* Waiting for the latest launch. */
#include "turns.h"

#include "status.h"

#include <time.h>

/* An event of the latest launch's, or of all that its queue holds. */
static clsm_status need_event(struct turns *t)
{
    if (!t->event)
        CL(clEnqueueMarkerWithWaitList, t->latest, 0, NULL, &t->event);
    return CLSM_OK;
}

void clsm_turns_took(struct turns *t, cl_event event)
{
    if (t->event)
        clReleaseEvent(t->event);
    t->event = event;
}

void clsm_turns_forget(struct turns *t)
{
    clsm_turns_took(t, NULL);
    if (t->latest)
        clReleaseCommandQueue(t->latest);
    t->latest = NULL;
}

/* Has the latest launch ended? It then is forgotten; one that failed has, too. */
static clsm_status look(struct turns *t, bool *ended)
{
    cl_int status = CL_COMPLETE;
    if (t->latest)
        TRY(need_event(t));
    if (t->event)
        CL(clGetEventInfo, t->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
           &status, NULL);
    *ended = status <= CL_COMPLETE;
    if (*ended)
        clsm_turns_forget(t);
    return CLSM_OK;
}

clsm_status clsm_turns_linger(struct turns *t, bool *ended)
{
    const struct timespec step = {.tv_nsec = 50 * 1000};
    TRY(look(t, ended));
    if (!*ended)
        CL(clFlush, t->latest);
    for (int i = 0; i < 20 && !*ended; i++) {
        nanosleep(&step, NULL);
        TRY(look(t, ended));
    }
    return CLSM_OK;
}

static clsm_status move_to(struct turns *t, cl_command_queue queue)
{
    CL(clRetainCommandQueue, queue);
    if (t->latest)
        clReleaseCommandQueue(t->latest);
    t->latest = queue;
    return CLSM_OK;
}

clsm_status clsm_turns_wait(struct turns *t, cl_command_queue queue)
{
    cl_command_queue_properties properties;
    bool ended = !t->latest;
    CL(clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES, sizeof properties,
       &properties, NULL);
    bool in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    if (in_order && t->latest == queue)
        return CLSM_OK;
    t->with_events |= !in_order;
    if (t->event)
        TRY(look(t, &ended));
    if (!ended) {
        t->with_events = true;
        TRY(need_event(t));
        if (t->latest != queue)
            CL(clFlush, t->latest);
        CL(clEnqueueBarrierWithWaitList, queue, 1, &t->event, NULL);
    }
    return t->latest == queue ? CLSM_OK : move_to(t, queue);
}
