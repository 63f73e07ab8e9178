/* SPDX-License-Identifier: MIT */
/* The part of the last station that looks at a call's buffers. */
#ifndef CLSM_BUFFERS_H
#define CLSM_BUFFERS_H

#include "plan.h"

/* Are all buffers that this call needs there, of our context, with access allowed,
 * large enough, and is none that is written shared with another? */
clsm_status clsm_buffers_check(const clsm_plan *plan, const clsm_args *args,
                               const struct problem *p);

#endif
