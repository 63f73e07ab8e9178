/* SPDX-License-Identifier: MIT */
/* What a device is and can do, put together from what it answers. */
#include "traits.h"

#include "ask.h"
#include "lanes.h"
#include "processor.h"
#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clsm_status identify(cl_device_id device, cl_platform_id platform,
                            struct traits *t)
{
    char part[6][IDENTITY_PART_BYTES];
    clsm_ask_platform_text(platform, CL_PLATFORM_NAME, part[0], sizeof part[0]);
    clsm_ask_platform_text(platform, CL_PLATFORM_VERSION, part[1], sizeof part[1]);
    TRY(clsm_ask_text(device, CL_DEVICE_NAME, part[2], sizeof part[2]));
    TRY(clsm_ask_text(device, CL_DEVICE_VENDOR, part[3], sizeof part[3]));
    TRY(clsm_ask_text(device, CL_DEVICE_VERSION, part[4], sizeof part[4]));
    TRY(clsm_ask_text(device, CL_DRIVER_VERSION, part[5], sizeof part[5]));
    snprintf(t->identity, sizeof t->identity, "%s|%s|%s|%s|%s|%s", part[0], part[1],
             part[2], part[3], part[4], part[5]);
    return CLSM_OK;
}

/* Drivers that are known to say what is not so, or more than others do; see the bits in
 * traits.h. */
static clsm_status find_quirks(cl_device_id device, cl_platform_id platform,
                               const char *extensions, struct traits *t)
{
    char name[64], driver[64], of_device[160];
    int year = 0;
    clsm_ask_platform_text(platform, CL_PLATFORM_NAME, name, sizeof name);
    TRY(clsm_ask_text(device, CL_DRIVER_VERSION, driver, sizeof driver));
    TRY(clsm_ask_text(device, CL_DEVICE_NAME, of_device, sizeof of_device));
    bool old_rusticl =
        strcmp(name, "rusticl") == 0 && sscanf(driver, "%d", &year) == 1 && year < 23;
    bool nv = clsm_has_extension(extensions, "cl_nv_device_attribute_query");
    if (old_rusticl || nv)
        t->bits |= TRAIT_QUIRK_KERNEL_WG;
    /* others list the extension as well, but need not take NVIDIA's options */
    if (nv && strncmp(name, "NVIDIA", strlen("NVIDIA")) == 0)
        t->bits |= TRAIT_NV_OPTIONS;
    int major = 0;
    bool pocl = strcmp(name, "Portable Computing Language") == 0 && t->bits & TRAIT_CPU;
    if (pocl && sscanf(driver, "%d", &major) == 1 && major >= 3 && major <= 6)
        t->bits |= TRAIT_OWN_HEADER;
    if (pocl && (major == 5 || major == 6))
        t->bits |= TRAIT_QUIRK_HELD;
    if (pocl && major == 5) /* whose subgroups made NaN of a row's largest */
        clsm_lanes_off(t);
    if (pocl && clsm_processor_has_bf16(of_device))
        t->bits |= TRAIT_X86_BF16;
    return CLSM_OK;
}

/* What only its list of extensions tells. */
static clsm_status find_extensions(cl_device_id device, cl_platform_id platform,
                                   const char *extensions, struct traits *t)
{
    cl_uint capability = 0;
    t->bits |= clsm_has_extension(extensions, "cl_khr_fp64") ? TRAIT_F64 : 0;
    if (clsm_has_extension(extensions, "cl_nv_device_attribute_query") &&
        clsm_ask_maybe(device, QUERY_COMPUTE_CAPABILITY_NV, sizeof capability,
                       &capability) &&
        capability >= 8)
        t->bits |= TRAIT_PTX | TRAIT_WAIT;
    TRY(clsm_lanes_claim(device, extensions, t));
    return find_quirks(device, platform, extensions, t);
}

clsm_status clsm_traits_of(cl_device_id device, struct traits *t)
{
    *t = (struct traits){.lanes_std = "CL1.2"};
    cl_platform_id platform;
    cl_device_type type;
    cl_device_fp_config config;
    cl_uint units, width;
    cl_ulong local;
    TRY(clsm_ask(device, CL_DEVICE_PLATFORM, sizeof platform, &platform));
    TRY(clsm_ask(device, CL_DEVICE_TYPE, sizeof type, &type));
    TRY(clsm_ask(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units));
    TRY(clsm_ask(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof t->max_wg, &t->max_wg));
    TRY(clsm_ask(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local));
    TRY(clsm_ask(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config));
    TRY(clsm_ask(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof width, &width));
    t->compute_units = units ? units : 1;
    t->local_bytes = local;
    t->vector_width = width ? width : 1;
    t->bits |= type & CL_DEVICE_TYPE_CPU ? TRAIT_CPU : 0;
    t->bits |= config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ? TRAIT_EXACT_DIVIDE : 0;
    bool fma = config & CL_FP_FMA && !(config & CL_FP_SOFT_FLOAT);
    t->bits |= fma ? TRAIT_FMA : 0;
    char *extensions;
    TRY(clsm_ask_extensions(device, &extensions));
    clsm_status status = find_extensions(device, platform, extensions, t);
    free(extensions);
    TRY(status);
    TRY(clsm_lanes_override(t));
    return identify(device, platform, t);
}
