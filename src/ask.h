/* SPDX-License-Identifier: MIT */
/* How the traits station asks: the only callers of clGetDeviceInfo and
 * clGetPlatformInfo. */
#ifndef CLSM_ASK_H
#define CLSM_ASK_H

#include "clsoftmax.h"

#include <stdbool.h>

/* Queries of newer headers and of extensions, by their fixed numbers. */
#define QUERY_MAX_NUM_SUB_GROUPS 0x105C
#define QUERY_OPENCL_C_ALL_VERSIONS 0x1066
#define QUERY_SUB_GROUP_SIZES_INTEL 0x4108
#define QUERY_COMPUTE_CAPABILITY_NV 0x4000 /* its major number */
#define QUERY_WARP_SIZE_NV 0x4003

/* What every device must answer. */
clsm_status clsm_ask(cl_device_id device, cl_device_info what, size_t bytes,
                     void *value);

/* What a device may not know; false then. */
bool clsm_ask_maybe(cl_device_id device, cl_device_info what, size_t bytes,
                    void *value);

/* Strings that every device and platform has, cut to fit. */
clsm_status clsm_ask_text(cl_device_id device, cl_device_info what, char *text,
                          size_t bytes);
void clsm_ask_platform_text(cl_platform_id platform, cl_platform_info what, char *text,
                            size_t bytes);

/* The device's list of extensions, to free(). */
clsm_status clsm_ask_extensions(cl_device_id device, char **list);
bool clsm_has_extension(const char *list, const char *name);

/* The newest OpenCL C the device compiles, as 100 * major + minor. */
clsm_status clsm_ask_newest_c(cl_device_id device, int *newest);

#endif
