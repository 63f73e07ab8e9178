/* SPDX-License-Identifier: MIT */
/* Timing by the device's own clock where it has one, else by the host's. */
#include "line.h"
#include "measure.h"

enum { MAX_REPEATS = 200, LINE_RUNS = 16 };

static const double LINE_SECONDS = 0.05; /* of all runs of a line */
static const double WARM_SECONDS = 0.01; /* of lines that nobody times */

static bool event_times(cl_event event, cl_ulong *start, cl_ulong *end)
{
    return clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof *start,
                                   start, NULL) == CL_SUCCESS &&
           clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof *end, end,
                                   NULL) == CL_SUCCESS;
}

/* Runs that wait in the queue for one another, as a program has them: so that a GPU
 * does not wait for the host in between. */
struct line {
    cl_event events[LINE_RUNS];
    unsigned count;
    double host; /* seconds, from the first one's queueing to the last one's end */
};

/* On a GPU they all wait until the last one is queued. */
static cl_event close_gate(const struct session *s)
{
    cl_int error;
    if (s->info.type & CL_DEVICE_TYPE_CPU)
        return NULL;
    cl_event gate = clCreateUserEvent(s->context, &error);
    if (gate && clEnqueueBarrierWithWaitList(s->queue, 1, &gate, NULL) != CL_SUCCESS) {
        clReleaseEvent(gate);
        return NULL;
    }
    return gate;
}

static clsm_status run_line(const struct session *s, const struct subject *subject,
                            unsigned first, unsigned n, struct line *line)
{
    cl_event gate = n > 1 ? close_gate(s) : NULL;
    clsm_status status = CLSM_OK;
    double start = now();
    for (line->count = 0; line->count < n && status == CLSM_OK; line->count++) {
        line->events[line->count] = NULL;
        status = subject->queue(s, subject->self, first + line->count,
                                &line->events[line->count]);
    }
    if (gate) {
        clFlush(s->queue);
        start = now();
        clSetUserEventStatus(gate, CL_COMPLETE);
        clReleaseEvent(gate);
    }
    if (clFinish(s->queue) != CL_SUCCESS && status == CLSM_OK)
        status = CLSM_ERR_OPENCL;
    line->host = now() - start;
    return status;
}

/* What each took by the device, and how many there are: the first of a line has nothing
 * to be timed by where it takes several commands, and is left out of longer ones. Some
 * drivers say nothing, or one nanosecond, and then the host's time has to do. */
static unsigned line_seconds(const struct line *line, bool several, double *seconds)
{
    cl_ulong before = 0, start = 0, end = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < line->count; i++, before = end) {
        bool known = event_times(line->events[i], &start, &end);
        if (several && line->count > 1)
            start = before;
        if (i > 0 || line->count == 1)
            seconds[n++] = known && end > start + 1 ? (double)(end - start) * 1e-9
                                                    : line->host / line->count;
    }
    return n;
}

clsm_status time_line(const struct session *s, const struct subject *subject,
                      unsigned first, unsigned n, double *seconds, unsigned *timed)
{
    struct line line;
    clsm_status status = run_line(s, subject, first, n, &line);
    *timed = status == CLSM_OK ? line_seconds(&line, subject->several, seconds) : 0;
    for (unsigned i = 0; i < line.count; i++)
        if (line.events[i])
            clReleaseEvent(line.events[i]);
    return status;
}

/* So many runs wait in line; fewer where each of them takes long. */
static unsigned line_length(const struct session *s, const struct subject *subject,
                            double seconds)
{
    unsigned least = subject->several ? 2 : 1;
    if (s->info.type & CL_DEVICE_TYPE_CPU)
        return least;
    double most = LINE_SECONDS / (seconds > 1e-9 ? seconds : 1e-9);
    return most >= LINE_RUNS ? LINE_RUNS : most <= least ? least : (unsigned)most;
}

/* One run with each of the sets, and on a GPU, which is slower for a while after it had
 * nothing to do, lines of them, unless they are so long that one run has warmed it.
 * *length, *at: of a line, and where the next one begins. */
static clsm_status warm_up(const struct session *s, const struct subject *subject,
                           unsigned sets, unsigned *length, unsigned *at)
{
    double v[LINE_RUNS] = {0}, start = now();
    unsigned timed;
    clsm_status status = CLSM_OK;
    for (unsigned i = 0; i < sets && status == CLSM_OK && (i == 0 || now() - start < 1);
         i++)
        status = time_line(s, subject, i, 1, v, &timed);
    *length = line_length(s, subject, v[0]);
    start = now();
    for (*at = 0;
         status == CLSM_OK && *length == LINE_RUNS && now() - start < WARM_SECONDS;
         *at += *length)
        status = time_line(s, subject, *at, *length, v, &timed);
    return status;
}

clsm_status time_median(const struct session *s, const struct subject *subject,
                        unsigned sets, unsigned repeats, double *seconds)
{
    double v[MAX_REPEATS + LINE_RUNS];
    unsigned n = 0, at, length, timed;
    clsm_status warmed = warm_up(s, subject, sets, &length, &at);
    if (warmed != CLSM_OK)
        return warmed;
    const double start = now();
    for (double spent = 0;
         n < MAX_REPEATS && n < repeats && (spent < 1 || (spent < 4 && n < 3));
         spent = now() - start, at += length, n += timed) {
        clsm_status status = time_line(s, subject, at, length, v + n, &timed);
        if (status != CLSM_OK)
            return status;
    }
    *seconds = median(v, n);
    return CLSM_OK;
}
