/* SPDX-License-Identifier: MIT */
/* What each of the eight threads does with a plan, and starting them. */
#include "crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct worker workers[THREADS];
static atomic_int waiting;

/* Unless the condition holds: keep the complaint and return. */
#define NEEDS(worker, condition, ...)                                                  \
    do {                                                                               \
        if (!(condition)) {                                                            \
            snprintf((worker)->error, sizeof(worker)->error, __VA_ARGS__);             \
            return;                                                                    \
        }                                                                              \
    } while (0)

void crew_meet(void)
{
    atomic_fetch_sub(&waiting, 1);
    while (atomic_load(&waiting) > 0)
        sched_yield();
}

void crew_run(void *(*work)(void *))
{
    pthread_t threads[THREADS];
    atomic_store(&waiting, THREADS);
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        workers[i].error[0] = 0;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        ck_assert_msg(!workers[i].error[0], "thread %d: %s", i, workers[i].error);
}

static void check_all(struct worker *w, const clsm_problem *problem)
{
    for (int i = 0; i < LAUNCHES; i++) {
        clsm_report report = {.struct_bytes = sizeof report};
        int at = i * STEP + i % 5;
        clsm_status status = clsm_check(problem, w->in + at, w->out + at, &report);
        NEEDS(w, status == CLSM_OK && report.pass,
              "launch %d: %llu elements wrong; (%zu, %zu) is %g, expected %g", i,
              (unsigned long long)report.failed, report.worst_row, report.worst_col,
              report.got, report.expected);
    }
}

/* A failure of this thread's own, with a number that no other thread has. */
static void fail_once(struct worker *w, clsm_plan *plan, cl_command_queue queue,
                      cl_mem x, cl_mem y)
{
    char words[32];
    size_t too_far = 1000000 + (size_t)w->number;
    snprintf(words, sizeof words, "x_offset %zu ", too_far);
    clsm_status status = clsm_enqueue(plan, queue, x, too_far, y, 0, 0, NULL, NULL);
    sched_yield();
    NEEDS(w, status == CLSM_ERR_BUFFER && strstr(clsm_last_message(), words),
          "not this thread's message: %s", clsm_last_message());
}

/* Launch after launch into one pair of buffers, each at its own offset. */
static void launch_all(struct worker *w, clsm_plan *plan, cl_command_queue queue,
                       cl_mem x, cl_mem y)
{
    for (int i = 0; i < LAUNCHES; i++) {
        size_t at = (size_t)(i * STEP + i % 5);
        clsm_status status = clsm_enqueue(plan, queue, x, at, y, at, 0, NULL, NULL);
        NEEDS(w, status == CLSM_OK, "launch %d: %s", i, clsm_last_message());
        fail_once(w, plan, queue, x, y);
    }
    cl_int error =
        clEnqueueReadBuffer(queue, y, CL_TRUE, 0, sizeof w->out, w->out, 0, NULL, NULL);
    NEEDS(w, error == CL_SUCCESS, "clEnqueueReadBuffer: %d", error);
}

/* One thread's queue and buffers, filled with its own numbers, around its launches. */
void crew_use(struct worker *w, cl_context context, cl_device_id device,
              clsm_plan *plan, const clsm_problem *problem)
{
    cl_int error;
    unsigned seed = (unsigned)w->number * 7919 + 1;
    for (int i = 0; i < ALL; i++) {
        seed = seed * 1664525 + 1013904223;
        w->in[i] = (float)(seed >> 8) * 0x1p-20f - 8;
    }
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    cl_mem x = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                              sizeof w->in, w->in, &error);
    cl_mem y = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof w->out, NULL, &error);
    if (queue && x && y)
        launch_all(w, plan, queue, x, y);
    else
        snprintf(w->error, sizeof w->error, "no queue or buffers: %d", error);
    if (!w->error[0])
        check_all(w, problem);
    if (x)
        clReleaseMemObject(x);
    if (y)
        clReleaseMemObject(y);
    if (queue)
        clReleaseCommandQueue(queue);
}
