/* SPDX-License-Identifier: MIT */
/* Queueing a call that has been checked. */
#ifndef CLSM_LAUNCH_H
#define CLSM_LAUNCH_H

#include "plan.h"

/* What a kernel is told of a problem and a call, but for what differs from launch to
 * launch. */
struct shape clsm_launch_shape(const struct problem *p, const clsm_args *args);

/* One enqueue of a plan for a problem with rows and columns, in however many launches
 * it takes. */
clsm_status clsm_launch(clsm_plan *plan, cl_command_queue queue, const clsm_args *args,
                        const struct problem *p, cl_uint n_wait, const cl_event *wait,
                        cl_event *done);

#endif
