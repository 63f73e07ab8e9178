/* SPDX-License-Identifier: MIT */
/* The device's part of `clsoftmax run`: a plan, buffers, one run that counts and a few
 * more to be timed. */
#include "measure.h"
#include "run.h"

#include <stdio.h>

enum { TIMINGS = 5 };

static void print_plan(const struct session *s, const struct run_job *job,
                       const clsm_plan_info *info, clsm_plan *plan)
{
    char text[8192];
    printf("device    %s (%s)\nvariant   %s: %s\n", s->info.name, s->info.reason,
           info->variant, info->reason);
    if (job->explain && clsm_plan_explain(plan, text, sizeof text, NULL) == CLSM_OK)
        fputs(text, stdout);
}

static size_t bytes_of(const struct npy *a)
{
    return a->count * npy_type_bytes(a->type);
}

static bool upload(const struct session *s, struct run_job *job, clsm_args *args,
                   cl_mem *buffers)
{
    size_t bytes = 0;
    bool good = true;
    for (int t = 0; t < RUN_TENSORS; t++) {
        const struct npy *a = &job->tensors[t];
        if (!a->data)
            continue;
        bytes += bytes_of(a);
        buffers[t] = session_buffer(s, bytes_of(a), a->data);
        good = good && buffers[t];
        if (t + CLSM_X >= 0)
            args->operand[t + CLSM_X].memory = buffers[t];
    }
    args->x = buffers[0];
    args->y = buffers[CLSM_Y - CLSM_X];
    if (!good)
        complain(EXIT_FAILED, "%s has no room for %zu bytes", s->info.name, bytes);
    return good;
}

static int read_back(const struct session *s, struct run_job *job, cl_mem *buffers)
{
    for (int t = 0; t < RUN_TENSORS; t++) {
        struct npy *a = &job->tensors[t];
        if (buffers[t] && run_is_written(t + CLSM_X) && a->count &&
            clEnqueueReadBuffer(s->queue, buffers[t], CL_TRUE, 0, bytes_of(a), a->data,
                                0, NULL, NULL) != CL_SUCCESS)
            return complain(EXIT_FAILED, "cannot read the result back from %s",
                            s->info.name);
    }
    return EXIT_FINE;
}

/* The first run is the result: bad targets are counted up in each. */
static int run_and_time(const struct session *s, struct run_job *job, clsm_plan *plan,
                        const clsm_args *args, cl_mem *buffers, double *seconds)
{
    clsm_status status = clsm_enqueue_args(plan, s->queue, args, 0, NULL, NULL);
    if (status != CLSM_OK)
        return complain_status(status, "enqueue");
    int result = read_back(s, job, buffers);
    if (result)
        return result;
    status = measure_plan(s, plan, args, 1, TIMINGS, seconds);
    return status == CLSM_OK ? result : complain_status(status, "enqueue");
}

static int compute_with(const struct session *s, struct run_job *job, clsm_plan *plan)
{
    cl_mem buffers[RUN_TENSORS] = {NULL};
    clsm_plan_info info = {.struct_bytes = sizeof info};
    clsm_args args;
    double seconds = 0;
    clsm_plan_get_info(plan, &info);
    clsm_args_init(plan, &args);
    print_plan(s, job, &info, plan);
    int result = upload(s, job, &args, buffers)
                     ? run_and_time(s, job, plan, &args, buffers, &seconds)
                     : EXIT_FAILED;
    if (!result)
        printf(
            "time      %.3f us, %.2f GB/s effective (%llu bytes: each input read once, "
            "each output written once)\n",
            seconds * 1e6, seconds > 0 ? (double)info.bytes / seconds * 1e-9 : 0.0,
            (unsigned long long)info.bytes);
    for (int t = 0; t < RUN_TENSORS; t++)
        if (buffers[t])
            clReleaseMemObject(buffers[t]);
    return result;
}

int run_compute(const struct session *s, struct run_job *job)
{
    clsm_plan *plan;
    clsm_status status = clsm_plan_create(s->engine, &job->problem, &plan);
    if (status != CLSM_OK)
        return complain_status(status, "plan");
    int result = compute_with(s, job, plan);
    clsm_plan_destroy(plan);
    return result;
}
