/* SPDX-License-Identifier: MIT */
/* Asking a device about itself. */
#include "ask.h"

#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Extension lists are long: this is the longest we look at. */
enum { EXTENSIONS_BYTES = 16384 };

clsm_status clsm_ask(cl_device_id device, cl_device_info what, size_t bytes,
                     void *value)
{
    cl_int error = clGetDeviceInfo(device, what, bytes, value, NULL);
    return error == CL_SUCCESS ? CLSM_OK : clsm_fail_cl(error, "clGetDeviceInfo");
}

bool clsm_ask_maybe(cl_device_id device, cl_device_info what, size_t bytes, void *value)
{
    return clGetDeviceInfo(device, what, bytes, value, NULL) == CL_SUCCESS;
}

void clsm_ask_text(cl_device_id device, cl_device_info what, char *text, size_t bytes)
{
    size_t needed = 0;
    text[0] = 0;
    if (clGetDeviceInfo(device, what, 0, NULL, &needed) != CL_SUCCESS || !needed)
        return;
    char *whole = malloc(needed + 1);
    if (whole && clsm_ask_maybe(device, what, needed, whole)) {
        whole[needed] = 0;
        snprintf(text, bytes, "%s", whole);
    }
    free(whole);
}

void clsm_ask_platform_text(cl_platform_id platform, cl_platform_info what, char *text,
                            size_t bytes)
{
    char whole[1024];
    bool known =
        clGetPlatformInfo(platform, what, sizeof whole, whole, NULL) == CL_SUCCESS;
    snprintf(text, bytes, "%.*s", (int)bytes - 1, known ? whole : "");
}

bool clsm_has_extension(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(list, name); at; at = strstr(at + length, name))
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

char *clsm_ask_extensions(cl_device_id device)
{
    char *list = malloc(EXTENSIONS_BYTES);
    if (list)
        clsm_ask_text(device, CL_DEVICE_EXTENSIONS, list, EXTENSIONS_BYTES);
    return list;
}

/* Devices of OpenCL 3.0 say in CL_DEVICE_OPENCL_C_VERSION only 1.2 and list the rest
 * elsewhere. */
int clsm_ask_newest_c(cl_device_id device)
{
    char text[64];
    int major = 1, minor = 2;
    clsm_ask_text(device, CL_DEVICE_OPENCL_C_VERSION, text, sizeof text);
    sscanf(text, "OpenCL C %d.%d", &major, &minor);
    int newest = 100 * major + minor;
    struct {
        cl_uint version;
        char name[64];
    } all[16];
    size_t bytes = 0;
    cl_device_info what = QUERY_OPENCL_C_ALL_VERSIONS;
    if (clGetDeviceInfo(device, what, 0, NULL, &bytes) != CL_SUCCESS ||
        bytes > sizeof all || !clsm_ask_maybe(device, what, bytes, all))
        return newest;
    for (size_t i = 0; i < bytes / sizeof *all; i++) {
        int version =
            (int)(100 * (all[i].version >> 22) + (all[i].version >> 12 & 0x3ff));
        newest = version > newest ? version : newest;
    }
    return newest;
}
