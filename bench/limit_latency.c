/* SPDX-License-Identifier: MIT */
/* Latency: what an enqueue costs, back to back with others, on the host's clock. */
#include "measure.h"
#include "report.h"

#include <stdio.h>

enum { ROUNDS = 11 };

/* One way to queue something small, so often. */
struct launcher {
    cl_command_queue queue; /* without profiling, which would cost its own */
    unsigned enqueues;      /* before one finish */
    cl_kernel empty;
    clsm_plan *plan; /* NULL: the empty kernel */
    const clsm_args *args;
};

static bool launch(const struct launcher *l)
{
    const size_t one_group = 128;
    if (l->plan)
        return clsm_enqueue_args(l->plan, l->queue, l->args, 0, NULL, NULL) == CLSM_OK;
    return clEnqueueNDRangeKernel(l->queue, l->empty, 1, NULL, &one_group, &one_group,
                                  0, NULL, NULL) == CL_SUCCESS;
}

/* Seconds of one of the enqueues, from the first to the finish; 0 on failure. */
static double round_of(const struct launcher *l)
{
    bool good = clFinish(l->queue) == CL_SUCCESS;
    double start = now();
    for (unsigned i = 0; good && i < l->enqueues; i++)
        good = launch(l);
    good = clFinish(l->queue) == CL_SUCCESS && good;
    return good ? (now() - start) / l->enqueues : 0;
}

/* Rounds of both in turn, so that what else the machine does meets both. */
static bool time_both(struct launcher *l, clsm_plan *plan, double *ours, double *empty)
{
    double times[2][ROUNDS];
    for (int i = -1; i < ROUNDS; i++)
        for (int which = 0; which < 2; which++) {
            l->plan = which ? plan : NULL;
            double seconds = round_of(l);
            if (seconds <= 0)
                return false;
            if (i >= 0)
                times[which][i] = seconds;
        }
    *empty = median(times[0], ROUNDS);
    *ours = median(times[1], ROUNDS);
    return true;
}

static const char empty_source[] = "__kernel void empty(void)\n{\n}\n";

/* Make what is needed, time it, let it go. */
static bool time_plan(struct limit *limit, clsm_plan *plan, double *ours, double *empty)
{
    const struct session *s = limit->session;
    cl_int error;
    struct launcher l = {
        .queue = clCreateCommandQueue(s->context, s->info.device, 0, &error),
        .enqueues = limit->enqueues,
        .empty = session_kernel(s, empty_source, "empty", ""),
        .args = limit->arena.sets,
    };
    bool good = l.queue && l.empty && time_both(&l, plan, ours, empty);
    if (l.empty)
        clReleaseKernel(l.empty);
    if (l.queue)
        clReleaseCommandQueue(l.queue);
    return good;
}

void time_latency(struct limit *limit, const struct limit_case *c)
{
    clsm_problem p;
    clsm_plan *plan = NULL;
    struct result r;
    double empty = 0;
    bool fits = false;
    case_problem(c, &p);
    choose_case(limit, c, &r);
    bool good = clsm_plan_create(limit->session->engine, &p, &plan) == CLSM_OK &&
                arena_sets(&limit->arena, &p, false, &fits) == CLSM_OK && fits &&
                time_plan(limit, plan, &r.seconds, &empty);
    if (good) {
        r.value = r.seconds / empty;
        snprintf(r.note, sizeof r.note, "an enqueue; %.2f us for an empty kernel",
                 empty * 1e6);
    } else {
        r.mark = MARK_FAILED;
        snprintf(r.note, sizeof r.note, "latency: %.200s", last_failure());
    }
    clsm_plan_destroy(plan);
    report_result(limit, &r);
}
