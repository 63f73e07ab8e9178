/* SPDX-License-Identifier: MIT */
/* Made-up devices that choices are tested on. */
#ifndef CLSM_TEST_HOST_DEVICES_H
#define CLSM_TEST_HOST_DEVICES_H

#include "traits.h"

/* A GPU of 132 units, with more traits. */
#define GPU_WITH(more)                                                                 \
    {                                                                                  \
        .bits = TRAIT_LANES | TRAIT_SWAP | TRAIT_WAIT | TRAIT_F64 |                    \
                TRAIT_EXACT_DIVIDE | (more),                                           \
        .lanes_by = LANES_PTX, .lanes = 32, .lanes_std = "CL1.2",                      \
        .compute_units = 132, .vector_width = 1, .max_wg = 1024, .local_bytes = 49152, \
    }

static const struct traits gpu = GPU_WITH(0);
/* As NVIDIA's driver shows one. */
static const struct traits h200 = GPU_WITH(TRAIT_PTX | TRAIT_NV_OPTIONS);

static const struct traits cpu = {
    .bits = TRAIT_CPU | TRAIT_F64 | TRAIT_FMA,
    .lanes_std = "CL1.2",
    .compute_units = 16,
    .vector_width = 8,
    .max_wg = 4096,
    .local_bytes = 524288,
};

#endif
