/* SPDX-License-Identifier: MIT */
/* Failures of the tools' own, told as the library tells of its own. */
#ifndef FAILURE_H
#define FAILURE_H

#include "clsoftmax.h"

/* The status, with `message`, a literal, for last_failure() of the calling thread. */
clsm_status failed(clsm_status status, const char *message);

/* CLSM_ERR_MEMORY for an allocation of the tools' own. */
clsm_status out_of_memory(void);

/* What failed() was given, or the library's message if that has a newer one. */
const char *last_failure(void);

#endif
