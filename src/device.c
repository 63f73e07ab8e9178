/* SPDX-License-Identifier: MIT */
/* The list of all devices of all platforms, and finding one in it. */
#include "lanes.h"
#include "status.h"
#include "traits.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLATFORMS = 32, MAX_DEVICES = 128 };

struct devices {
    unsigned count;
    cl_device_id ids[MAX_DEVICES];
};

/* A platform without devices, or one that fails, counts as none: the others still
 * serve. */
static void add_devices(cl_platform_id platform, struct devices *all)
{
    cl_uint found = 0;
    cl_uint room = MAX_DEVICES - all->count;
    if (room && clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, room,
                               all->ids + all->count, &found) == CL_SUCCESS)
        all->count += found < room ? found : room;
}

/* A loader without any platform reports an error of its own; that is an empty list. */
static void list_devices(struct devices *all)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint count = 0;
    all->count = 0;
    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &count) != CL_SUCCESS)
        return;
    for (cl_uint i = 0; i < count && i < MAX_PLATFORMS; i++)
        add_devices(platforms[i], all);
}

clsm_status clsm_device_count(unsigned *count)
{
    NEED(count);
    struct devices all;
    list_devices(&all);
    *count = all.count;
    return CLSM_OK;
}

static clsm_status describe(const struct devices *all, unsigned index,
                            clsm_device_info *info)
{
    TRY(clsm_traits_describe(all->ids[index], info));
    info->index = index;
    return CLSM_OK;
}

clsm_status clsm_device_get(unsigned index, clsm_device_info *info)
{
    NEED_STRUCT(info, "set it to sizeof(clsm_device_info)");
    struct devices all;
    list_devices(&all);
    if (index >= all.count)
        return clsm_fail(CLSM_ERR_NO_DEVICE,
                         "device index is %u, but there are %u devices", index,
                         all.count);
    return describe(&all, index, info);
}

static bool contains(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length &&
               tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

static bool matches(const clsm_device_info *info, const char *selector)
{
    static const struct {
        const char *name;
        cl_device_type type;
    } kinds[] = {
        {"gpu", CL_DEVICE_TYPE_GPU},
        {"cpu", CL_DEVICE_TYPE_CPU},
        {"accelerator", CL_DEVICE_TYPE_ACCELERATOR},
    };
    char *end;
    unsigned long index = strtoul(selector, &end, 10);
    if (isdigit((unsigned char)*selector) && !*end)
        return info->index == index;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(selector, kinds[i].name) == 0)
            return info->type & kinds[i].type;
    return contains(info->name, selector) || contains(info->vendor, selector) ||
           contains(info->platform_name, selector) || contains(info->version, selector);
}

clsm_status clsm_device_find(const char *selector, clsm_device_info *info)
{
    NEED_STRUCT(info, "set it to sizeof(clsm_device_info)");
    const char *from = selector ? "" : " (from CLSM_DEVICE)";
    if (!selector)
        selector = getenv("CLSM_DEVICE");
    if (selector && !*selector)
        selector = NULL;
    struct traits none = {0};
    /* what the environment wishes wrongly is no lack of devices */
    TRY(clsm_lanes_override(&none));
    struct devices all;
    list_devices(&all);
    clsm_device_info one;
    bool found = false;
    char why[256] = ""; /* what the last one said that does not answer */
    for (unsigned i = 0; i < all.count; i++) {
        bool answers = describe(&all, i, &one) == CLSM_OK;
        if (!answers)
            snprintf(why, sizeof why, "%s", clsm_last_message());
        if (!answers || one.score <= 0)
            continue;
        if (selector && !matches(&one, selector))
            continue;
        if (!found || one.score > info->score)
            *info = one;
        found = true;
    }
    if (found)
        return CLSM_OK;
    if (!selector)
        return clsm_fail(CLSM_ERR_NO_DEVICE, "no usable OpenCL device among %u; %s",
                         all.count, *why ? why : "is a driver installed?");
    return clsm_fail(CLSM_ERR_NO_DEVICE,
                     "no usable device of %u matches \"%s\"%s; expected an index, gpu, "
                     "cpu, accelerator or a part of a name%s%s",
                     all.count, selector, from,
                     *why ? "; one that does not answer: " : "", why);
}
