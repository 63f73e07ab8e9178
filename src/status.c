/* SPDX-License-Identifier: MIT */
/* Status names and texts, and the calling thread's last message. */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>

enum { MESSAGE_BYTES = 8192 }; /* room for a build log */

static _Thread_local char message[MESSAGE_BYTES];
static _Thread_local cl_int last_cl_error;

static const struct {
    clsm_status status;
    const char *name, *text;
} statuses[] = {
#define ROW(name, value, text) {CLSM_##name, "CLSM_" #name, text},
    CLSM_STATUSES(ROW)
#undef ROW
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

const char *clsm_status_name(clsm_status status)
{
    for (size_t i = 0; i < COUNT(statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].name;
    return "CLSM_UNKNOWN";
}

const char *clsm_status_text(clsm_status status)
{
    for (size_t i = 0; i < COUNT(statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].text;
    return "not a status of this library";
}

const char *clsm_last_message(void)
{
    return message;
}

cl_int clsm_last_cl_error(void)
{
    return last_cl_error;
}

const char *clsm_version(void)
{
    return CLSM_VERSION;
}

clsm_status clsm_fail(clsm_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return status;
}

void clsm_keep_cl_error(cl_int error)
{
    last_cl_error = error;
}

clsm_status clsm_fail_cl(cl_int error, const char *call)
{
    clsm_keep_cl_error(error);
    return clsm_fail(error == CL_OUT_OF_HOST_MEMORY ? CLSM_ERR_MEMORY : CLSM_ERR_OPENCL,
                     "%s failed: %s (%d)", call, clsm_cl_error_name(error), error);
}

const char *clsm_cl_error_name(cl_int error)
{
    static const struct {
        cl_int code;
        const char *name;
    } names[] = {
#define CODE(name) {name, #name}
        CODE(CL_DEVICE_NOT_FOUND),
        CODE(CL_DEVICE_NOT_AVAILABLE),
        CODE(CL_COMPILER_NOT_AVAILABLE),
        CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
        CODE(CL_OUT_OF_RESOURCES),
        CODE(CL_OUT_OF_HOST_MEMORY),
        CODE(CL_BUILD_PROGRAM_FAILURE),
        CODE(CL_INVALID_VALUE),
        CODE(CL_INVALID_PLATFORM),
        CODE(CL_INVALID_DEVICE),
        CODE(CL_INVALID_CONTEXT),
        CODE(CL_INVALID_COMMAND_QUEUE),
        CODE(CL_INVALID_MEM_OBJECT),
        CODE(CL_INVALID_BINARY),
        CODE(CL_INVALID_BUILD_OPTIONS),
        CODE(CL_INVALID_PROGRAM),
        CODE(CL_INVALID_PROGRAM_EXECUTABLE),
        CODE(CL_INVALID_KERNEL_NAME),
        CODE(CL_INVALID_KERNEL),
        CODE(CL_INVALID_KERNEL_ARGS),
        CODE(CL_INVALID_ARG_SIZE),
        CODE(CL_INVALID_WORK_GROUP_SIZE),
        CODE(CL_INVALID_WORK_ITEM_SIZE),
        CODE(CL_INVALID_EVENT_WAIT_LIST),
        CODE(CL_INVALID_EVENT),
        CODE(CL_INVALID_OPERATION),
        CODE(CL_INVALID_BUFFER_SIZE),
        CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
#undef CODE
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    };
    for (size_t i = 0; i < COUNT(names); i++)
        if (names[i].code == error)
            return names[i].name;
    return "an OpenCL error";
}
