/* SPDX-License-Identifier: MIT */
/*
 * What stands around the library while calls fail: the layer, a device, a context with
 * two queues and buffers, one of them an operand's, and one job that takes the library
 * from engine to destroy.
 */
#ifndef CLSM_TEST_FAULT_RIG_H
#define CLSM_TEST_FAULT_RIG_H

#include "layer.h"

#include <check.h>

extern struct fault_layer *layer;

/* Find the layer and a device and make the rest; NULL, or why that cannot be. */
const char *rig_open(void);
void rig_close(void);

/* Watch no call, fail none, forget what was counted. */
void rig_reset(void);

/* What the next plans are asked to be, NULL: as the library chooses, and on how many
 * queues, 1 or 2, a job enqueues them. */
void rig_ask(const char *variant, unsigned queues);

/* The n-th call of a function (NULL: of any) fails with this error. */
void rig_fail(const char *function, unsigned n, cl_int error);

/* The steps, each with the layer watching. An enqueue waits for `gate`; NULL: for
 * nothing. */
clsm_status rig_engine(clsm_engine **engine);
clsm_status rig_plan(clsm_engine *engine, clsm_plan **plan);
clsm_status rig_enqueue(clsm_plan *plan, unsigned on_queue, cl_event gate,
                        cl_event *done);
void rig_destroy(clsm_engine *engine, clsm_plan *plan);

/* Wait for an enqueue and compare its result with the reference; not watched. */
void rig_check(cl_event done);

/* A plan's explanation. Valid until the next one. */
const char *rig_explain(const clsm_plan *plan);

/* Every step. One that returns an error must keep the promises for errors, and succeed
 * when it is tried again. In the end the library must hold no object. Returns how many
 * calls it made. */
unsigned rig_job(void);

/* As ck_assert_msg(), for long loops: Check keeps a record of each of its own. */
#define EXPECT(condition, ...)                                                         \
    do {                                                                               \
        if (!(condition))                                                              \
            ck_abort_msg(__VA_ARGS__);                                                 \
    } while (0)

#endif
