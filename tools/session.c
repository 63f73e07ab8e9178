/* SPDX-License-Identifier: MIT */
/* Opening a device and closing it again; what every program asks of an open one. */
#include "session.h"

/* One work-item's steps that wait for each other, some nanoseconds each; their end is
 * written, or a compiler would leave them out. */
static const char busy_source[] = "__kernel void busy(uint x, uint steps)\n"
                                  "{\n"
                                  "    volatile __local uint end;\n"
                                  "    for (uint i = 0; i < steps; i++)\n"
                                  "        x = x * 1664525u + 1013904223u;\n"
                                  "    end = x;\n"
                                  "}\n";

static cl_kernel busy_kernel(const struct session *s)
{
    const cl_uint x = 1, steps = 1 << 17;
    cl_kernel kernel = session_kernel(s, busy_source, "busy", "-w");
    if (kernel) {
        clSetKernelArg(kernel, 0, sizeof x, &x);
        clSetKernelArg(kernel, 1, sizeof steps, &steps);
    }
    return kernel;
}

bool session_busy(const struct session *s)
{
    const size_t one = 1;
    return s->busy && clEnqueueNDRangeKernel(s->queue, s->busy, 1, NULL, &one, &one, 0,
                                             NULL, NULL) == CL_SUCCESS;
}

clsm_status session_open_info(const clsm_device_info *info, struct session *s)
{
    cl_int error;
    *s = (struct session){.info = *info};
    s->context = clCreateContext(NULL, 1, &info->device, NULL, NULL, &error);
    if (!s->context)
        return failed(CLSM_ERR_OPENCL, "clCreateContext failed");
    s->queue = clCreateCommandQueue(s->context, info->device, CL_QUEUE_PROFILING_ENABLE,
                                    &error);
    if (s->queue && !(info->type & CL_DEVICE_TYPE_CPU))
        s->busy = busy_kernel(s);
    if (!s->queue)
        s->queue = clCreateCommandQueue(s->context, info->device, 0, &error);
    clsm_status status = s->queue
                             ? clsm_engine_create(s->context, info->device, &s->engine)
                             : failed(CLSM_ERR_OPENCL, "clCreateCommandQueue failed");
    if (status != CLSM_OK)
        session_close(s);
    return status;
}

clsm_status session_open(const char *selector, struct session *s)
{
    clsm_device_info info = {.struct_bytes = sizeof info};
    *s = (struct session){0};
    clsm_status status = clsm_device_find(selector, &info);
    return status == CLSM_OK ? session_open_info(&info, s) : status;
}

void session_close(struct session *s)
{
    clsm_engine_destroy(s->engine);
    if (s->busy)
        clReleaseKernel(s->busy);
    if (s->queue)
        clReleaseCommandQueue(s->queue);
    if (s->context)
        clReleaseContext(s->context);
    *s = (struct session){0};
}

cl_kernel session_kernel(const struct session *s, const char *source, const char *name,
                         const char *options)
{
    cl_int error;
    cl_program program =
        clCreateProgramWithSource(s->context, 1, &source, NULL, &error);
    cl_kernel kernel = NULL;
    if (program &&
        clBuildProgram(program, 1, &s->info.device, options, NULL, NULL) == CL_SUCCESS)
        kernel = clCreateKernel(program, name, &error);
    if (program)
        clReleaseProgram(program);
    return kernel;
}

cl_mem session_buffer(const struct session *s, size_t bytes, const void *data)
{
    cl_int error;
    cl_mem_flags copy = data ? CL_MEM_COPY_HOST_PTR : 0;
    return clCreateBuffer(s->context, CL_MEM_READ_WRITE | copy, bytes ? bytes : 1,
                          (void *)data, &error);
}

bool session_has_room(const struct session *s, uint64_t largest, uint64_t all)
{
    cl_ulong most = 0;
    clGetDeviceInfo(s->info.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most,
                    NULL);
    return largest <= most && all <= s->info.global_bytes / 4 * 3;
}
