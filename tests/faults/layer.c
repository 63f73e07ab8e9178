/* SPDX-License-Identifier: MIT */
/*
 * An OpenCL loader layer (OPENCL_LAYERS) that makes the N-th call of a function fail
 * without passing it on, and counts the references to each kind of object. It stands
 * between the loader and every driver, so a test needs no broken driver to see what the
 * library does with one. Source of the interface: CL/cl_layer.h.
 *
 * A release is counted and passed on, but never failed: nobody could do anything about
 * it.
 */
#include "layer.h"

#include <CL/cl_layer.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT struct fault_layer fault_layer = {.error = CL_OUT_OF_RESOURCES};

static cl_icd_dispatch next, ours;

/* The error that this call must return; CL_SUCCESS: pass it on. */
static cl_int fault(const char *function)
{
    struct fault_layer *l = &fault_layer;
    if (!l->watching || (l->function && strcmp(l->function, function) != 0))
        return CL_SUCCESS;
    l->calls++;
    if (!l->fail_at || l->calls < l->fail_at ||
        (l->calls > l->fail_at && !l->and_after))
        return CL_SUCCESS;
    if (!l->failed)
        l->failed = function;
    return l->calls > l->fail_at && l->error_after ? l->error_after : l->error;
}

/* Functions that return a status and make nothing. */
#define CALLS(X)                                                                       \
    X(clGetPlatformIDs, (cl_uint n, cl_platform_id * ids, cl_uint * count),            \
      (n, ids, count))                                                                 \
    X(clGetPlatformInfo,                                                               \
      (cl_platform_id id, cl_platform_info what, size_t n, void *value, size_t *size), \
      (id, what, n, value, size))                                                      \
    X(clGetDeviceIDs,                                                                  \
      (cl_platform_id id, cl_device_type type, cl_uint n, cl_device_id * ids,          \
       cl_uint * count),                                                               \
      (id, type, n, ids, count))                                                       \
    X(clGetDeviceInfo,                                                                 \
      (cl_device_id id, cl_device_info what, size_t n, void *value, size_t *size),     \
      (id, what, n, value, size))                                                      \
    X(clGetContextInfo,                                                                \
      (cl_context id, cl_context_info what, size_t n, void *value, size_t *size),      \
      (id, what, n, value, size))                                                      \
    X(clGetCommandQueueInfo,                                                           \
      (cl_command_queue id, cl_command_queue_info what, size_t n, void *value,         \
       size_t *size),                                                                  \
      (id, what, n, value, size))                                                      \
    X(clGetEventInfo,                                                                  \
      (cl_event id, cl_event_info what, size_t n, void *value, size_t *size),          \
      (id, what, n, value, size))                                                      \
    X(clGetMemObjectInfo,                                                              \
      (cl_mem id, cl_mem_info what, size_t n, void *value, size_t *size),              \
      (id, what, n, value, size))                                                      \
    X(clGetProgramInfo,                                                                \
      (cl_program id, cl_program_info what, size_t n, void *value, size_t *size),      \
      (id, what, n, value, size))                                                      \
    X(clGetKernelWorkGroupInfo,                                                        \
      (cl_kernel id, cl_device_id device, cl_kernel_work_group_info what, size_t n,    \
       void *value, size_t *size),                                                     \
      (id, device, what, n, value, size))                                              \
    X(clBuildProgram,                                                                  \
      (cl_program id, cl_uint n, const cl_device_id *devices, const char *options,     \
       void(CL_CALLBACK * notify)(cl_program, void *), void *data),                    \
      (id, n, devices, options, notify, data))                                         \
    X(clSetKernelArg, (cl_kernel id, cl_uint i, size_t n, const void *value),          \
      (id, i, n, value))                                                               \
    X(clFlush, (cl_command_queue id), (id))

/* Functions that queue something and may hand out an event. */
#define ENQUEUES(X)                                                                    \
    X(clEnqueueNDRangeKernel,                                                          \
      (cl_command_queue id, cl_kernel kernel, cl_uint dims, const size_t *offset,      \
       const size_t *global, const size_t *local, cl_uint n, const cl_event *wait,     \
       cl_event *event),                                                               \
      (id, kernel, dims, offset, global, local, n, wait, event))                       \
    X(clEnqueueReadBuffer,                                                             \
      (cl_command_queue id, cl_mem buffer, cl_bool blocking, size_t offset,            \
       size_t bytes, void *to, cl_uint n, const cl_event *wait, cl_event *event),      \
      (id, buffer, blocking, offset, bytes, to, n, wait, event))                       \
    X(clEnqueueFillBuffer,                                                             \
      (cl_command_queue id, cl_mem buffer, const void *pattern, size_t pattern_bytes,  \
       size_t offset, size_t bytes, cl_uint n, const cl_event *wait, cl_event *event), \
      (id, buffer, pattern, pattern_bytes, offset, bytes, n, wait, event))             \
    X(clEnqueueMarkerWithWaitList,                                                     \
      (cl_command_queue id, cl_uint n, const cl_event *wait, cl_event *event),         \
      (id, n, wait, event))                                                            \
    X(clEnqueueBarrierWithWaitList,                                                    \
      (cl_command_queue id, cl_uint n, const cl_event *wait, cl_event *event),         \
      (id, n, wait, event))

/* Functions that make an object: its type and kind, and an error by pointer. */
#define CREATES(X)                                                                     \
    X(cl_command_queue, QUEUE, clCreateCommandQueue,                                   \
      (cl_context id, cl_device_id device, cl_command_queue_properties properties,     \
       cl_int * error),                                                                \
      (id, device, properties, error))                                                 \
    X(cl_mem, MEMORY, clCreateBuffer,                                                  \
      (cl_context id, cl_mem_flags flags, size_t bytes, void *host, cl_int *error),    \
      (id, flags, bytes, host, error))                                                 \
    X(cl_program, PROGRAM, clCreateProgramWithSource,                                  \
      (cl_context id, cl_uint n, const char **text, const size_t *bytes,               \
       cl_int *error),                                                                 \
      (id, n, text, bytes, error))                                                     \
    X(cl_program, PROGRAM, clCreateProgramWithBinary,                                  \
      (cl_context id, cl_uint n, const cl_device_id *devices, const size_t *bytes,     \
       const unsigned char **binaries, cl_int *status, cl_int *error),                 \
      (id, n, devices, bytes, binaries, status, error))                                \
    X(cl_kernel, KERNEL, clCreateKernel,                                               \
      (cl_program id, const char *name, cl_int *error), (id, name, error))

#define RETAINS(X)                                                                     \
    X(cl_context, CONTEXT, clRetainContext)                                            \
    X(cl_command_queue, QUEUE, clRetainCommandQueue)                                   \
    X(cl_mem, MEMORY, clRetainMemObject)                                               \
    X(cl_program, PROGRAM, clRetainProgram)                                            \
    X(cl_kernel, KERNEL, clRetainKernel)                                               \
    X(cl_event, EVENT, clRetainEvent)

#define RELEASES(X)                                                                    \
    X(cl_context, CONTEXT, clReleaseContext)                                           \
    X(cl_command_queue, QUEUE, clReleaseCommandQueue)                                  \
    X(cl_mem, MEMORY, clReleaseMemObject)                                              \
    X(cl_program, PROGRAM, clReleaseProgram)                                           \
    X(cl_kernel, KERNEL, clReleaseKernel)                                              \
    X(cl_event, EVENT, clReleaseEvent)

#define DEFINE(name, parameters, arguments)                                            \
    static cl_int CL_API_CALL our_##name parameters                                    \
    {                                                                                  \
        cl_int failed = fault(#name);                                                  \
        return failed ? failed : next.name arguments;                                  \
    }
CALLS(DEFINE)
#undef DEFINE

#define DEFINE(name, parameters, arguments)                                            \
    static cl_int CL_API_CALL our_##name parameters                                    \
    {                                                                                  \
        cl_int failed = fault(#name);                                                  \
        if (!failed)                                                                   \
            failed = next.name arguments;                                              \
        fault_layer.references[KIND_EVENT] += !failed && event;                        \
        return failed;                                                                 \
    }
ENQUEUES(DEFINE)
#undef DEFINE

#define DEFINE(type, kind, name, parameters, arguments)                                \
    static type CL_API_CALL our_##name parameters                                      \
    {                                                                                  \
        cl_int failed = fault(#name);                                                  \
        if (failed && error)                                                           \
            *error = failed;                                                           \
        type object = failed ? NULL : next.name arguments;                             \
        fault_layer.references[KIND_##kind] += object != NULL;                         \
        return object;                                                                 \
    }
CREATES(DEFINE)
#undef DEFINE

#define DEFINE(type, kind, name)                                                       \
    static cl_int CL_API_CALL our_##name(type object)                                  \
    {                                                                                  \
        cl_int failed = fault(#name);                                                  \
        if (!failed)                                                                   \
            failed = next.name(object);                                                \
        fault_layer.references[KIND_##kind] += !failed;                                \
        return failed;                                                                 \
    }
RETAINS(DEFINE)
#undef DEFINE

#define DEFINE(type, kind, name)                                                       \
    static cl_int CL_API_CALL our_##name(type object)                                  \
    {                                                                                  \
        cl_int failed = next.name(object);                                             \
        fault_layer.references[KIND_##kind] -= !failed;                                \
        fault_layer.bad_releases += fault_layer.watching && failed;                    \
        return failed;                                                                 \
    }
RELEASES(DEFINE)
#undef DEFINE

/* A build that was failed here has no log of the driver's, so one may be given. */
static cl_int CL_API_CALL our_clGetProgramBuildInfo(cl_program id, cl_device_id device,
                                                    cl_program_build_info what,
                                                    size_t n, void *value, size_t *size)
{
    cl_int failed = fault("clGetProgramBuildInfo");
    const char *log = what == CL_PROGRAM_BUILD_LOG ? fault_layer.log : NULL;
    if (failed || !log)
        return failed ? failed
                      : next.clGetProgramBuildInfo(id, device, what, n, value, size);
    if (value && n <= strlen(log))
        return CL_INVALID_VALUE;
    if (value)
        strcpy(value, log);
    if (size)
        *size = strlen(log) + 1;
    return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t n, void *value,
                                         size_t *size)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char name[] = "clsoftmax fault layer";
    const void *answer = what == CL_LAYER_NAME ? (const void *)name : &version;
    size_t bytes = what == CL_LAYER_NAME ? sizeof name : sizeof version;
    if ((what != CL_LAYER_NAME && what != CL_LAYER_API_VERSION) || (value && n < bytes))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, answer, bytes);
    if (size)
        *size = bytes;
    return CL_SUCCESS;
}

/* Everything that is not ours goes on as it came. */
EXPORT cl_int CL_API_CALL clInitLayer(cl_uint n, const cl_icd_dispatch *target,
                                      cl_uint *n_ours, const cl_icd_dispatch **dispatch)
{
    const cl_uint known = sizeof next / sizeof(void *);
    if (!target || !n_ours || !dispatch || n < known)
        return CL_INVALID_VALUE;
    memcpy(&next, target, sizeof next);
    ours = next;
    ours.clGetProgramBuildInfo = our_clGetProgramBuildInfo;
#define SET(name, parameters, arguments) ours.name = our_##name;
    CALLS(SET)
    ENQUEUES(SET)
#undef SET
#define SET(type, kind, name, ...) ours.name = our_##name;
    CREATES(SET)
#undef SET
#define SET(type, kind, name) ours.name = our_##name;
    RETAINS(SET)
    RELEASES(SET)
#undef SET
    *n_ours = known;
    *dispatch = &ours;
    return CL_SUCCESS;
}
