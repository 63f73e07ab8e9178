/* SPDX-License-Identifier: MIT */
/*
 * Launches that take turns, on whatever queues. The latest one's event is what the next
 * one waits for. But an event for each launch costs a GPU and its host microseconds,
 * and one queue in order needs none: so on a GPU launches have events from where a
 * second queue comes, which waits for all that the first one holds by then.
 */
#ifndef CLSM_TURNS_H
#define CLSM_TURNS_H

#include "clsoftmax.h"

#include <stdbool.h>

struct turns {
    bool with_events;        /* each launch has one */
    cl_command_queue latest; /* retained; NULL: nothing to wait for */
    cl_event event;          /* the latest launch's; NULL: it has none */
};

/* Queue whatever lets the next command of `queue` come after the latest launch. */
clsm_status clsm_turns_wait(struct turns *t, cl_command_queue queue);

/* That command is queued. Its event, which now is this struct's, or NULL. */
void clsm_turns_took(struct turns *t, cl_event event);

/* Has the latest launch ended? One that is about to is given a millisecond. It then is
 * forgotten; one that failed has ended, too. */
clsm_status clsm_turns_linger(struct turns *t, bool *ended);

/* Wait no more. */
void clsm_turns_forget(struct turns *t);

#endif
