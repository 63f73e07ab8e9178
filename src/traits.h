/* SPDX-License-Identifier: MIT */
/*
 * The second station: what a device is and can do. A vendor's quirks become bits here
 * and are met by no `if (vendor)` elsewhere.
 */
#ifndef CLSM_TRAITS_H
#define CLSM_TRAITS_H

#include "clsoftmax.h"

#include <stdbool.h>

/* How lanes exchange values; cl/lanes.cl has macros of the same names. */
#define LANES_WAYS(X)                                                                  \
    X(LANES_NONE, "none")                                                              \
    X(LANES_KHR, "cl_khr_subgroups")                                                   \
    X(LANES_INTEL, "cl_intel_subgroups")                                               \
    X(LANES_PTX, "warps through PTX")                                                  \
    X(LANES_LOCAL, "local memory")                                                     \
    X(LANES_VECTOR, "elements of a vector") /* of some mappings, on any device */

enum lanes_by {
#define LANES_ENUM(NAME, text) NAME,
    LANES_WAYS(LANES_ENUM)
#undef LANES_ENUM
};

enum {
    TRAIT_LANES = 1u << 0, /* lanes can exchange values; off when the probe fails */
    TRAIT_F64 = 1u << 1,
    TRAIT_CPU = 1u << 2, /* a work-item is a loop on a core, barriers are dear */
    TRAIT_EXACT_DIVIDE = 1u << 3, /* takes -cl-fp32-correctly-rounded-divide-sqrt */
    TRAIT_FMA = 1u << 5,          /* fma() is one instruction */
    TRAIT_SWAP = 1u << 6,         /* two lanes can swap values */
    TRAIT_PTX = 1u << 7,          /* takes inline PTX for compute capability 8.0 */
    TRAIT_WAIT = 1u << 8, /* a work-group may wait for one that has started already */
    /* CL_KERNEL_WORK_GROUP_SIZE says less than what runs: rusticl before 23 says 32,
     * NVIDIA 256 where more are required and run */
    TRAIT_QUIRK_KERNEL_WG = 1u << 4,
    TRAIT_NV_OPTIONS = 1u << 9,  /* takes -cl-nv-verbose and -cl-nv-maxrregcount */
    TRAIT_OWN_HEADER = 1u << 10, /* needs not the driver's header, see builtins.cl */
    TRAIT_X86_BF16 = 1u << 11,   /* AVX-512's conversions to bf16, see x86.cl */
    /* the driver's compiler ends the process at some programs that hold a row's packs or
     * blocks of rows: PoCL 6, whose LLVM 18 insists that instructions are combined in one
     * go, and PoCL 5, which does not find its way between barriers there */
    TRAIT_QUIRK_HELD = 1u << 12,
};

enum { IDENTITY_PART_BYTES = 256 };

struct traits {
    unsigned bits;
    enum lanes_by lanes_by;
    unsigned lanes; /* lanes in a set; for LANES_KHR the largest the device names */
    const char *lanes_std; /* -cl-std for programs with lanes: CL1.2, CL2.0 or CL3.0 */
    unsigned compute_units;
    unsigned vector_width; /* native, of f32 */
    size_t max_wg;         /* work-items */
    uint64_t local_bytes;
    /* platform, device and driver with their versions: a program cache's key */
    char identity[6 * IDENTITY_PART_BYTES];
};

/* Ask. The lanes are what the device claims; the engine's probe confirms them. The
 * environment's CLSM_SUBGROUPS=off|local overrides the claim. */
clsm_status clsm_traits_of(cl_device_id device, struct traits *t);

/* Fill the public description of a device, score and reason included. */
clsm_status clsm_traits_describe(cl_device_id device, clsm_device_info *info);

/* "cl_khr_subgroups", "warps through PTX", ... */
const char *clsm_lanes_by_name(enum lanes_by by);
const char *clsm_lanes_by_macro(enum lanes_by by);

#endif
