/* SPDX-License-Identifier: MIT */
/* The last station: check the call, set the arguments, launch. Allocates nothing. */
#include "plan.h"
#include "status.h"

#include <assert.h>

#define ulong cl_ulong
#include "shape.cl"
#undef ulong

/* Work-groups of one launch, for each compute unit; rows beyond are looped over. */
enum { GPU_ITEMS_PER_UNIT = 16384, CPU_GROUPS_PER_UNIT = 64 };

/* A buffer's place in memory, in bytes of the buffer that it is or is part of. */
struct span {
    cl_mem memory;
    size_t first, end;
};

static clsm_status check_queue(const clsm_plan *plan, cl_command_queue queue)
{
    cl_context context;
    cl_device_id device;
    cl_int error =
        clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (error == CL_SUCCESS)
        error =
            clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (error != CL_SUCCESS)
        return clsm_fail_cl(error, "clGetCommandQueueInfo");
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

static clsm_status clsm_ask(cl_mem buffer, cl_mem_info what, size_t bytes, void *value)
{
    cl_int error = clGetMemObjectInfo(buffer, what, bytes, value, NULL);
    return error == CL_SUCCESS ? CLSM_OK : clsm_fail_cl(error, "clGetMemObjectInfo");
}

/* Is it a buffer of our context, with access allowed, that holds the tensor? */
static clsm_status check_buffer(const clsm_plan *plan, const char *name, cl_mem buffer,
                                cl_mem_flags forbidden, size_t offset, size_t extent,
                                clsm_type type, struct span *span)
{
    cl_mem_object_type kind;
    cl_context context;
    cl_mem_flags flags;
    cl_mem parent;
    size_t bytes, start, element = clsm_type_bytes(type);
    if (!buffer)
        return clsm_fail(CLSM_ERR_NULL, "clsm_enqueue: buffer %s is NULL", name);
    TRY(clsm_ask(buffer, CL_MEM_TYPE, sizeof kind, &kind));
    if (kind != CL_MEM_OBJECT_BUFFER)
        return clsm_fail(CLSM_ERR_BUFFER,
                         "%s is a memory object of type 0x%x, not a buffer", name,
                         (unsigned)kind);
    TRY(clsm_ask(buffer, CL_MEM_CONTEXT, sizeof context, &context));
    if (context != plan->engine->context)
        return clsm_fail(CLSM_ERR_CONTEXT,
                         "buffer %s is of context %p, expected the plan's %p", name,
                         (void *)context, (void *)plan->engine->context);
    TRY(clsm_ask(buffer, CL_MEM_FLAGS, sizeof flags, &flags));
    if (flags & forbidden)
        return clsm_fail(CLSM_ERR_ACCESS,
                         "buffer %s was created CL_MEM_%s_ONLY, but it is %s", name,
                         forbidden & CL_MEM_READ_ONLY ? "READ" : "WRITE",
                         forbidden & CL_MEM_READ_ONLY ? "written" : "read");
    TRY(clsm_ask(buffer, CL_MEM_SIZE, sizeof bytes, &bytes));
    if (offset > SIZE_MAX / element - extent || (offset + extent) * element > bytes)
        return clsm_fail(
            CLSM_ERR_BUFFER,
            "buffer %s has %zu bytes, expected at least (%s_offset %zu + extent "
            "%zu) x %zu bytes",
            name, bytes, name, offset, extent, element);
    TRY(clsm_ask(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent));
    TRY(clsm_ask(buffer, CL_MEM_OFFSET, sizeof start, &start));
    start = parent ? start : 0;
    *span = (struct span){parent ? parent : buffer, start + offset * element,
                          start + (offset + extent) * element};
    return CLSM_OK;
}

static clsm_status check_overlap(const struct problem *p, const struct span *x,
                                 const struct span *y)
{
    bool apart = x->memory != y->memory || x->end <= y->first || y->end <= x->first;
    bool same = x->first == y->first &&
                clsm_type_bytes(p->x.type) == clsm_type_bytes(p->y.type) &&
                p->x.col_stride == p->y.col_stride &&
                (p->x.row_stride == p->y.row_stride || p->rows == 1);
    return apart || same
               ? CLSM_OK
               : clsm_fail(
                     CLSM_ERR_OVERLAP,
                     "x at bytes %zu to %zu and y at bytes %zu to %zu of one buffer "
                     "overlap; expected the same elements or none in common",
                     x->first, x->end, y->first, y->end);
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
        cl_int error =
            clGetEventInfo(wait[i], CL_EVENT_CONTEXT, sizeof context, &context, NULL);
        if (error != CL_SUCCESS)
            return clsm_fail_cl(error, "clGetEventInfo");
        if (context != plan->engine->context)
            return clsm_fail(CLSM_ERR_CONTEXT,
                             "wait[%u] is of context %p, expected the "
                             "plan's %p",
                             (unsigned)i, (void *)context,
                             (void *)plan->engine->context);
    }
    return CLSM_OK;
}

static clsm_status check_call(const clsm_plan *plan, cl_command_queue queue,
                              const clsm_args *args, const struct problem *p)
{
    struct span x, y;
    TRY(check_queue(plan, queue));
    TRY(check_buffer(plan, "x", args->x, CL_MEM_WRITE_ONLY, args->x_offset,
                     clsm_layout_extent(&p->x, p), p->x.type, &x));
    TRY(check_buffer(plan, "y", args->y, CL_MEM_READ_ONLY, args->y_offset,
                     clsm_layout_extent(&p->y, p), p->y.type, &y));
    return check_overlap(p, &x, &y);
}

static size_t groups_of(const clsm_plan *plan, const struct config *config, size_t rows)
{
    const struct traits *t = &plan->engine->traits;
    size_t per_group = clsm_config_rows_per_group(config, t);
    size_t needed = rows / per_group + (rows % per_group != 0);
    size_t per_unit = t->bits & TRAIT_CPU ? CPU_GROUPS_PER_UNIT
                                          : GPU_ITEMS_PER_UNIT / clsm_config_wg(config);
    size_t most = t->compute_units * per_unit;
    return needed < most ? needed : most;
}

static clsm_status launch(clsm_plan *plan, cl_command_queue queue,
                          const clsm_args *args, const struct problem *p,
                          cl_uint n_wait, const cl_event *wait, cl_event *done)
{
    const struct config *config = &plan->choice.ranked[plan->chosen].config;
    struct shape shape = {
        .rows = p->rows * p->inner,
        .cols = p->cols,
        .inner = p->inner,
        .x_offset = args->x_offset,
        .y_offset = args->y_offset,
        .x_row = p->x.row_stride,
        .y_row = p->y.row_stride,
        .x_col = p->x.col_stride,
        .y_col = p->y.col_stride,
    };
    size_t local = clsm_config_wg(config);
    size_t global = local * groups_of(plan, config, p->rows * p->inner);
    const char *call = "clSetKernelArg";
    pthread_mutex_lock(&plan->lock);
    cl_int error = clSetKernelArg(plan->kernel, 0, sizeof args->x, &args->x);
    if (error == CL_SUCCESS)
        error = clSetKernelArg(plan->kernel, 1, sizeof args->y, &args->y);
    if (error == CL_SUCCESS)
        error = clSetKernelArg(plan->kernel, 2, sizeof shape, &shape);
    if (error == CL_SUCCESS) {
        call = "clEnqueueNDRangeKernel";
        error = clEnqueueNDRangeKernel(queue, plan->kernel, 1, NULL, &global, &local,
                                       n_wait, wait, done);
    }
    pthread_mutex_unlock(&plan->lock);
    return error == CL_SUCCESS ? CLSM_OK : clsm_fail_cl(error, call);
}

/* Nothing to compute; an event that is asked for still follows the wait list. */
static clsm_status launch_nothing(cl_command_queue queue, cl_uint n_wait,
                                  const cl_event *wait, cl_event *done)
{
    if (!done)
        return CLSM_OK;
    cl_int error = clEnqueueMarkerWithWaitList(queue, n_wait, wait, done);
    return error == CL_SUCCESS ? CLSM_OK
                               : clsm_fail_cl(error, "clEnqueueMarkerWithWaitList");
}

clsm_status clsm_args_init(const clsm_plan *plan, clsm_args *args)
{
    NEED(plan);
    NEED(args);
    *args = (clsm_args){
        .struct_bytes = sizeof *args,
        .rows = plan->given.rows,
        .cols = plan->given.cols,
        .x_row_stride = plan->given.x_row_stride,
        .y_row_stride = plan->given.y_row_stride,
    };
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
    NEED_STRUCT(args, "call clsm_args_init() first");
    struct problem p;
    TRY(clsm_problem_at(&plan->problem, args->rows, args->cols, args->x_row_stride,
                        args->y_row_stride, &p));
    TRY(check_wait_list(plan, n_wait, wait));
    if (clsm_problem_is_empty(&p)) {
        TRY(check_queue(plan, queue));
        return launch_nothing(queue, n_wait, wait, done);
    }
    assert(plan->kernel);
    TRY(check_call(plan, queue, args, &p));
    return launch(plan, queue, args, &p, n_wait, wait, done);
}

clsm_status clsm_enqueue(clsm_plan *plan, cl_command_queue queue, cl_mem x,
                         size_t x_offset, cl_mem y, size_t y_offset, cl_uint n_wait,
                         const cl_event *wait, cl_event *done)
{
    clsm_args args;
    if (done)
        *done = NULL;
    TRY(clsm_args_init(plan, &args));
    args.x = x;
    args.y = y;
    args.x_offset = x_offset;
    args.y_offset = y_offset;
    return clsm_enqueue_args(plan, queue, &args, n_wait, wait, done);
}
