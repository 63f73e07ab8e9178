/* SPDX-License-Identifier: MIT */
/* Calling, and looking at what it did. */
#include "rig.h"

#include <string.h>

enum { UNTOUCHED = 0xa5 }; /* the bytes of y before each call */

static size_t y_bytes(const struct rig *rig)
{
    return RIG_ELEMENTS * clsm_type_bytes(rig->problem.y_type);
}

static void reset_y(const struct rig *rig, cl_mem y)
{
    unsigned char bytes[RIG_ELEMENTS * 8];
    memset(bytes, UNTOUCHED, sizeof bytes);
    clEnqueueWriteBuffer(rig->session->queue, y, CL_TRUE, 0, y_bytes(rig), bytes, 0,
                         NULL, NULL);
}

struct rig rig_open(struct tally *t, unsigned flags, clsm_type x, clsm_type y)
{
    struct rig rig = {.tally = t, .session = &t->device->session};
    rig.problem = problem_of(CLSM_SOFTMAX, x, y, RIG_ROWS, RIG_COLS);
    rig.problem.flags = flags;
    ck_assert_msg(clsm_plan_create(rig.session->engine, &rig.problem, &rig.plan) ==
                      CLSM_OK,
                  "%s", clsm_last_message());
    input_fill(INPUT_NORMAL, 9, x, rig.x_data, 0, 1, RIG_ELEMENTS);
    rig.x = session_buffer(rig.session, RIG_ELEMENTS * clsm_type_bytes(x), rig.x_data);
    rig.y = session_buffer(rig.session, RIG_ELEMENTS * clsm_type_bytes(y), NULL);
    ck_assert(rig.x && rig.y);
    reset_y(&rig, rig.y);
    return rig;
}

void rig_close(struct rig *rig)
{
    clFinish(rig->session->queue);
    clReleaseMemObject(rig->x);
    clReleaseMemObject(rig->y);
    clsm_plan_destroy(rig->plan);
}

struct call rig_call(const struct rig *rig)
{
    struct call call = {.plan = rig->plan, .queue = rig->session->queue};
    ck_assert_int_eq(clsm_args_init(rig->plan, &call.args), CLSM_OK);
    call.args.x = rig->x;
    call.args.y = rig->y;
    return call;
}

void check_refusal(struct tally *t, clsm_status got, clsm_status status,
                   const char *says, const char *expected, const void *out,
                   const char *name)
{
    const char *message = clsm_last_message();
    tally_fact(t, got == status, "%s: %s, expected %s", name, clsm_status_name(got),
               clsm_status_name(status));
    tally_fact(t, got != status || strstr(message, says), "%s: no \"%s\" in: %s", name,
               says, message);
    tally_fact(t, got != status || strstr(message, expected), "%s: no \"%s\" in: %s",
               name, expected, message);
    tally_fact(t, !out, "%s: an output pointer is not NULL", name);
}

/* Both buffers as they were? */
static bool untouched(const struct rig *rig)
{
    unsigned char bytes[RIG_ELEMENTS * 8], want[RIG_ELEMENTS * 8];
    size_t x_bytes = RIG_ELEMENTS * clsm_type_bytes(rig->problem.x_type);
    memset(want, UNTOUCHED, sizeof want);
    clEnqueueReadBuffer(rig->session->queue, rig->y, CL_TRUE, 0, y_bytes(rig), bytes, 0,
                        NULL, NULL);
    if (memcmp(bytes, want, y_bytes(rig)) != 0)
        return false;
    clEnqueueReadBuffer(rig->session->queue, rig->x, CL_TRUE, 0, x_bytes, bytes, 0,
                        NULL, NULL);
    return memcmp(bytes, rig->x_data, x_bytes) == 0;
}

static clsm_status enqueue(const struct call *call, cl_event *done)
{
    return clsm_enqueue_args(call->plan, call->queue, call->given, call->n_wait,
                             call->wait, done);
}

void rig_serves(struct rig *rig, struct call *call, const char *name)
{
    unsigned char y[RIG_ELEMENTS * 8];
    clsm_report report = {.struct_bytes = sizeof report};
    cl_event done = NULL;
    if (!tally_ok(rig->tally, enqueue(call, &done), name))
        return;
    tally_fact(rig->tally, done && clWaitForEvents(1, &done) == CL_SUCCESS,
               "%s: its event does not complete", name);
    if (done)
        clReleaseEvent(done);
    clEnqueueReadBuffer(rig->session->queue, call->args.y, CL_TRUE, 0, y_bytes(rig), y,
                        0, NULL, NULL);
    tally_ok(rig->tally, clsm_check(&rig->problem, rig->x_data, y, &report), "check");
    tally_fact(rig->tally, report.pass, "%s: %.3g x the bound", name, report.worst);
    reset_y(rig, call->args.y);
}

void rig_refuses(struct rig *rig, struct call *call, clsm_status status,
                 const char *says, const char *expected, const char *name)
{
    cl_event done = (cl_event)rig; /* must become NULL */
    clsm_status got = enqueue(call, &done);
    check_refusal(rig->tally, got, status, says, expected, done, name);
    clFinish(rig->session->queue);
    tally_fact(rig->tally, untouched(rig), "%s: a refused call wrote", name);
    struct call right = rig_call(rig);
    right.given = &right.args;
    rig_serves(rig, &right, name);
}
