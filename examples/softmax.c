/* SPDX-License-Identifier: MIT */
/* Scores in, probabilities out, on the first OpenCL device found. */
#include <clsoftmax.h>
#include <stdio.h>
#include <stdlib.h>

/* Both OpenCL and clsoftmax give 0 for success; clsoftmax also says what was wrong. */
static void check(int status, const char *call)
{
    if (status == 0)
        return;
    fprintf(stderr, "%s: status %d %s\n", call, status, clsm_last_message());
    exit(1);
}

int main(void)
{
    enum { ROWS = 2, COLS = 3 };
    float data[ROWS][COLS] = {{1, 2, 3}, {-50, 50, 50}};
    cl_platform_id platforms[8];
    cl_device_id device;
    cl_uint n = 0;
    int found = 0, wrong = 0;
    cl_int e = clGetPlatformIDs(8, platforms, &n);
    for (cl_uint i = 0; e == CL_SUCCESS && i < n && i < 8 && !found; i++)
        found = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == 0;
    if (!found)
        return fprintf(stderr, "no OpenCL device\n"), 77;

    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    check(e, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
    check(e, "clCreateCommandQueue");
    cl_mem x = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data, data, &e);
    check(e, "clCreateBuffer");

    clsm_engine *engine;
    clsm_plan *plan;
    clsm_problem problem;
    clsm_problem_init(&problem, CLSM_SOFTMAX, CLSM_F32, ROWS, COLS);
    check(clsm_engine_create(context, device, &engine), "clsm_engine_create");
    check(clsm_plan_create(engine, &problem, &plan), "clsm_plan_create");
    check(clsm_enqueue(plan, queue, x, 0, x, 0, 0, NULL, NULL), "clsm_enqueue");
    e = clEnqueueReadBuffer(queue, x, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    check(e, "clEnqueueReadBuffer");

    for (int r = 0; r < ROWS; r++) {
        const float *p = data[r];
        double sum = (double)p[0] + p[1] + p[2];
        printf("%f %f %f  sum %f\n", p[0], p[1], p[2], sum);
        wrong |= !(sum > 1 - 1e-5 && sum < 1 + 1e-5);
    }
    clsm_plan_destroy(plan);
    clsm_engine_destroy(engine);
    clReleaseMemObject(x);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong;
}
