/* SPDX-License-Identifier: MIT */
/* Many enqueues at once, each with its own data, results and event, over some queues.
 */
#ifndef CLSM_TEST_DEVICE_CROWD_H
#define CLSM_TEST_DEVICE_CROWD_H

#include "tally.h"

enum { CROWD = 24, CROWD_QUEUES = 3, CROWD_PLANS = 2 };

struct crowd {
    struct tally *tally;
    cl_command_queue queues[CROWD_QUEUES];
    unsigned queue_count;
    clsm_problem problems[CROWD_PLANS]; /* softmax and its logarithm */
    clsm_plan *plans[CROWD_PLANS];
    size_t elements;
    float *x[CROWD];
    cl_mem device_x[CROWD], device_y[CROWD]; /* the same for every third */
};

/* The configuration with the smallest parts of a test's variant; its index is that of
 * the device and MAX_DEVICES times the variant's. */
const char *small_parts(int index);

/* So many elements as softmaxes that a variant shares: rows, or neighbours where it
 * takes only those. */
clsm_problem shared_problem(const char *variant, clsm_op op, clsm_type type,
                            size_t rows, size_t cols);
size_t elements_of(const clsm_problem *p);

/* Rows that a variant shares, in a few parts. NULL queues are made with `properties`;
 * false if the device has no such queues. */
bool crowd_open(struct tally *t, const char *variant, unsigned queues,
                cl_command_queue_properties properties, struct crowd *c);
void crowd_close(struct crowd *c);

/* Enqueue number i, on any of the queues; the event may be NULL. */
void crowd_enqueue(struct crowd *c, unsigned i, unsigned on_queue, cl_event *done);

/* Wait for an event, seconds at most: the process ends if it does not come, since
 * nothing could be released any more. */
void crowd_await(struct crowd *c, cl_event done, unsigned seconds);

/* A kernel whose work-groups leave nobody else any room for tens of milliseconds, but
 * the first one, which ends at once; `out` has a float for each of its work-items. */
cl_kernel crowd_filler(const struct session *s, cl_mem out);

/* Finish all queues; compare number i with the reference. */
void crowd_finish(struct crowd *c);
void crowd_check(struct crowd *c, unsigned i);

#endif
