/* SPDX-License-Identifier: MIT */
/* Failures of the tools' own. The newer message is told by the library's, which stands
 * as it was where nothing of the library's has failed since. */
#include "failure.h"

#include <stdio.h>
#include <string.h>

static _Thread_local const char *own;
static _Thread_local char before[256];

clsm_status failed(clsm_status status, const char *message)
{
    own = message;
    snprintf(before, sizeof before, "%s", clsm_last_message());
    return status;
}

clsm_status out_of_memory(void)
{
    return failed(CLSM_ERR_MEMORY, "malloc failed");
}

const char *last_failure(void)
{
    const char *library = clsm_last_message();
    return own && strncmp(before, library, sizeof before - 1) == 0 ? own : library;
}
