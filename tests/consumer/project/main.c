/* SPDX-License-Identifier: MIT */
/* A user's program: one softmax on the default device. 77: there is no device. */
#include <clsoftmax.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int status, const char *call)
{
    if (status == 0)
        return;
    fprintf(stderr, "%s: status %d %s\n", call, status, clsm_last_message());
    exit(1);
}

static void softmax(cl_context context, cl_command_queue queue, clsm_engine *engine,
                    float *data, size_t cols)
{
    cl_int e;
    cl_mem x =
        clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, cols * sizeof *data, data, &e);
    check(e, "clCreateBuffer");
    clsm_problem problem;
    clsm_plan *plan;
    clsm_problem_init(&problem, CLSM_SOFTMAX, CLSM_F32, 1, cols);
    check(clsm_plan_create(engine, &problem, &plan), "clsm_plan_create");
    check(clsm_enqueue(plan, queue, x, 0, x, 0, 0, NULL, NULL), "clsm_enqueue");
    e = clEnqueueReadBuffer(queue, x, CL_TRUE, 0, cols * sizeof *data, data, 0, NULL,
                            NULL);
    check(e, "clEnqueueReadBuffer");
    clsm_plan_destroy(plan);
    clReleaseMemObject(x);
}

int main(void)
{
    if (strcmp(clsm_version(), CLSM_VERSION) != 0)
        return fprintf(stderr, "header %s, library %s\n", CLSM_VERSION, clsm_version()),
               1;

    clsm_device_info info = {.struct_bytes = sizeof info};
    const clsm_status found = clsm_device_find(NULL, &info);
    if (found == CLSM_ERR_NO_DEVICE)
        return 77;
    check(found, "clsm_device_find");

    cl_int e;
    cl_context context = clCreateContext(NULL, 1, &info.device, NULL, NULL, &e);
    check(e, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, info.device, 0, &e);
    check(e, "clCreateCommandQueue");
    clsm_engine *engine;
    check(clsm_engine_create(context, info.device, &engine), "clsm_engine_create");

    float data[4] = {7, 7, 7, 7};
    softmax(context, queue, engine, data, 4);
    printf("%s: %g %g %g %g\n", info.name, data[0], data[1], data[2], data[3]);

    clsm_engine_destroy(engine);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    for (int c = 0; c < 4; c++)
        if (!(data[c] > 0.249999f && data[c] < 0.250001f))
            return 1;
    return 0;
}
