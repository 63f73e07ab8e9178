/* SPDX-License-Identifier: MIT */
/* Setting up the device, buffers, and launches of the example's kernels. */
#include "device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void check(int status, const char *call)
{
    if (status == 0)
        return;
    fprintf(stderr, "%s: status %d %s\n", call, status, clsm_last_message());
    exit(1);
}

noreturn void fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static void print_build_log(const struct device *d, cl_device_id device)
{
    char log[4096] = "";
    clGetProgramBuildInfo(d->program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log,
                          NULL);
    fprintf(stderr, "%s\n", log);
}

static void build_kernels(struct device *d, cl_device_id device)
{
    static const char *const names[] = {
#define KERNEL_NAME(name) #name,
        KERNELS(KERNEL_NAME)
#undef KERNEL_NAME
    };
    cl_int e;
    d->program = clCreateProgramWithSource(d->context, KERNEL_COUNT,
                                           (const char **)kernel_sources, NULL, &e);
    check(e, "clCreateProgramWithSource");
    e = clBuildProgram(d->program, 1, &device, "-cl-std=CL1.2", NULL, NULL);
    if (e != CL_SUCCESS)
        print_build_log(d, device);
    check(e, "clBuildProgram");
    for (int i = 0; i < KERNEL_COUNT; i++) {
        d->kernels[i] = clCreateKernel(d->program, names[i], &e);
        check(e, names[i]);
    }
}

bool device_open(struct device *d)
{
    clsm_device_info info = {.struct_bytes = sizeof info};
    const clsm_status status = clsm_device_find(NULL, &info);
    if (status == CLSM_ERR_NO_DEVICE) {
        fprintf(stderr, "%s\n", clsm_last_message());
        return false;
    }
    check(status, "clsm_device_find");
    cl_int e;
    d->context = clCreateContext(NULL, 1, &info.device, NULL, NULL, &e);
    check(e, "clCreateContext");
    d->queue = clCreateCommandQueue(d->context, info.device, 0, &e);
    check(e, "clCreateCommandQueue");
    check(clsm_engine_create(d->context, info.device, &d->engine),
          "clsm_engine_create");
    build_kernels(d, info.device);
    printf("device: %s\n", info.name);
    return true;
}

void device_close(struct device *d)
{
    for (int i = 0; i < KERNEL_COUNT; i++)
        clReleaseKernel(d->kernels[i]);
    clReleaseProgram(d->program);
    clsm_engine_destroy(d->engine);
    clReleaseCommandQueue(d->queue);
    clReleaseContext(d->context);
}

cl_mem new_buffer(const struct device *d, size_t bytes, const void *data)
{
    const cl_uchar zero = 0;
    cl_int e;
    cl_mem memory = clCreateBuffer(d->context, CL_MEM_READ_WRITE, bytes, NULL, &e);
    check(e, "clCreateBuffer");
    if (data)
        e = clEnqueueWriteBuffer(d->queue, memory, CL_TRUE, 0, bytes, data, 0, NULL,
                                 NULL);
    else
        e = clEnqueueFillBuffer(d->queue, memory, &zero, sizeof zero, 0, bytes, 0, NULL,
                                NULL);
    check(e, "filling a buffer");
    return memory;
}

void read_buffer(const struct device *d, cl_mem memory, size_t bytes, void *data)
{
    check(clEnqueueReadBuffer(d->queue, memory, CL_TRUE, 0, bytes, data, 0, NULL, NULL),
          "clEnqueueReadBuffer");
}

void launch(const struct device *d, enum kernel kernel, size_t n,
            const struct arg *args, size_t n_args)
{
    cl_kernel k = d->kernels[kernel];
    for (size_t i = 0; i < n_args; i++)
        check(clSetKernelArg(k, (cl_uint)i, args[i].bytes, args[i].value),
              "clSetKernelArg");
    check(clEnqueueNDRangeKernel(d->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
}
