/* SPDX-License-Identifier: MIT */
/*
 * Failing: every failure goes through clsm_fail() or clsm_fail_cl(), which keep the
 * message for the calling thread and hand the status back, so that a caller writes
 * `return clsm_fail(...)`.
 */
#ifndef CLSM_STATUS_H
#define CLSM_STATUS_H

#include "clsoftmax.h"

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

clsm_status clsm_fail(clsm_status status, const char *format, ...) PRINTF_LIKE(2, 3);

/* An OpenCL call returned an error: CLSM_ERR_OPENCL, or CLSM_ERR_MEMORY for the host's.
 */
clsm_status clsm_fail_cl(cl_int error, const char *call);

/* Remember the OpenCL code for clsm_last_cl_error() without a message of its own. */
void clsm_keep_cl_error(cl_int error);

/* "CL_OUT_OF_RESOURCES", or "an OpenCL error" for other codes. */
const char *clsm_cl_error_name(cl_int error);

#define TRY(call)                                                                      \
    do {                                                                               \
        clsm_status try_status = (call);                                               \
        if (try_status != CLSM_OK)                                                     \
            return try_status;                                                         \
    } while (0)

/* An OpenCL function, whose name is in the message. */
#define CL(call, ...)                                                                  \
    do {                                                                               \
        cl_int cl_error = call(__VA_ARGS__);                                           \
        if (cl_error != CL_SUCCESS)                                                    \
            return clsm_fail_cl(cl_error, #call);                                      \
    } while (0)

#define NEED(pointer)                                                                  \
    do {                                                                               \
        if (!(pointer))                                                                \
            return clsm_fail(CLSM_ERR_NULL, "%s: " #pointer " is NULL", __func__);     \
    } while (0)

/* A struct of the caller's, which may be from an older header and end earlier, but not
 * before `first`, the first field that was added since; never from a newer one. */
#define NEED_STRUCT_FROM(pointer, first, init)                                         \
    do {                                                                               \
        NEED(pointer);                                                                 \
        if ((pointer)->struct_bytes < (first) ||                                       \
            (pointer)->struct_bytes > sizeof *(pointer))                               \
            return clsm_fail(CLSM_ERR_STRUCT,                                          \
                             "%s: " #pointer                                           \
                             "->struct_bytes is %zu, expected %zu: " init,             \
                             __func__, (pointer)->struct_bytes, sizeof *(pointer));    \
    } while (0)

/* One that has not grown yet. */
#define NEED_STRUCT(pointer, init) NEED_STRUCT_FROM(pointer, sizeof *(pointer), init)

#endif
