/* SPDX-License-Identifier: MIT */
/* One device opened for work: context, queues, engine. */
#ifndef SESSION_H
#define SESSION_H

#include "failure.h"

#include <stdbool.h>

/* Of a configuration's name; at least as many as there are configurations. */
enum { CONFIG_BYTES = sizeof((clsm_plan_info *)0)->variant, MAX_CONFIGS = 128 };

struct session {
    clsm_device_info info;
    cl_context context;
    cl_command_queue queue; /* in order, with profiling where the device can */
    cl_kernel busy;         /* what session_busy() queues; NULL: nothing */
    clsm_engine *engine;
};

/* Open the device that a selector finds (see clsm_device_find), or that an info names.
 */
clsm_status session_open(const char *selector, struct session *s);
clsm_status session_open_info(const clsm_device_info *info, struct session *s);
void session_close(struct session *s);

/* Queue what keeps a GPU that times its commands busy for a fraction of a millisecond,
 * so that those queued meanwhile follow each other as fast as the GPU takes them. False
 * where there is nothing to be queued: on a CPU, or without a clock. */
bool session_busy(const struct session *s);

/* A kernel of a text's; NULL if it does not build. */
cl_kernel session_kernel(const struct session *s, const char *source, const char *name,
                         const char *options);

/* A buffer, with data copied in unless it is NULL; NULL on failure. */
cl_mem session_buffer(const struct session *s, size_t bytes, const void *data);

/* Can the device hold so many bytes in all, with one buffer of `largest`? */
bool session_has_room(const struct session *s, uint64_t largest, uint64_t all);

#endif
