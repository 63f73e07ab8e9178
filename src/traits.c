/* SPDX-License-Identifier: MIT */
/* Asking a device about itself. */
#include "traits.h"

#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Queries of newer headers and of extensions, by their fixed numbers. */
#define QUERY_MAX_NUM_SUB_GROUPS 0x105C
#define QUERY_OPENCL_C_ALL_VERSIONS 0x1066
#define QUERY_SUB_GROUP_SIZES_INTEL 0x4108
#define QUERY_WARP_SIZE_NV 0x4003

/* Extension lists are long: this is the longest we look at. */
enum { EXTENSIONS_BYTES = 16384 };

static clsm_status ask(cl_device_id device, cl_device_info what, size_t bytes,
                       void *value)
{
    cl_int error = clGetDeviceInfo(device, what, bytes, value, NULL);
    return error == CL_SUCCESS ? CLSM_OK : fail_cl(error, "clGetDeviceInfo");
}

/* Ask for what a device may not know; false then. */
static bool ask_maybe(cl_device_id device, cl_device_info what, size_t bytes,
                      void *value)
{
    return clGetDeviceInfo(device, what, bytes, value, NULL) == CL_SUCCESS;
}

/* A string, cut to fit. */
static void ask_text(cl_device_id device, cl_device_info what, char *text, size_t bytes)
{
    size_t needed = 0;
    text[0] = 0;
    if (clGetDeviceInfo(device, what, 0, NULL, &needed) != CL_SUCCESS || !needed)
        return;
    char *whole = malloc(needed + 1);
    if (whole && ask_maybe(device, what, needed, whole)) {
        whole[needed] = 0;
        snprintf(text, bytes, "%s", whole);
    }
    free(whole);
}

static void ask_platform_text(cl_platform_id platform, cl_platform_info what,
                              char *text, size_t bytes)
{
    char whole[1024];
    bool known =
        clGetPlatformInfo(platform, what, sizeof whole, whole, NULL) == CL_SUCCESS;
    snprintf(text, bytes, "%.*s", (int)bytes - 1, known ? whole : "");
}

static bool has_extension(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(list, name); at; at = strstr(at + length, name))
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* The newest OpenCL C the device compiles, as 100 * major + minor. Devices of
 * OpenCL 3.0 say in CL_DEVICE_OPENCL_C_VERSION only 1.2 and list the rest elsewhere. */
static int newest_c(cl_device_id device)
{
    char text[64];
    int major = 1, minor = 2;
    ask_text(device, CL_DEVICE_OPENCL_C_VERSION, text, sizeof text);
    sscanf(text, "OpenCL C %d.%d", &major, &minor);
    int newest = 100 * major + minor;
    struct {
        cl_uint version;
        char name[64];
    } all[16];
    size_t bytes = 0;
    cl_device_info what = QUERY_OPENCL_C_ALL_VERSIONS;
    if (clGetDeviceInfo(device, what, 0, NULL, &bytes) != CL_SUCCESS ||
        bytes > sizeof all || !ask_maybe(device, what, bytes, all))
        return newest;
    for (size_t i = 0; i < bytes / sizeof *all; i++) {
        int version =
            (int)(100 * (all[i].version >> 22) + (all[i].version >> 12 & 0x3ff));
        newest = version > newest ? version : newest;
    }
    return newest;
}

static void set_lanes(struct traits *t, enum lanes_by by, unsigned lanes,
                      const char *std)
{
    t->bits |= TRAIT_LANES;
    t->lanes_by = by;
    t->lanes = lanes;
    t->lanes_std = std;
}

/* What the device claims. OpenCL C 3.0 is asked for where it is listed, since subgroup
 * functions are undeclared below 2.0, and 2.0 only where it is the newest. */
static void claim_lanes(cl_device_id device, const char *extensions, struct traits *t)
{
    size_t sizes[16] = {0};
    cl_uint count = 0, warp = 0;
    int c = newest_c(device);
    const char *std = c >= 300 ? "CL3.0" : c >= 200 ? "CL2.0" : "CL1.2";
    bool sized = has_extension(extensions, "cl_intel_required_subgroup_size") &&
                 ask_maybe(device, QUERY_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes);
    size_t largest = 0;
    bool has_16 = false;
    for (size_t i = 0; i < 16 && sizes[i]; i++) {
        largest = sizes[i] > largest ? sizes[i] : largest;
        has_16 |= sizes[i] == 16;
    }
    if (has_extension(extensions, "cl_intel_subgroups") && sized && has_16)
        set_lanes(t, LANES_INTEL, 16, std);
    else if (has_extension(extensions, "cl_khr_subgroups") && c >= 200)
        set_lanes(t, LANES_KHR, largest ? (unsigned)largest : 32, std);
    else if (ask_maybe(device, QUERY_MAX_NUM_SUB_GROUPS, sizeof count, &count) &&
             count && c >= 300)
        set_lanes(t, LANES_KHR, largest ? (unsigned)largest : 32, std);
    else if (has_extension(extensions, "cl_nv_device_attribute_query") &&
             ask_maybe(device, QUERY_WARP_SIZE_NV, sizeof warp, &warp) && warp == 32)
        set_lanes(t, LANES_PTX, 32, "CL1.2");
}

/* CLSM_SUBGROUPS=off: never, for a driver that breaks on them. =local: through local
 * memory, so that the mappings with lanes run anywhere. */
static void override_lanes(struct traits *t)
{
    const char *wish = getenv("CLSM_SUBGROUPS");
    if (!wish || !*wish || strcmp(wish, "auto") == 0)
        return;
    t->bits &= ~(unsigned)TRAIT_LANES;
    t->lanes_by = LANES_NONE;
    if (strcmp(wish, "local") == 0)
        set_lanes(t, LANES_LOCAL, 16, "CL1.2");
}

static void identify(cl_device_id device, cl_platform_id platform, struct traits *t)
{
    char part[6][120];
    ask_platform_text(platform, CL_PLATFORM_NAME, part[0], sizeof part[0]);
    ask_platform_text(platform, CL_PLATFORM_VERSION, part[1], sizeof part[1]);
    ask_text(device, CL_DEVICE_NAME, part[2], sizeof part[2]);
    ask_text(device, CL_DEVICE_VENDOR, part[3], sizeof part[3]);
    ask_text(device, CL_DEVICE_VERSION, part[4], sizeof part[4]);
    ask_text(device, CL_DRIVER_VERSION, part[5], sizeof part[5]);
    snprintf(t->identity, sizeof t->identity, "%s|%s|%s|%s|%s|%s", part[0], part[1],
             part[2], part[3], part[4], part[5]);
}

/* Drivers that are known to say what is not so; see the bits in traits.h. */
static void find_quirks(cl_device_id device, cl_platform_id platform,
                        const char *extensions, struct traits *t)
{
    char name[64], driver[64];
    int year = 0;
    ask_platform_text(platform, CL_PLATFORM_NAME, name, sizeof name);
    ask_text(device, CL_DRIVER_VERSION, driver, sizeof driver);
    bool old_rusticl =
        strcmp(name, "rusticl") == 0 && sscanf(driver, "%d", &year) == 1 && year < 23;
    if (old_rusticl || has_extension(extensions, "cl_nv_device_attribute_query"))
        t->bits |= TRAIT_QUIRK_KERNEL_WG;
}

clsm_status traits_of(cl_device_id device, struct traits *t)
{
    *t = (struct traits){.lanes_std = "CL1.2"};
    cl_platform_id platform;
    cl_device_type type;
    cl_device_fp_config config = 0;
    cl_uint units, width = 0;
    cl_ulong local;
    TRY(ask(device, CL_DEVICE_PLATFORM, sizeof platform, &platform));
    TRY(ask(device, CL_DEVICE_TYPE, sizeof type, &type));
    TRY(ask(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units));
    TRY(ask(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof t->max_wg, &t->max_wg));
    TRY(ask(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local));
    ask_maybe(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config);
    ask_maybe(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof width, &width);
    t->compute_units = units ? units : 1;
    t->local_bytes = local;
    t->vector_width = width ? width : 1;
    t->bits |= type & CL_DEVICE_TYPE_CPU ? TRAIT_CPU : 0;
    t->bits |= config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ? TRAIT_EXACT_DIVIDE : 0;
    bool fma = config & CL_FP_FMA && !(config & CL_FP_SOFT_FLOAT);
    t->bits |= fma ? TRAIT_FMA : 0;
    char *extensions = malloc(EXTENSIONS_BYTES);
    if (!extensions)
        return fail(CLSM_ERR_MEMORY, "out of memory for a list of extensions");
    ask_text(device, CL_DEVICE_EXTENSIONS, extensions, EXTENSIONS_BYTES);
    t->bits |= has_extension(extensions, "cl_khr_fp64") ? TRAIT_F64 : 0;
    claim_lanes(device, extensions, t);
    find_quirks(device, platform, extensions, t);
    free(extensions);
    override_lanes(t);
    identify(device, platform, t);
    return CLSM_OK;
}

const char *lanes_by_name(enum lanes_by by)
{
    static const char *const names[] = {
        [LANES_NONE] = "none",
        [LANES_KHR] = "cl_khr_subgroups",
        [LANES_INTEL] = "cl_intel_subgroups",
        [LANES_PTX] = "warps through PTX",
        [LANES_LOCAL] = "local memory",
        [LANES_VECTOR] = "vector",
    };
    return names[by];
}

/* The sizes a device names, or the one that its lanes have. */
static void describe_lanes(cl_device_id device, const char *extensions,
                           const struct traits *t, clsm_device_info *info)
{
    snprintf(info->subgroups, sizeof info->subgroups, "%s", lanes_by_name(t->lanes_by));
    size_t sizes[sizeof info->subgroup_sizes / sizeof *info->subgroup_sizes] = {0};
    if (has_extension(extensions, "cl_intel_required_subgroup_size"))
        ask_maybe(device, QUERY_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes);
    else if (t->lanes_by == LANES_PTX || t->lanes_by == LANES_LOCAL)
        sizes[0] = t->lanes;
    memcpy(info->subgroup_sizes, sizes, sizeof sizes);
}

static void describe_texts(cl_device_id device, clsm_device_info *info)
{
    ask_maybe(device, CL_DEVICE_PLATFORM, sizeof info->platform, &info->platform);
    ask_text(device, CL_DEVICE_NAME, info->name, sizeof info->name);
    ask_text(device, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    ask_text(device, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    ask_text(device, CL_DEVICE_VERSION, info->version, sizeof info->version);
    ask_platform_text(info->platform, CL_PLATFORM_NAME, info->platform_name,
                      sizeof info->platform_name);
    int c = newest_c(device);
    snprintf(info->c_version, sizeof info->c_version, "OpenCL C %d.%d", c / 100,
             c % 100);
}

/* A device's rank: kind first, then how much it can do at once. */
static void rate(cl_device_id device, const struct traits *t, clsm_device_info *info)
{
    cl_bool available = CL_FALSE, compiler = CL_FALSE, shared = CL_FALSE;
    cl_uint mhz = 0;
    ask_maybe(device, CL_DEVICE_AVAILABLE, sizeof available, &available);
    ask_maybe(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler);
    ask_maybe(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof shared, &shared);
    ask_maybe(device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof mhz, &mhz);
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

clsm_status traits_describe(cl_device_id device, clsm_device_info *info)
{
    struct traits t;
    TRY(traits_of(device, &t));
    *info = (clsm_device_info){
        .struct_bytes = sizeof *info,
        .device = device,
        .compute_units = t.compute_units,
        .max_work_group = t.max_wg,
        .local_bytes = t.local_bytes,
        .has_fp64 = !!(t.bits & TRAIT_F64),
    };
    TRY(ask(device, CL_DEVICE_TYPE, sizeof info->type, &info->type));
    cl_ulong global = 0;
    ask_maybe(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof global, &global);
    info->global_bytes = global;
    describe_texts(device, info);
    char *extensions = malloc(EXTENSIONS_BYTES);
    if (!extensions)
        return fail(CLSM_ERR_MEMORY, "out of memory for a list of extensions");
    ask_text(device, CL_DEVICE_EXTENSIONS, extensions, EXTENSIONS_BYTES);
    info->has_fp16 = has_extension(extensions, "cl_khr_fp16");
    describe_lanes(device, extensions, &t, info);
    free(extensions);
    rate(device, &t, info);
    return CLSM_OK;
}
