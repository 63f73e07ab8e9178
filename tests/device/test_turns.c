/* SPDX-License-Identifier: MIT */
/* Plans whose work-groups share rows, from several queues, threads and engines of one
 * context. Side by side each could have a part of the device, and wait for the rest:
 * they take turns, and nobody else has to. */
#include "crowd.h"

#include <pthread.h>
#include <time.h>

static void run_queues(struct tally *t, const char *variant, unsigned queues,
                       cl_command_queue_properties properties)
{
    struct crowd c;
    if (!crowd_open(t, variant, queues, properties, &c)) {
        note(t->device, "no out-of-order queues");
        tally_fact(t, properties != 0, "no queues");
        return;
    }
    for (unsigned i = 0; i < CROWD; i++)
        crowd_enqueue(&c, i, i % queues, NULL);
    crowd_finish(&c);
    for (unsigned i = 0; i < CROWD; i++)
        crowd_check(&c, i);
    crowd_close(&c);
}

/* As on the other kind of device: a CPU's launches without events until a second queue
 * comes, or a GPU's with them. */
static void turn_events(const struct tally *t)
{
    struct turns *turns = &t->device->session.engine->shared->turns;
    turns->with_events = !turns->with_events;
}

START_TEST(launches_in_flight_on_some_queues_do_not_meet)
{
    struct tally t = tally_of(_i);
    const char *variant = small_parts(_i);
    for (unsigned queues = 1; queues <= CROWD_QUEUES; queues++) {
        run_queues(&t, variant, queues, 0);
        turn_events(&t);
        run_queues(&t, variant, queues, 0);
    }
    for (unsigned queues = 1; queues <= 2; queues++)
        run_queues(&t, variant, queues, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    tally_end(&t);
}
END_TEST

struct caller {
    struct crowd *crowd;
    struct tally tally; /* of this thread */
    unsigned number;
};

static void *call(void *argument)
{
    struct caller *caller = argument;
    struct crowd mine = *caller->crowd;
    mine.tally = &caller->tally;
    for (unsigned i = caller->number; i < CROWD; i += CROWD_QUEUES)
        crowd_enqueue(&mine, i, caller->number, NULL);
    return NULL;
}

START_TEST(threads_with_a_queue_each_share_the_memory)
{
    struct tally t = tally_of(_i);
    const char *variant = small_parts(_i);
    struct crowd c;
    pthread_t threads[CROWD_QUEUES];
    struct caller callers[CROWD_QUEUES];
    ck_assert(crowd_open(&t, variant, CROWD_QUEUES, 0, &c));
    for (unsigned k = 0; k < CROWD_QUEUES; k++) {
        callers[k] = (struct caller){&c, {.device = t.device}, k};
        ck_assert_int_eq(pthread_create(&threads[k], NULL, call, &callers[k]), 0);
    }
    for (unsigned k = 0; k < CROWD_QUEUES; k++) {
        pthread_join(threads[k], NULL);
        tally_fact(&t, !callers[k].tally.failed, "thread %u: %s", k,
                   callers[k].tally.first);
    }
    crowd_finish(&c);
    for (unsigned i = 0; i < CROWD; i++)
        crowd_check(&c, i);
    crowd_close(&c);
    tally_end(&t);
}
END_TEST

static void run_both(struct crowd *first, struct crowd *second)
{
    for (unsigned i = 0; i < CROWD; i++) {
        crowd_enqueue(first, i, i % 2, NULL);
        crowd_enqueue(second, i, i % 2, NULL);
    }
    crowd_finish(first);
    crowd_finish(second);
    for (unsigned i = 0; i < CROWD; i++) {
        crowd_check(first, i);
        crowd_check(second, i);
    }
}

START_TEST(engines_of_a_context_take_turns)
{
    struct tally t = tally_of(_i), of_other = t;
    const char *variant = small_parts(_i);
    const struct session *s = &t.device->session;
    struct device other = *t.device;
    struct crowd first, second;
    of_other.device = &other;
    ck_assert_int_eq(
        clsm_engine_create(s->context, s->info.device, &other.session.engine), CLSM_OK);
    tally_fact(&t, other.session.engine->shared == s->engine->shared,
               "each has a memory of its own");
    ck_assert(crowd_open(&t, variant, 2, 0, &first));
    ck_assert(crowd_open(&of_other, variant, 2, 0, &second));
    run_both(&first, &second);
    crowd_close(&second);
    clsm_engine_destroy(other.session.engine);
    for (unsigned i = 0; i < CROWD; i++) /* with what is left */
        crowd_enqueue(&first, i, i % 2, NULL);
    crowd_close(&first);
    tally_end(&of_other);
    tally_end(&t);
}
END_TEST

/* Behind this no command of the queue begins. */
static cl_event shut(const struct session *s, cl_command_queue queue)
{
    cl_event gate = clCreateUserEvent(s->context, NULL);
    ck_assert(gate &&
              clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL) == CL_SUCCESS);
    return gate;
}

/* Does a command pass one that is held up, on this driver and queue? NVIDIA's queues
 * out of order do not let it. */
static bool lets_pass(const struct session *s, cl_command_queue queue)
{
    const cl_uint zero = 0;
    cl_mem buffer = session_buffer(s, sizeof zero, NULL);
    cl_event done = NULL;
    cl_int status = CL_QUEUED;
    clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, sizeof zero, 0, NULL,
                        &done);
    clFlush(queue);
    for (int i = 0; i < 100 && status > CL_COMPLETE; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
        clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                       NULL);
    }
    clReleaseEvent(done);
    clReleaseMemObject(buffer);
    return status == CL_COMPLETE;
}

/* What stands in the first queue by now is not the library's. Where launches have no
 * events before a second queue comes, that has been. */
static void run_beside(struct tally *t, const char *variant, unsigned queues,
                       cl_command_queue_properties properties)
{
    struct crowd c;
    cl_event done = NULL, gate = clCreateUserEvent(t->device->session.context, NULL);
    if (!crowd_open(t, variant, queues, properties, &c)) {
        clReleaseEvent(gate);
        return;
    }
    if (!t->device->session.engine->shared->turns.with_events)
        crowd_enqueue(&c, 2, queues - 1, NULL);
    crowd_enqueue(&c, 0, 0, NULL);
    clFinish(c.queues[0]);
    clEnqueueMarkerWithWaitList(c.queues[0], 1, &gate, NULL);
    clFlush(c.queues[0]);
    if (lets_pass(&t->device->session, c.queues[queues - 1])) {
        crowd_enqueue(&c, 1, queues - 1, &done);
        clFlush(c.queues[queues - 1]);
        crowd_await(&c, done, 60);
        crowd_check(&c, 1);
        clReleaseEvent(done);
    } else {
        note(t->device, "no command passes a held one, %u queues", queues);
        tally_fact(t, queues == 1, "on a queue of its own");
    }
    clSetUserEventStatus(gate, CL_COMPLETE);
    clReleaseEvent(gate);
    crowd_close(&c);
}

START_TEST(commands_of_others_hold_nothing_up)
{
    struct tally t = tally_of(_i);
    const char *variant = small_parts(_i);
    run_beside(&t, variant, 2, 0);
    run_beside(&t, variant, 1, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    tally_end(&t);
}
END_TEST

/* The first engine of a context goes while its launch waits; the second one's waits for
 * that. */
START_TEST(turns_outlast_engines)
{
    struct tally t = tally_of(_i);
    const char *variant = small_parts(_i);
    struct device own = *t.device;
    struct tally of_own = t;
    struct session *s = &own.session;
    struct crowd first, second;
    cl_event before = NULL, after = NULL;
    cl_int status = CL_COMPLETE;
    of_own.device = &own;
    s->busy = NULL; /* the other session's */
    s->context = clCreateContext(NULL, 1, &s->info.device, NULL, NULL, NULL);
    ck_assert(s->context &&
              clsm_engine_create(s->context, s->info.device, &s->engine) == CLSM_OK);
    s->queue = clCreateCommandQueue(s->context, s->info.device, 0, NULL);
    ck_assert(s->queue && crowd_open(&of_own, variant, 1, 0, &first));
    cl_event gate = shut(s, first.queues[0]);
    crowd_enqueue(&first, 0, 0, &before);
    clFlush(first.queues[0]);
    for (unsigned k = 0; k < CROWD_PLANS; k++) {
        clsm_plan_destroy(first.plans[k]);
        first.plans[k] = NULL;
    }
    clsm_engine_destroy(s->engine);
    ck_assert_int_eq(clsm_engine_create(s->context, s->info.device, &s->engine),
                     CLSM_OK);
    ck_assert(crowd_open(&of_own, variant, 1, 0, &second));
    crowd_enqueue(&second, 0, 0, &after);
    clFlush(second.queues[0]);
    nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
    clGetEventInfo(after, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                   NULL);
    tally_fact(&of_own, status > CL_COMPLETE, "done before the first one, status %d",
               status);
    clSetUserEventStatus(gate, CL_COMPLETE);
    crowd_await(&first, before, 60);
    crowd_await(&second, after, 60);
    crowd_check(&first, 0);
    crowd_check(&second, 0);
    clReleaseEvent(gate);
    clReleaseEvent(before);
    clReleaseEvent(after);
    crowd_close(&first);
    crowd_close(&second);
    session_close(s);
    of_own.device = t.device;
    tally_end(&of_own);
}
END_TEST

void turns_suite(Suite *suite, int device)
{
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        const char *name = clsm_variants[v].name;
        if (clsm_variants[v].geometry != ROW_PER_GROUPS)
            continue;
        clsm_problem p = shared_problem(name, CLSM_SOFTMAX, CLSM_F32, 3, 9000);
        int index = device + MAX_DEVICES * (int)v;
        if (!can_serve(&devices[device], v, &p)) {
            note(&devices[device], "variant %s does not run here", name);
            continue;
        }
        add_test(suite, index, name, launches_in_flight_on_some_queues_do_not_meet);
        add_test(suite, index, name, threads_with_a_queue_each_share_the_memory);
        add_test(suite, index, name, engines_of_a_context_take_turns);
        add_test(suite, index, name, commands_of_others_hold_nothing_up);
        add_test(suite, index, name, turns_outlast_engines);
    }
}
