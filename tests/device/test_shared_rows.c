/* SPDX-License-Identifier: MIT */
/* Rows that work-groups share, in one launch or several: whatever runs beside them, and
 * however many there are, results are as if each row were alone. */
#include "crowd.h"

#include <stdlib.h>
#include <string.h>

/* Records of a launch, so that few rows take several. */
enum { RECORDS = 8192 };

static void set_records(const struct tally *t, size_t records)
{
    struct shared *shared = t->device->session.engine->shared;
    pthread_mutex_lock(&shared->lock);
    shared->records = records;
    pthread_mutex_unlock(&shared->lock);
}

/* The shortest rows that it takes, and rows that need as many records as `records`. */
static clsm_problem short_rows(int index, size_t records, size_t cols)
{
    bool two_parts = !clsm_variants[index / MAX_DEVICES].launches;
    return shared_problem(small_parts(index), CLSM_SOFTMAX, CLSM_F32,
                          two_parts ? records / 2 + 1 : records,
                          two_parts ? 4 * 128 + cols : cols);
}

/* More rows than there are records for: the trial runs twice and compares the bits. */
START_TEST(rows_beyond_the_records_take_several_launches)
{
    struct tally t = tally_of(_i);
    struct trial trial = {.mixed = true, .seed = 5};
    set_records(&t, RECORDS);
    trial.problem = short_rows(_i, RECORDS + 77, 9);
    tally_trial(&t, &trial, NULL);
    trial.in_place = true;
    trial.problem = short_rows(_i, 2 * RECORDS + 1, 9);
    tally_trial(&t, &trial, NULL);
    if (!(t.device->session.engine->traits.bits & TRAIT_CPU)) { /* 4 parts of f16 */
        trial.problem = shared_problem(small_parts(_i), CLSM_SOFTMAX, CLSM_F16,
                                       RECORDS / 4 + 9, 4100);
        tally_trial(&t, &trial, NULL);
    }
    set_records(&t, SHARED_RECORDS);
    tally_end(&t);
}
END_TEST

/* The last rows are there when the event is, read on a queue that waits for nothing
 * else. */
START_TEST(event_and_wait_list_embrace_all_launches)
{
    struct tally t = tally_of(_i);
    const struct session *s = &t.device->session;
    clsm_problem p = short_rows(_i, 2 * RECORDS + 3, 5);
    size_t n = elements_of(&p), bytes = n * sizeof(float);
    float *x = malloc(bytes), *y = malloc(bytes);
    clsm_report report = {.struct_bytes = sizeof report};
    clsm_plan *plan = NULL;
    cl_event gate = clCreateUserEvent(s->context, NULL), done = NULL;
    cl_command_queue other = clCreateCommandQueue(s->context, s->info.device, 0, NULL);
    ck_assert(gate && other && x && y);
    input_fill(INPUT_NORMAL, 4, CLSM_F32, x, 0, 1, n);
    cl_mem bx = session_buffer(s, bytes, x), by = session_buffer(s, bytes, NULL);
    ck_assert(bx && by);
    tally_ok(&t, clsm_plan_create(s->engine, &p, &plan), "plan");
    set_records(&t, RECORDS);
    tally_ok(&t, clsm_enqueue(plan, s->queue, bx, 0, by, 0, 1, &gate, &done), "gated");
    set_records(&t, SHARED_RECORDS);
    clFlush(s->queue);
    cl_int status = CL_COMPLETE;
    clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                   NULL);
    tally_fact(&t, status != CL_COMPLETE, "done before its wait list");
    clSetUserEventStatus(gate, CL_COMPLETE);
    clEnqueueReadBuffer(other, by, CL_TRUE, 0, bytes, y, 1, &done, NULL);
    tally_ok(&t, clsm_check(&p, x, y, &report), "check");
    tally_fact(&t, report.pass, "%.3g x the bound", report.worst);
    clReleaseEvent(gate);
    clReleaseEvent(done);
    clReleaseMemObject(bx);
    clReleaseMemObject(by);
    clReleaseCommandQueue(other);
    clsm_plan_destroy(plan);
    free(x);
    free(y);
    tally_end(&t);
}
END_TEST

static void set_epoch(const struct tally *t, cl_uint epoch)
{
    struct shared *shared = t->device->session.engine->shared;
    pthread_mutex_lock(&shared->lock);
    shared->epoch = epoch;
    pthread_mutex_unlock(&shared->lock);
}

/* Epochs only rise, so a number left by an earlier launch is never a later one's. */
START_TEST(numbers_of_launches_start_again_after_the_last)
{
    struct tally t = tally_of(_i);
    struct crowd c;
    ck_assert(crowd_open(&t, small_parts(_i), 2, 0, &c));
    for (unsigned i = 0; i < CROWD; i++) {
        if (i % 4 == 0) {
            crowd_finish(&c);
            set_epoch(&t, UINT32_MAX - 1 - i / 4);
        }
        crowd_enqueue(&c, i, i / 2 % 2, NULL);
    }
    crowd_finish(&c);
    tally_fact(&t, t.device->session.engine->shared->epoch < UINT32_MAX / 2,
               "it never started again");
    for (unsigned i = 0; i < CROWD; i++)
        crowd_check(&c, i);
    crowd_close(&c);
    tally_end(&t);
}
END_TEST

enum { LONG_COLS = 20011, MOST_ROWS = 40 };

/* One row's bits, alone and among `rows`, by deterministic plans for so many; their
 * count. */
static size_t run_rows(struct tally *t, const char *variant, size_t rows, float *y)
{
    static float x[MOST_ROWS * (LONG_COLS + 1)];
    const struct session *s = &t->device->session;
    clsm_problem p = shared_problem(variant, CLSM_SOFTMAX, CLSM_F32, rows, LONG_COLS);
    clsm_plan *plan = NULL;
    size_t row = p.cols * p.inner, bytes = row * sizeof *x;
    p.flags = CLSM_DETERMINISTIC;
    for (size_t r = 0; r < rows; r++)
        input_fill(INPUT_NORMAL, r == rows - 1 ? 1 : 9 + r, CLSM_F32, x, r * row, 1,
                   row);
    cl_mem b = session_buffer(s, rows * bytes, x);
    ck_assert(b);
    if (tally_ok(t, clsm_plan_create(s->engine, &p, &plan), "plan"))
        tally_ok(t, clsm_enqueue(plan, s->queue, b, 0, b, 0, 0, NULL, NULL), "enqueue");
    clEnqueueReadBuffer(s->queue, b, CL_TRUE, (rows - 1) * bytes, bytes, y, 0, NULL,
                        NULL);
    clReleaseMemObject(b);
    clsm_plan_destroy(plan);
    return bytes;
}

START_TEST(bits_of_a_shared_row_do_not_depend_on_how_many_there_are)
{
    static const size_t counts[] = {1, 2, 7, MOST_ROWS};
    static float alone[LONG_COLS + 1], y[LONG_COLS + 1];
    struct tally t = tally_of(_i);
    size_t bytes = run_rows(&t, small_parts(_i), 1, alone);
    for (size_t k = 0; k < COUNT(counts); k++) {
        run_rows(&t, small_parts(_i), counts[k], y);
        tally_fact(&t, !memcmp(alone, y, bytes), "other bits as the last of %zu",
                   counts[k]);
    }
    tally_end(&t);
}
END_TEST

/* Long kernels that leave no room now and then: work-groups that wait still end. */
START_TEST(work_groups_that_wait_end_on_a_busy_device)
{
    struct tally t = tally_of(_i);
    const struct session *s = &t.device->session;
    bool cpu = s->engine->traits.bits & TRAIT_CPU;
    clsm_problem load =
        problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, cpu ? 64 : 4096, 8192);
    clsm_plan *plan = NULL;
    struct crowd c;
    ck_assert(crowd_open(&t, small_parts(_i), 2, 0, &c));
    load.variant = "online";
    cl_mem b = session_buffer(s, load.rows * load.cols * sizeof(float), NULL);
    cl_event done = NULL;
    ck_assert(b);
    tally_ok(&t, clsm_plan_create(s->engine, &load, &plan), "load");
    for (unsigned i = 0; plan && i < CROWD; i++) {
        for (unsigned k = 0; k < (cpu ? 1 : 8); k++)
            tally_ok(&t, clsm_enqueue(plan, s->queue, b, 0, b, 0, 0, NULL, NULL),
                     "load");
        crowd_enqueue(&c, i, i % 2, i == CROWD - 1 ? &done : NULL);
        clFlush(s->queue);
        clFlush(c.queues[i % 2]);
    }
    if (done) {
        crowd_await(&c, done, 60);
        clReleaseEvent(done);
    }
    clFinish(s->queue);
    for (unsigned i = 0; i < CROWD; i++)
        crowd_check(&c, i);
    clReleaseMemObject(b);
    clsm_plan_destroy(plan);
    crowd_close(&c);
    tally_end(&t);
}
END_TEST

/* A few work-groups that begin long before the others wait for them, and hold nothing
 * back that these wait for. */
START_TEST(a_few_work_groups_by_themselves_hold_nothing_back)
{
    enum { UNIT_ITEMS = 2048 };
    struct tally t = tally_of(_i);
    const struct session *s = &t.device->session;
    const struct traits *traits = &s->engine->traits;
    size_t local = traits->max_wg;
    size_t global = traits->compute_units * (size_t)UNIT_ITEMS / local * local;
    struct crowd c;
    ck_assert(crowd_open(&t, small_parts(_i), 2, 0, &c));
    cl_mem out = session_buffer(s, local * sizeof(float), NULL);
    ck_assert(out);
    cl_kernel kernel = crowd_filler(s, out);
    for (unsigned i = 0; i < CROWD; i++) {
        cl_event done = NULL;
        clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, &local, 0, NULL,
                               NULL);
        clFlush(s->queue);
        crowd_enqueue(&c, i, i % 2, &done);
        clFlush(c.queues[i % 2]);
        crowd_await(&c, done, 60);
        clReleaseEvent(done);
        clFinish(s->queue);
    }
    for (unsigned i = 0; i < CROWD; i++)
        crowd_check(&c, i);
    clReleaseKernel(kernel);
    clReleaseMemObject(out);
    crowd_close(&c);
    tally_end(&t);
}
END_TEST

static void add_all(Suite *suite, int index, const char *name)
{
    add_test(suite, index, name, rows_beyond_the_records_take_several_launches);
    add_test(suite, index, name, event_and_wait_list_embrace_all_launches);
    add_test(suite, index, name, numbers_of_launches_start_again_after_the_last);
    add_test(suite, index, name,
             bits_of_a_shared_row_do_not_depend_on_how_many_there_are);
    add_test(suite, index, name, work_groups_that_wait_end_on_a_busy_device);
    if (clsm_variants[index / MAX_DEVICES].needs & TRAIT_WAIT)
        add_test(suite, index, name, a_few_work_groups_by_themselves_hold_nothing_back);
}

void shared_rows_suite(Suite *suite, int device)
{
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        if (clsm_variants[v].geometry != ROW_PER_GROUPS)
            continue;
        clsm_problem p =
            shared_problem(clsm_variants[v].name, CLSM_SOFTMAX, CLSM_F32, 3, LONG_COLS);
        if (can_serve(&devices[device], v, &p))
            add_all(suite, device + MAX_DEVICES * (int)v, clsm_variants[v].name);
        else
            note(&devices[device], "variant %s does not run here",
                 clsm_variants[v].name);
    }
}
