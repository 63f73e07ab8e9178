/* SPDX-License-Identifier: MIT */
/* Making, enqueuing and checking a crowd. */
#include "crowd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 3, COLS = 20011 }; /* 5 parts of 256 x 4 packs of f32 */

enum { BESIDE = 4 };

const char *small_parts(int index)
{
    static const char *const names[] = {"joined:WG=128,HOLD=1",
                                        "ahead:WG=128,HOLD=1",
                                        "settled:WG=128,HOLD=1",
                                        "split:WG=128,PACKS=4",
                                        "strided_split:WG=256,TILE=32",
                                        "strided_ahead:WG=128,TILE=64",
                                        "wide_split:VEC=8"};
    const char *variant = clsm_variants[index / MAX_DEVICES].name;
    size_t i = 0, length = strlen(variant);
    while (strncmp(names[i], variant, length) != 0 || names[i][length] != ':')
        ck_assert_uint_lt(++i, COUNT(names));
    return names[i];
}

clsm_problem shared_problem(const char *variant, clsm_op op, clsm_type type,
                            size_t rows, size_t cols)
{
    bool beside = strncmp(variant, "strided_ahead", strlen("strided_ahead")) == 0;
    clsm_problem p =
        problem_of(op, type, type, rows, beside ? (cols + BESIDE - 1) / BESIDE : cols);
    p.inner = beside ? BESIDE : 1;
    p.variant = variant;
    return p;
}

size_t elements_of(const clsm_problem *p)
{
    return p->rows * p->cols * p->inner;
}

static bool make_queues(const struct session *s, cl_command_queue_properties properties,
                        struct crowd *c)
{
    for (unsigned q = 0; q < c->queue_count; q++) {
        c->queues[q] =
            clCreateCommandQueue(s->context, s->info.device, properties, NULL);
        if (!c->queues[q])
            return false;
    }
    return true;
}

static void make_data(const struct session *s, struct crowd *c)
{
    size_t bytes = c->elements * sizeof(float);
    for (unsigned i = 0; i < CROWD; i++) {
        c->x[i] = malloc(bytes);
        ck_assert_ptr_nonnull(c->x[i]);
        input_fill(i % 2 ? INPUT_NORMAL : INPUT_WIDE_RANGE, 20 + i, CLSM_F32, c->x[i],
                   0, 1, c->elements);
        c->device_x[i] = session_buffer(s, bytes, c->x[i]);
        c->device_y[i] = i % 3 == 2 ? c->device_x[i] : session_buffer(s, bytes, NULL);
        ck_assert(c->device_x[i] && c->device_y[i]);
    }
}

bool crowd_open(struct tally *t, const char *variant, unsigned queues,
                cl_command_queue_properties properties, struct crowd *c)
{
    static const clsm_op ops[CROWD_PLANS] = {CLSM_SOFTMAX, CLSM_LOG_SOFTMAX};
    const struct session *s = &t->device->session;
    *c = (struct crowd){.tally = t, .queue_count = queues};
    if (!make_queues(s, properties, c)) {
        crowd_close(c);
        return false;
    }
    for (unsigned k = 0; k < CROWD_PLANS; k++) {
        c->problems[k] = shared_problem(variant, ops[k], CLSM_F32, ROWS, COLS);
        ck_assert_msg(clsm_plan_create(s->engine, &c->problems[k], &c->plans[k]) ==
                          CLSM_OK,
                      "%s", clsm_last_message());
    }
    c->elements = elements_of(c->problems);
    make_data(s, c);
    return true;
}

void crowd_close(struct crowd *c)
{
    crowd_finish(c);
    for (unsigned i = 0; i < CROWD; i++) {
        if (c->device_y[i] && c->device_y[i] != c->device_x[i])
            clReleaseMemObject(c->device_y[i]);
        if (c->device_x[i])
            clReleaseMemObject(c->device_x[i]);
        free(c->x[i]);
    }
    for (unsigned q = 0; q < c->queue_count; q++)
        if (c->queues[q])
            clReleaseCommandQueue(c->queues[q]);
    for (unsigned k = 0; k < CROWD_PLANS; k++)
        clsm_plan_destroy(c->plans[k]);
}

void crowd_enqueue(struct crowd *c, unsigned i, unsigned on_queue, cl_event *done)
{
    tally_ok(c->tally,
             clsm_enqueue(c->plans[i / 2 % CROWD_PLANS], c->queues[on_queue],
                          c->device_x[i], 0, c->device_y[i], 0, 0, NULL, done),
             "enqueue");
}

void crowd_await(struct crowd *c, cl_event done, unsigned seconds)
{
    cl_int status = CL_QUEUED;
    for (unsigned ms = 0; ms < 1000 * seconds && status > CL_COMPLETE; ms += 10) {
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
        clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                       NULL);
    }
    if (!tally_fact(c->tally, status == CL_COMPLETE, "not done after %u s, status %d",
                    seconds, status) &&
        status > CL_COMPLETE) {
        printf("Bail out! a kernel does not end\n");
        fflush(stdout);
        _Exit(1);
    }
}

void crowd_finish(struct crowd *c)
{
    for (unsigned q = 0; q < c->queue_count; q++)
        if (c->queues[q])
            clFlush(c->queues[q]);
    for (unsigned q = 0; q < c->queue_count; q++)
        if (c->queues[q])
            clFinish(c->queues[q]);
}

void crowd_check(struct crowd *c, unsigned i)
{
    clsm_report report = {.struct_bytes = sizeof report};
    size_t bytes = c->elements * sizeof(float);
    float *y = malloc(bytes);
    ck_assert_ptr_nonnull(y);
    clEnqueueReadBuffer(c->tally->device->session.queue, c->device_y[i], CL_TRUE, 0,
                        bytes, y, 0, NULL, NULL);
    tally_ok(c->tally,
             clsm_check(&c->problems[i / 2 % CROWD_PLANS], c->x[i], y, &report),
             "check");
    tally_fact(c->tally, report.pass, "number %u of %u queues%s: %.3g x the bound", i,
               c->queue_count, i % 3 == 2 ? ", in place" : "", report.worst);
    free(y);
}

cl_kernel crowd_filler(const struct session *s, cl_mem out)
{
    static const char *source =
        "__kernel void crowd(__global float *out, uint turns) {\n"
        "    uint n = get_group_id(0) ? turns : turns / 1000;\n"
        "    float v = get_local_id(0);\n"
        "    for (uint i = 0; i < n; i++) v = fma(v, 0.999f, 1.0f);\n"
        "    out[get_local_id(0)] = v; }\n";
    const cl_uint turns = 20 * 1000 * 1000; /* tens of milliseconds */
    cl_kernel kernel = session_kernel(s, source, "crowd", "");
    ck_assert(kernel);
    clSetKernelArg(kernel, 0, sizeof out, &out);
    clSetKernelArg(kernel, 1, sizeof turns, &turns);
    return kernel;
}
