/* SPDX-License-Identifier: MIT */
/* Many threads at once on one engine and one plan, each with a queue of its own; and
 * threads that ask for the same program at the same time, which is then built once. */
#include "tally.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 6, ROUNDS = 40, ROWS = 9, COLS = 101, ELEMENTS = ROWS * COLS };

struct worker {
    const struct session *session;
    clsm_plan *plan; /* of all threads; NULL: make one each round */
    clsm_problem problem;
    uint64_t seed;
    char complaint[256]; /* "" if all went well */
};

/* One round with this thread's own data and buffers, compared. */
static void run_round(struct worker *w, cl_command_queue queue, clsm_plan *plan)
{
    float x[ELEMENTS], y[ELEMENTS];
    clsm_report report = {.struct_bytes = sizeof report};
    input_fill(INPUT_NORMAL, w->seed++, CLSM_F32, x, 0, 1, ELEMENTS);
    cl_mem bx = session_buffer(w->session, sizeof x, x);
    cl_mem by = session_buffer(w->session, sizeof y, NULL);
    cl_event done = NULL;
    clsm_status status = clsm_enqueue(plan, queue, bx, 0, by, 0, 0, NULL, &done);
    if (status == CLSM_OK)
        clEnqueueReadBuffer(queue, by, CL_TRUE, 0, sizeof y, y, 1, &done, NULL);
    if (status == CLSM_OK)
        status = clsm_check(&w->problem, x, y, &report);
    if (status != CLSM_OK)
        snprintf(w->complaint, sizeof w->complaint, "%s: %.200s",
                 clsm_status_name(status), clsm_last_message());
    else if (!report.pass)
        snprintf(w->complaint, sizeof w->complaint, "%.3g x the bound", report.worst);
    if (done)
        clReleaseEvent(done);
    clReleaseMemObject(bx);
    clReleaseMemObject(by);
}

/* A failing call beside the others: its message must be this thread's own. */
static void fail_once(struct worker *w)
{
    char wish[32], *message = w->complaint;
    clsm_problem p = w->problem;
    clsm_plan *none;
    snprintf(wish, sizeof wish, "nonsense-%llu", (unsigned long long)w->seed);
    p.variant = wish;
    if (clsm_plan_create(w->session->engine, &p, &none) != CLSM_ERR_VARIANT ||
        !strstr(clsm_last_message(), wish))
        snprintf(message, sizeof w->complaint, "another thread's message: %.200s",
                 clsm_last_message());
}

static void *work(void *argument)
{
    struct worker *w = argument;
    cl_command_queue queue =
        clCreateCommandQueue(w->session->context, w->session->info.device, 0, NULL);
    for (int i = 0; queue && i < ROUNDS && !w->complaint[0]; i++) {
        clsm_plan *plan = w->plan;
        clsm_status status =
            plan ? CLSM_OK : clsm_plan_create(w->session->engine, &w->problem, &plan);
        if (status == CLSM_OK)
            run_round(w, queue, plan);
        else
            snprintf(w->complaint, sizeof w->complaint, "%.200s", clsm_last_message());
        if (!w->plan)
            clsm_plan_destroy(plan);
        if (!w->complaint[0])
            fail_once(w);
    }
    if (!queue)
        snprintf(w->complaint, sizeof w->complaint, "no queue");
    else
        clReleaseCommandQueue(queue);
    return NULL;
}

static void run_threads(struct tally *t, clsm_plan *plan, const clsm_problem *p)
{
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] =
            (struct worker){&t->device->session, plan, *p, 1 + 1000 * (uint64_t)i, ""};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        tally_fact(t, !workers[i].complaint[0], "thread %d: %s", i,
                   workers[i].complaint);
}

START_TEST(one_plan_serves_many_threads)
{
    struct tally t = tally_of(_i);
    clsm_problem p = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, ROWS, COLS);
    clsm_plan *plan = NULL;
    if (tally_ok(&t, clsm_plan_create(t.device->session.engine, &p, &plan), "plan"))
        run_threads(&t, plan, &p);
    clsm_plan_destroy(plan);
    tally_end(&t);
}
END_TEST

/* On a fresh engine, so that all want the one program that is not there yet. */
START_TEST(many_threads_build_a_program_once)
{
    struct tally t = tally_of(_i);
    struct device fresh = *t.device;
    struct tally all = t;
    clsm_counters before = {.struct_bytes = sizeof before}, after = before;
    clsm_problem p = problem_of(CLSM_LOG_SOFTMAX, CLSM_F32, CLSM_F32, ROWS, COLS);
    all.device = &fresh;
    fresh.session.engine = NULL;
    if (tally_ok(&all,
                 clsm_engine_create(fresh.session.context, fresh.session.info.device,
                                    &fresh.session.engine),
                 "engine")) {
        clsm_get_counters(&before);
        run_threads(&all, NULL, &p);
        clsm_get_counters(&after);
        tally_fact(&all, after.programs - before.programs == 1, "%llu programs",
                   (unsigned long long)(after.programs - before.programs));
    }
    clsm_engine_destroy(fresh.session.engine);
    tally_end(&all);
}
END_TEST

void threads_suite(Suite *suite, int device)
{
    add_test(suite, device, NULL, one_plan_serves_many_threads);
    add_test(suite, device, NULL, many_threads_build_a_program_once);
}
