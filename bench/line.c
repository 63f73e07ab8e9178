/* SPDX-License-Identifier: MIT */
/* Timing by the device's own clock where it has one, else by the host's. */
#include "line.h"
#include "measure.h"

enum { MAX_REPEATS = 200, LINE_RUNS = 16, LEAST_LINES = 5 };

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
    cl_event first, last;
    unsigned count;
    double host; /* seconds, from the first one's queueing to the last one's end */
};

/* None has an event but the first and the last: a driver that gives each its times
 * stops for them. */
static clsm_status queue_line(const struct session *s, const struct subject *subject,
                              unsigned first, unsigned n, struct line *line)
{
    clsm_status status = CLSM_OK;
    double start = now();
    for (unsigned i = 0; i < n && status == CLSM_OK; i++, line->count++)
        status = subject->queue(s, subject->self, first + i,
                                i == n - 1 ? &line->last
                                : i == 0   ? &line->first
                                           : NULL);
    if (clFinish(s->queue) != CL_SUCCESS && status == CLSM_OK)
        status = failed(CLSM_ERR_OPENCL, "clFinish failed");
    line->host = now() - start;
    return status;
}

/* Of one run: from the first one's end to the last one's, or a single one's own time. 0
 * where a driver says nothing, or one nanosecond. */
static double event_seconds(const struct line *line)
{
    cl_ulong begun = 0, start = 0, end = 0;
    bool known = event_times(line->last, &start, &end);
    if (line->first)
        known = event_times(line->first, &begun, &start) && known;
    unsigned runs = line->first ? line->count - 1 : 1;
    return known && end > start + 1 ? (double)(end - start) * 1e-9 / runs : 0;
}

static clsm_status run_line(const struct session *s, const struct subject *subject,
                            unsigned first, unsigned n, double *by_events,
                            double *by_host)
{
    struct line line = {0};
    clsm_status status = queue_line(s, subject, first, n, &line);
    if (status == CLSM_OK) {
        *by_events = event_seconds(&line);
        *by_host = line.host / n;
    }
    if (line.first)
        clReleaseEvent(line.first);
    if (line.last)
        clReleaseEvent(line.last);
    return status;
}

/* A GPU is kept busy until all are queued: it takes small ones faster than a host can
 * queue them. Where its clock says nothing, the host's does, from an idle GPU on. */
clsm_status time_line(const struct session *s, const struct subject *subject,
                      unsigned first, unsigned n, double *seconds)
{
    bool busy = n > 1 && session_busy(s) && clFlush(s->queue) == CL_SUCCESS;
    double by_host = 0;
    clsm_status status = run_line(s, subject, first, n, seconds, &by_host);
    if (status == CLSM_OK && !*seconds && busy)
        status = run_line(s, subject, first, n, seconds, &by_host);
    if (status == CLSM_OK && !*seconds)
        *seconds = by_host;
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
    double v = 0, start = now();
    clsm_status status = CLSM_OK;
    for (unsigned i = 0; i < sets && status == CLSM_OK && (i == 0 || now() - start < 1);
         i++)
        status = time_line(s, subject, i, 1, &v);
    *length = line_length(s, subject, v);
    start = now();
    for (*at = 0;
         status == CLSM_OK && *length == LINE_RUNS && now() - start < WARM_SECONDS;
         *at += *length)
        status = time_line(s, subject, *at, *length, &v);
    return status;
}

clsm_status time_median(const struct session *s, const struct subject *subject,
                        unsigned sets, unsigned repeats, double *seconds)
{
    double v[MAX_REPEATS];
    unsigned n = 0, at, length;
    clsm_status warmed = warm_up(s, subject, sets, &length, &at);
    if (warmed != CLSM_OK)
        return warmed;
    unsigned lines = repeats / length > LEAST_LINES ? repeats / length : LEAST_LINES;
    if (lines > repeats)
        lines = repeats;
    const double start = now();
    for (double spent = 0;
         n < MAX_REPEATS && n < lines && (spent < 1 || (spent < 4 && n < 3));
         spent = now() - start, at += length, n++) {
        clsm_status status = time_line(s, subject, at, length, v + n);
        if (status != CLSM_OK)
            return status;
    }
    *seconds = median(v, n);
    return CLSM_OK;
}
