/* SPDX-License-Identifier: MIT */
/* The last station: check the call, then launch. Allocates nothing. */
#include "buffers.h"
#include "launch.h"
#include "status.h"

#include <assert.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

static clsm_status check_queue(const clsm_plan *plan, cl_command_queue queue)
{
    cl_context context;
    cl_device_id device;
    CL(clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    CL(clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (context != plan->engine->context)
        return clsm_fail(CLSM_ERR_CONTEXT,
                         "queue %p is of context %p, expected the plan's %p",
                         (void *)queue, (void *)context, (void *)plan->engine->context);
    if (device != plan->engine->device)
        return clsm_fail(CLSM_ERR_DEVICE,
                         "queue %p is on device %p, expected the plan's %p",
                         (void *)queue, (void *)device, (void *)plan->engine->device);
    return CLSM_OK;
}

static clsm_status check_wait_list(const clsm_plan *plan, cl_uint n_wait,
                                   const cl_event *wait)
{
    if (n_wait && !wait)
        return clsm_fail(CLSM_ERR_NULL, "n_wait is %u, but wait is NULL",
                         (unsigned)n_wait);
    if (!n_wait && wait)
        return clsm_fail(CLSM_ERR_VALUE, "n_wait is 0, but wait is not NULL");
    for (cl_uint i = 0; i < n_wait; i++) {
        cl_context context;
        if (!wait[i])
            return clsm_fail(CLSM_ERR_NULL,
                             "wait[%u] is NULL, expected n_wait, %u, events",
                             (unsigned)i, (unsigned)n_wait);
        CL(clGetEventInfo, wait[i], CL_EVENT_CONTEXT, sizeof context, &context, NULL);
        if (context != plan->engine->context)
            return clsm_fail(CLSM_ERR_CONTEXT,
                             "wait[%u] is of context %p, expected the "
                             "plan's %p",
                             (unsigned)i, (void *)context,
                             (void *)plan->engine->context);
    }
    return CLSM_OK;
}

/* Nothing to compute; what follows still waits for the wait list. */
static clsm_status launch_nothing(cl_command_queue queue, cl_uint n_wait,
                                  const cl_event *wait, cl_event *done)
{
    if (!done && !n_wait)
        return CLSM_OK;
    CL(clEnqueueMarkerWithWaitList, queue, n_wait, wait, done);
    return CLSM_OK;
}

/* The plan's own shape, without buffers. */
static clsm_args args_of(const clsm_plan *plan)
{
    const clsm_problem *given = &plan->given;
    return (clsm_args){
        .struct_bytes = sizeof(clsm_args),
        .rows = given->rows,
        .cols = given->cols,
        .x_row_stride = given->x_row_stride,
        .y_row_stride = given->y_row_stride,
        .x_matrix_stride = given->x_matrix_stride,
        .y_matrix_stride = given->y_matrix_stride,
        .dy_row_stride = given->dy_row_stride,
        .dy_matrix_stride = given->dy_matrix_stride,
        .mask_stride = given->mask_stride,
        .causal_offset = given->causal_offset,
        .grad_scale = given->grad_scale,
    };
}

_Static_assert((int)CLSM_OPERAND_COUNT <= (int)CLSM_OPERAND_ROOM,
               "a struct that stays");

clsm_status clsm_args_init_sized(const clsm_plan *plan, clsm_args *args,
                                 size_t struct_bytes)
{
    NEED(plan);
    NEED(args);
    const clsm_args full = args_of(plan);
    if (struct_bytes < offsetof(clsm_args, operand) || struct_bytes > sizeof full)
        return clsm_fail(CLSM_ERR_STRUCT, "struct_bytes is %zu, expected %zu",
                         struct_bytes, sizeof full);
    memcpy(args, &full, struct_bytes);
    args->struct_bytes = struct_bytes;
    return CLSM_OK;
}

clsm_status clsm_enqueue_args(clsm_plan *plan, cl_command_queue queue,
                              const clsm_args *args, cl_uint n_wait,
                              const cl_event *wait, cl_event *done)
{
    if (done)
        *done = NULL;
    NEED(plan);
    NEED(queue);
    NEED_STRUCT_FROM(args, offsetof(clsm_args, operand), "call clsm_args_init() first");
    struct problem p;
    clsm_args full = args_of(plan);
    memcpy(&full, args, args->struct_bytes);
    TRY(clsm_problem_at(&plan->problem, &full, &p));
    TRY(check_wait_list(plan, n_wait, wait));
    TRY(check_queue(plan, queue));
    if (clsm_problem_is_empty(&p))
        return launch_nothing(queue, n_wait, wait, done);
    assert(plan->kernel);
    TRY(clsm_buffers_check(plan, &full, &p));
    return clsm_launch(plan, queue, &full, &p, n_wait, wait, done);
}

clsm_status clsm_enqueue(clsm_plan *plan, cl_command_queue queue, cl_mem x,
                         size_t x_offset, cl_mem y, size_t y_offset, cl_uint n_wait,
                         const cl_event *wait, cl_event *done)
{
    clsm_args args;
    if (done)
        *done = NULL;
    NEED(plan);
    TRY(clsm_args_init(plan, &args));
    args.x = x;
    args.y = y;
    args.x_offset = x_offset;
    args.y_offset = y_offset;
    return clsm_enqueue_args(plan, queue, &args, n_wait, wait, done);
}
