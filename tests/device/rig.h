/* SPDX-License-Identifier: MIT */
/* A small plan with its two buffers, for calls that must be refused: it sees that a
 * refused call did nothing, and that the next right call works. */
#ifndef CLSM_TEST_DEVICE_RIG_H
#define CLSM_TEST_DEVICE_RIG_H

#include "tally.h"

enum { RIG_ROWS = 5, RIG_COLS = 33, RIG_ELEMENTS = RIG_ROWS * RIG_COLS };

struct rig {
    struct tally *tally;
    const struct session *session;
    clsm_problem problem;
    clsm_plan *plan;
    cl_mem x, y; /* exactly as large as needed */
    unsigned char x_data[RIG_ELEMENTS * 8];
};

/* What one enqueue is given. */
struct call {
    clsm_plan *plan;
    cl_command_queue queue;
    clsm_args args;
    const clsm_args *given; /* args, or NULL */
    cl_uint n_wait;
    const cl_event *wait;
};

/* Make the plan, with these flags and types; the test ends if that fails. */
struct rig rig_open(struct tally *t, unsigned flags, clsm_type x, clsm_type y);
void rig_close(struct rig *rig);

/* A right call. */
struct call rig_call(const struct rig *rig);

/* Enqueue it: it must fail with this status and a message in which `says` and
 * `expected` stand, and leave everything as it was. */
void rig_refuses(struct rig *rig, struct call *call, clsm_status status,
                 const char *says, const char *expected, const char *name);

/* Enqueue it: it must compute the rig's problem into call->args.y. */
void rig_serves(struct rig *rig, struct call *call, const char *name);

/* Spoil a right call by one assignment to a field of `c`. */
#define REFUSES(rig, status, says, expected, spoil)                                    \
    do {                                                                               \
        struct call c = rig_call(rig);                                                 \
        c.given = &c.args;                                                             \
        spoil;                                                                         \
        rig_refuses(rig, &c, status, says, expected, #spoil);                          \
    } while (0)

/* A failed call's status, message and output pointer. */
void check_refusal(struct tally *t, clsm_status got, clsm_status status,
                   const char *says, const char *expected, const void *out,
                   const char *name);

#endif
