/* SPDX-License-Identifier: MIT */
/* What this machine's processor can do, which a driver's compiler may take for an older
 * one: asked by CPUID. */
#include "processor.h"

#include <string.h>

#if defined __x86_64__ && defined __GNUC__
#include <cpuid.h>

static const unsigned BRAND_FIRST = 0x80000002;
enum { BRAND_LEAVES = 3, FEATURES = 7, BF16_BIT = 5 };

/* "AMD EPYC 9654 96-Core Processor"; "" if it does not say. */
static void brand_of(char brand[BRAND_LEAVES * 16 + 1])
{
    unsigned part[BRAND_LEAVES][4] = {{0}};
    for (unsigned i = 0; i < BRAND_LEAVES; i++)
        __get_cpuid(BRAND_FIRST + i, &part[i][0], &part[i][1], &part[i][2],
                    &part[i][3]);
    memcpy(brand, part, sizeof part);
    brand[sizeof part] = 0;
}

bool clsm_processor_has_bf16(const char *device_name)
{
    char text[BRAND_LEAVES * 16 + 1];
    unsigned a = 0, b, c, d;
    brand_of(text);
    char *brand = text + strspn(text, " ");
    for (size_t n = strlen(brand); n && brand[n - 1] == ' '; n--)
        brand[n - 1] = 0;
    return *brand && strstr(device_name, brand) &&
           __get_cpuid_count(FEATURES, 1, &a, &b, &c, &d) && a >> BF16_BIT & 1;
}
#else
bool clsm_processor_has_bf16(const char *device_name)
{
    (void)device_name;
    return false;
}
#endif
