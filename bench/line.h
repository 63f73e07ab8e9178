/* SPDX-License-Identifier: MIT */
/* Timing whatever queues itself: a plan, a copy. */
#ifndef LINE_H
#define LINE_H

#include "session.h"

/* One thing to be timed: queues itself for the i-th time, with an event unless that is
 * NULL. What takes several commands has an event of the last only, so that it is never
 * timed by itself, but from the end of one run to the end of the next. */
struct subject {
    clsm_status (*queue)(const struct session *s, void *self, unsigned i,
                         cl_event *event);
    void *self;
    bool several;
};

/* Seconds of one of a line of n runs, the first-th and on, which wait in the queue for
 * one another; on a GPU behind session_busy(), unless there is but one. */
clsm_status time_line(const struct session *s, const struct subject *subject,
                      unsigned first, unsigned n, double *seconds);

/* Median seconds of one run over lines of so many runs in all, or over five lines if
 * these are more, and no more lines than that; after a run with each of `sets`, and on
 * a GPU some milliseconds more. */
clsm_status time_median(const struct session *s, const struct subject *subject,
                        unsigned sets, unsigned repeats, double *seconds);

#endif
