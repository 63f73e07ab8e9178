/* SPDX-License-Identifier: MIT */
/* Asking a device about itself. */
#include "ask.h"

#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

clsm_status clsm_ask(cl_device_id device, cl_device_info what, size_t bytes,
                     void *value)
{
    CL(clGetDeviceInfo, device, what, bytes, value, NULL);
    return CLSM_OK;
}

bool clsm_ask_maybe(cl_device_id device, cl_device_info what, size_t bytes, void *value)
{
    return clGetDeviceInfo(device, what, bytes, value, NULL) == CL_SUCCESS;
}

/* The whole of it, to free(). */
static clsm_status ask_whole(cl_device_id device, cl_device_info what, char **text)
{
    size_t bytes = 0;
    *text = NULL;
    CL(clGetDeviceInfo, device, what, 0, NULL, &bytes);
    char *whole = calloc(1, bytes + 1);
    if (!whole)
        return clsm_fail(CLSM_ERR_MEMORY, "out of memory for a device's description");
    clsm_status status = bytes ? clsm_ask(device, what, bytes, whole) : CLSM_OK;
    if (status == CLSM_OK)
        *text = whole;
    else
        free(whole);
    return status;
}

clsm_status clsm_ask_text(cl_device_id device, cl_device_info what, char *text,
                          size_t bytes)
{
    char *whole;
    TRY(ask_whole(device, what, &whole));
    snprintf(text, bytes, "%s", whole);
    free(whole);
    return CLSM_OK;
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

clsm_status clsm_ask_extensions(cl_device_id device, char **list)
{
    return ask_whole(device, CL_DEVICE_EXTENSIONS, list);
}

/* Devices of OpenCL 3.0 say in CL_DEVICE_OPENCL_C_VERSION only 1.2 and list the rest
 * elsewhere. */
clsm_status clsm_ask_newest_c(cl_device_id device, int *newest)
{
    char text[64];
    int major = 1, minor = 2;
    TRY(clsm_ask_text(device, CL_DEVICE_OPENCL_C_VERSION, text, sizeof text));
    sscanf(text, "OpenCL C %d.%d", &major, &minor);
    *newest = 100 * major + minor;
    struct {
        cl_uint version;
        char name[64];
    } all[16];
    size_t bytes = 0;
    cl_device_info what = QUERY_OPENCL_C_ALL_VERSIONS;
    if (clGetDeviceInfo(device, what, 0, NULL, &bytes) != CL_SUCCESS ||
        bytes > sizeof all || !clsm_ask_maybe(device, what, bytes, all))
        return CLSM_OK;
    for (size_t i = 0; i < bytes / sizeof *all; i++) {
        int version =
            (int)(100 * (all[i].version >> 22) + (all[i].version >> 12 & 0x3ff));
        *newest = version > *newest ? version : *newest;
    }
    return CLSM_OK;
}
