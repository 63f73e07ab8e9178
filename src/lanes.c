/* SPDX-License-Identifier: MIT */
/* Which way of exchanging values between lanes a device claims; see cl/lanes.cl. */
#include "lanes.h"

#include "ask.h"
#include "status.h"

#include <stdlib.h>
#include <string.h>

static void set_lanes(struct traits *t, enum lanes_by by, unsigned lanes,
                      const char *std)
{
    t->bits |= TRAIT_LANES | (by == LANES_KHR ? 0 : TRAIT_SWAP);
    t->lanes_by = by;
    t->lanes = lanes;
    t->lanes_std = std;
}

/* What the device claims. OpenCL C 3.0 is asked for where it is listed, since subgroup
 * functions are undeclared below 2.0, and 2.0 only where it is the newest. */
clsm_status clsm_lanes_claim(cl_device_id device, const char *extensions,
                             struct traits *t)
{
    size_t sizes[16] = {0};
    cl_uint count = 0, warp = 0;
    int c;
    TRY(clsm_ask_newest_c(device, &c));
    const char *std = c >= 300 ? "CL3.0" : c >= 200 ? "CL2.0" : "CL1.2";
    bool sized =
        clsm_has_extension(extensions, "cl_intel_required_subgroup_size") &&
        clsm_ask_maybe(device, QUERY_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes);
    size_t largest = 0;
    bool has_16 = false;
    for (size_t i = 0; i < 16 && sizes[i]; i++) {
        largest = sizes[i] > largest ? sizes[i] : largest;
        has_16 |= sizes[i] == 16;
    }
    if (clsm_has_extension(extensions, "cl_nv_device_attribute_query") &&
        clsm_ask_maybe(device, QUERY_WARP_SIZE_NV, sizeof warp, &warp) && warp == 32)
        set_lanes(t, LANES_PTX, 32, "CL1.2");
    else if (clsm_has_extension(extensions, "cl_intel_subgroups") && sized && has_16)
        set_lanes(t, LANES_INTEL, 16, std);
    else if (clsm_has_extension(extensions, "cl_khr_subgroups") && c >= 200)
        set_lanes(t, LANES_KHR, largest ? (unsigned)largest : 32, std);
    else if (clsm_ask_maybe(device, QUERY_MAX_NUM_SUB_GROUPS, sizeof count, &count) &&
             count && c >= 300)
        set_lanes(t, LANES_KHR, largest ? (unsigned)largest : 32, std);
    return CLSM_OK;
}

/* Work-groups that wait for each other go by what one set of lanes agrees on while the
 * others go on, which lanes of local memory cannot. */
void clsm_lanes_off(struct traits *t)
{
    t->bits &= ~(unsigned)(TRAIT_LANES | TRAIT_SWAP | TRAIT_WAIT);
    t->lanes_by = LANES_NONE;
}

/* CLSM_SUBGROUPS=off: never, for a driver that breaks on them. =local: through local
 * memory, so that the mappings with lanes run anywhere. */
clsm_status clsm_lanes_override(struct traits *t)
{
    const char *wish = getenv("CLSM_SUBGROUPS");
    if (!wish || !*wish || strcmp(wish, "auto") == 0)
        return CLSM_OK;
    bool local = strcmp(wish, "local") == 0;
    if (!local && strcmp(wish, "off") != 0)
        return clsm_fail(CLSM_ERR_VALUE,
                         "CLSM_SUBGROUPS is \"%s\", expected off, local or auto", wish);
    clsm_lanes_off(t);
    if (local)
        set_lanes(t, LANES_LOCAL, 16, "CL1.2");
    else
        t->bits &= ~(unsigned)TRAIT_PTX; /* of which no probe tells without lanes */
    return CLSM_OK;
}

const char *clsm_lanes_by_name(enum lanes_by by)
{
    static const char *const names[] = {
#define ROW(NAME, text) text,
        LANES_WAYS(ROW)
#undef ROW
    };
    return names[by];
}

const char *clsm_lanes_by_macro(enum lanes_by by)
{
    static const char *const names[] = {
#define ROW(NAME, text) #NAME,
        LANES_WAYS(ROW)
#undef ROW
    };
    return names[by];
}
