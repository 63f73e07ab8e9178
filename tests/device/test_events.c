/* SPDX-License-Identifier: MIT */
/* Wait lists hold an enqueue back, its event completes, and empty problems are no-ops
 * that still do both. */
#include "rig.h"

#include <string.h>
#include <time.h>

static cl_int status_of(cl_event event)
{
    cl_int status = CL_SUBMITTED;
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                   NULL);
    return status;
}

/* Long enough for a kernel that does not wait to be seen. */
static void linger(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
}

/* The first byte of y, read on a queue that the held one does not hold up. */
static unsigned char peek(const struct rig *rig, cl_command_queue queue)
{
    unsigned char byte = 0;
    clEnqueueReadBuffer(queue, rig->y, CL_TRUE, 0, 1, &byte, 0, NULL, NULL);
    return byte;
}

START_TEST(wait_list_holds_the_kernel_back)
{
    struct tally t = tally_of(_i);
    struct rig rig = rig_open(&t, 0, CLSM_F32, CLSM_F32);
    const struct session *s = rig.session;
    cl_command_queue other = clCreateCommandQueue(s->context, s->info.device, 0, NULL);
    cl_event gate = clCreateUserEvent(s->context, NULL), done = NULL;
    float y[RIG_ELEMENTS];
    clsm_report report = {.struct_bytes = sizeof report};
    ck_assert(other && gate);
    unsigned char before = peek(&rig, other);
    tally_ok(&t, clsm_enqueue(rig.plan, s->queue, rig.x, 0, rig.y, 0, 1, &gate, &done),
             "enqueue behind a user event");
    clFlush(s->queue);
    linger();
    tally_fact(&t, done && status_of(done) != CL_COMPLETE, "done before its wait list");
    tally_fact(&t, peek(&rig, other) == before, "wrote before its wait list");
    clSetUserEventStatus(gate, CL_COMPLETE);
    tally_fact(&t, clWaitForEvents(1, &done) == CL_SUCCESS, "never done");
    clEnqueueReadBuffer(other, rig.y, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL);
    tally_ok(&t, clsm_check(&rig.problem, rig.x_data, y, &report), "check");
    tally_fact(&t, report.pass, "%.3g x the bound", report.worst);
    clReleaseEvent(done);
    clReleaseEvent(gate);
    clReleaseCommandQueue(other);
    rig_close(&rig);
    tally_end(&t);
}
END_TEST

/* x to y on one queue, then y to z on another, with nothing but the event between. */
START_TEST(done_event_orders_two_queues)
{
    struct tally t = tally_of(_i);
    struct rig rig = rig_open(&t, 0, CLSM_F32, CLSM_F32);
    const struct session *s = rig.session;
    cl_command_queue other = clCreateCommandQueue(s->context, s->info.device, 0, NULL);
    cl_mem z_buffer = session_buffer(s, RIG_ELEMENTS * sizeof(float), NULL);
    cl_event first = NULL, second = NULL;
    float y[RIG_ELEMENTS], z[RIG_ELEMENTS];
    clsm_report report = {.struct_bytes = sizeof report};
    tally_ok(&t, clsm_enqueue(rig.plan, s->queue, rig.x, 0, rig.y, 0, 0, NULL, &first),
             "first");
    clFlush(s->queue);
    tally_ok(&t,
             clsm_enqueue(rig.plan, other, rig.y, 0, z_buffer, 0, 1, &first, &second),
             "second");
    tally_fact(&t, clWaitForEvents(1, &second) == CL_SUCCESS, "the second is not done");
    tally_fact(&t, status_of(first) == CL_COMPLETE, "the first is not done");
    clEnqueueReadBuffer(other, rig.y, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL);
    clEnqueueReadBuffer(other, z_buffer, CL_TRUE, 0, sizeof z, z, 0, NULL, NULL);
    tally_ok(&t, clsm_check(&rig.problem, y, z, &report), "check");
    tally_fact(&t, report.pass, "%.3g x the bound", report.worst);
    clReleaseEvent(first);
    clReleaseEvent(second);
    clReleaseMemObject(z_buffer);
    clReleaseCommandQueue(other);
    rig_close(&rig);
    tally_end(&t);
}
END_TEST

/* An empty problem behind a gate: nothing written, but its event waits like any other.
 */
static void run_gated(struct tally *t, size_t rows, size_t cols, size_t inner,
                      unsigned flags, bool by_queue)
{
    const struct session *s = &t->device->session;
    clsm_problem p = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, rows, cols);
    float before[4] = {1, 2, 3, 4}, after[4] = {0};
    cl_mem y = session_buffer(s, sizeof before, before);
    cl_event gate = clCreateUserEvent(s->context, NULL), done = NULL;
    clsm_plan *plan = NULL;
    p.flags = flags;
    p.inner = inner;
    tally_ok(t, clsm_plan_create(s->engine, &p, &plan), "plan");
    tally_ok(t, clsm_plan_explain(plan, NULL, 0, NULL), "explain");
    tally_ok(t, clsm_enqueue(plan, s->queue, y, 0, y, 0, 0, NULL, NULL), "no event");
    if (by_queue) { /* whose next command is behind the gate as well */
        tally_ok(t, clsm_enqueue(plan, s->queue, y, 0, y, 0, 1, &gate, NULL), "gated");
        clEnqueueMarkerWithWaitList(s->queue, 0, NULL, &done);
    } else {
        tally_ok(t, clsm_enqueue(plan, s->queue, y, 0, y, 0, 1, &gate, &done), "gated");
    }
    clFlush(s->queue);
    linger();
    tally_fact(t, done && status_of(done) != CL_COMPLETE,
               "rows %zu, cols %zu, inner %zu: done before its wait list", rows, cols,
               inner);
    clSetUserEventStatus(gate, CL_COMPLETE);
    tally_fact(t, done && clWaitForEvents(1, &done) == CL_SUCCESS,
               "rows %zu, cols %zu, inner %zu: never done", rows, cols, inner);
    clEnqueueReadBuffer(s->queue, y, CL_TRUE, 0, sizeof after, after, 0, NULL, NULL);
    tally_fact(t, memcmp(before, after, sizeof after) == 0, "wrote something");
    if (done)
        clReleaseEvent(done);
    clReleaseEvent(gate);
    clReleaseMemObject(y);
    clsm_plan_destroy(plan);
}

static void run_empty(struct tally *t, size_t rows, size_t cols, size_t inner,
                      unsigned flags)
{
    run_gated(t, rows, cols, inner, flags, false);
    run_gated(t, rows, cols, inner, flags, true);
}

START_TEST(empty_problems_are_no_ops_with_events)
{
    struct tally t = tally_of(_i);
    run_empty(&t, 0, 33, 1, 0);
    run_empty(&t, 5, 0, 1, 0);
    run_empty(&t, 0, 0, 1, 0);
    run_empty(&t, 5, 33, 0, 0);
    run_empty(&t, 0, 33, 1, CLSM_OPEN_ROWS);
    run_empty(&t, 5, 33, 0, CLSM_OPEN_ROWS);
    run_empty(&t, 5, 0, 1, CLSM_OPEN_COLS);
    tally_end(&t);
}
END_TEST

void events_suite(Suite *suite, int device)
{
    add_test(suite, device, NULL, wait_list_holds_the_kernel_back);
    add_test(suite, device, NULL, done_event_orders_two_queues);
    add_test(suite, device, NULL, empty_problems_are_no_ops_with_events);
}
