/* SPDX-License-Identifier: MIT */
/* A device's public description: what `clsoftmax devices` shows, and its score. */
#include "ask.h"
#include "status.h"
#include "traits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The size that lanes have by ourselves, or those that the device names. */
static void describe_lanes(cl_device_id device, const char *extensions,
                           const struct traits *t, clsm_device_info *info)
{
    const size_t last = sizeof info->subgroup_sizes / sizeof *info->subgroup_sizes - 1;
    size_t sizes[16] = {0};
    snprintf(info->subgroups, sizeof info->subgroups, "%s",
             clsm_lanes_by_name(t->lanes_by));
    if (t->lanes_by == LANES_PTX || t->lanes_by == LANES_LOCAL)
        sizes[0] = t->lanes;
    else if (t->lanes_by != LANES_NONE &&
             clsm_has_extension(extensions, "cl_intel_required_subgroup_size"))
        clsm_ask_maybe(device, QUERY_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes);
    memcpy(info->subgroup_sizes, sizes, last * sizeof *sizes);
}

static clsm_status describe_texts(cl_device_id device, clsm_device_info *info)
{
    int c;
    TRY(clsm_ask(device, CL_DEVICE_PLATFORM, sizeof info->platform, &info->platform));
    TRY(clsm_ask_text(device, CL_DEVICE_NAME, info->name, sizeof info->name));
    TRY(clsm_ask_text(device, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor));
    TRY(clsm_ask_text(device, CL_DRIVER_VERSION, info->driver, sizeof info->driver));
    TRY(clsm_ask_text(device, CL_DEVICE_VERSION, info->version, sizeof info->version));
    clsm_ask_platform_text(info->platform, CL_PLATFORM_NAME, info->platform_name,
                           sizeof info->platform_name);
    TRY(clsm_ask_newest_c(device, &c));
    snprintf(info->c_version, sizeof info->c_version, "OpenCL C %d.%d", c / 100,
             c % 100);
    return CLSM_OK;
}

/* A device's rank: kind first, then how much it can do at once. */
static void rate(cl_device_id device, const struct traits *t, clsm_device_info *info)
{
    cl_bool available = CL_FALSE, compiler = CL_FALSE, shared = CL_FALSE;
    cl_uint mhz = 0;
    clsm_ask_maybe(device, CL_DEVICE_AVAILABLE, sizeof available, &available);
    clsm_ask_maybe(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler);
    clsm_ask_maybe(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof shared, &shared);
    clsm_ask_maybe(device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof mhz, &mhz);
    const char *kind = info->type & CL_DEVICE_TYPE_GPU
                           ? shared ? "integrated GPU" : "GPU"
                       : info->type & CL_DEVICE_TYPE_CPU ? "CPU"
                                                         : "accelerator";
    double base = info->type & CL_DEVICE_TYPE_GPU   ? shared ? 2000 : 4000
                  : info->type & CL_DEVICE_TYPE_CPU ? 1000
                                                    : 500;
    double width = t->compute_units * (mhz ? mhz : 1000) * 1e-3;
    info->score = base + (width < 999 ? width : 999);
    snprintf(info->reason, sizeof info->reason, "%s, %u compute units at %u MHz", kind,
             info->compute_units, (unsigned)mhz);
    if (available && compiler)
        return;
    info->score = 0;
    snprintf(info->reason, sizeof info->reason, "unusable: %s",
             available ? "no compiler" : "not available");
}

clsm_status clsm_traits_describe(cl_device_id device, clsm_device_info *info)
{
    struct traits t;
    TRY(clsm_traits_of(device, &t));
    *info = (clsm_device_info){
        .struct_bytes = sizeof *info,
        .device = device,
        .compute_units = t.compute_units,
        .max_work_group = t.max_wg,
        .local_bytes = t.local_bytes,
        .has_fp64 = !!(t.bits & TRAIT_F64),
    };
    TRY(clsm_ask(device, CL_DEVICE_TYPE, sizeof info->type, &info->type));
    cl_ulong global = 0;
    clsm_ask_maybe(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof global, &global);
    info->global_bytes = global;
    TRY(describe_texts(device, info));
    char *extensions;
    TRY(clsm_ask_extensions(device, &extensions));
    info->has_fp16 = clsm_has_extension(extensions, "cl_khr_fp16");
    describe_lanes(device, extensions, &t, info);
    free(extensions);
    rate(device, &t, info);
    return CLSM_OK;
}
