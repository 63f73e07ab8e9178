/* SPDX-License-Identifier: MIT */
/* Timing whatever queues itself: a plan, a copy. */
#ifndef LINE_H
#define LINE_H

#include "session.h"

/* One thing to be timed: queues itself with an event, for the i-th time. What takes
 * several commands has an event of the last only, and is timed from the end of one run
 * to the end of the next, right behind it. */
struct subject {
    clsm_status (*queue)(const struct session *s, void *self, unsigned i,
                         cl_event *event);
    void *self;
    bool several;
};

/* Times a line of n runs, the first-th and on, which wait in the queue for one another;
 * *timed: how many of them went to `seconds`. */
clsm_status time_line(const struct session *s, const struct subject *subject,
                      unsigned first, unsigned n, double *seconds, unsigned *timed);

/* Median seconds of at most so many repeats, after a run with each of `sets`, and on a
 * GPU some milliseconds more. */
clsm_status time_median(const struct session *s, const struct subject *subject,
                        unsigned sets, unsigned repeats, double *seconds);

#endif
