/* SPDX-License-Identifier: MIT */
/* What this machine's processor can do. */
#ifndef CLSM_PROCESSOR_H
#define CLSM_PROCESSOR_H

#include <stdbool.h>

/* Has the device AVX-512's conversions to bf16? Only if its name has this machine's
 * processor in it, as PoCL's have: a device may be another machine's. */
bool clsm_processor_has_bf16(const char *device_name);

#endif
