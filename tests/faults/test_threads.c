/* SPDX-License-Identifier: MIT */
/*
 * Facts about many threads on one engine and one plan, on every device: no thread's
 * arguments reach another's launch, and what several need at once is built once.
 */
#include "crew.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_DEVICES = 32 };

static clsm_device_info devices[MAX_DEVICES];
static unsigned device_count;

/* What all threads of a test share. */
static cl_context context;
static cl_device_id device;
static clsm_engine *engine;
static clsm_plan *plan;

static void problem_of(int kind, clsm_problem *problem)
{
    clsm_problem_init(problem, kind % 2 ? CLSM_LOG_SOFTMAX : CLSM_SOFTMAX, CLSM_F32,
                      ROWS, COLS);
    problem->nonfinite = kind / 2 % 2 ? CLSM_NONFINITE_LIMIT : CLSM_NONFINITE_DEFAULT;
}

static void *enqueue_shared(void *data)
{
    clsm_problem problem;
    problem_of(0, &problem);
    crew_meet();
    crew_use(data, context, device, plan, &problem);
    return NULL;
}

static void *create_same(void *data)
{
    struct worker *w = data;
    clsm_problem problem;
    problem_of(1, &problem);
    crew_meet();
    if (clsm_plan_create(engine, &problem, &w->plan) != CLSM_OK)
        snprintf(w->error, sizeof w->error, "%.250s", clsm_last_message());
    return NULL;
}

/* Eight problems that share no program. */
static void *create_different(void *data)
{
    struct worker *w = data;
    clsm_problem problem;
    problem_of(w->number, &problem);
    problem.y_type = w->number / 4 ? CLSM_F16 : CLSM_F32;
    crew_meet();
    if (clsm_plan_create(engine, &problem, &w->plan) != CLSM_OK)
        snprintf(w->error, sizeof w->error, "%.250s", clsm_last_message());
    return NULL;
}

/* Four problems among eight threads, each with an engine for a while of its own. */
static void *create_use_and_destroy(void *data)
{
    struct worker *w = data;
    clsm_problem problem;
    clsm_engine *own = NULL;
    clsm_plan *mine = NULL;
    problem_of(w->number, &problem);
    crew_meet();
    if (clsm_engine_create(context, device, &own) != CLSM_OK ||
        clsm_plan_create(w->number < 4 ? engine : own, &problem, &mine) != CLSM_OK)
        snprintf(w->error, sizeof w->error, "%.250s", clsm_last_message());
    clsm_engine_destroy(own);
    if (mine)
        crew_use(w, context, device, mine, &problem);
    clsm_plan_destroy(mine);
    return NULL;
}

static void open_device(int i)
{
    cl_int error;
    device = devices[i].device;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    ck_assert_ptr_nonnull(context);
    ck_assert_int_eq(clsm_engine_create(context, device, &engine), CLSM_OK);
}

static void close_device(void)
{
    clsm_engine_destroy(engine);
    ck_assert_int_eq(clReleaseContext(context), CL_SUCCESS);
}

START_TEST(eight_threads_share_one_plan)
{
    clsm_problem problem;
    open_device(_i);
    problem_of(0, &problem);
    ck_assert_int_eq(clsm_plan_create(engine, &problem, &plan), CLSM_OK);
    crew_run(enqueue_shared);
    clsm_plan_destroy(plan);
    close_device();
}
END_TEST

/* All threads make a plan on a new engine, which takes so many programs. */
static void builds_are(void *(*create)(void *), unsigned programs)
{
    clsm_counters before = {.struct_bytes = sizeof before}, after = before;
    ck_assert_int_eq(clsm_get_counters(&before), CLSM_OK);
    crew_run(create);
    ck_assert_int_eq(clsm_get_counters(&after), CLSM_OK);
    ck_assert_uint_eq(after.builds, before.builds + programs);
    ck_assert_uint_eq(after.programs, before.programs + programs);
}

START_TEST(eight_threads_that_need_one_program_build_it_once)
{
    open_device(_i);
    builds_are(create_same, 1);
    for (int i = 0; i < THREADS; i++)
        clsm_plan_destroy(workers[i].plan);
    close_device();
}
END_TEST

START_TEST(eight_threads_that_need_eight_programs_build_each_once)
{
    clsm_problem problem;
    open_device(_i);
    builds_are(create_different, THREADS);
    for (int i = 0; i < THREADS; i++)
        clsm_plan_destroy(workers[i].plan);
    builds_are(create_different, 0); /* they are all there now */
    for (int i = 0; i < 4; i++) {
        problem_of(i, &problem);
        crew_use(&workers[i], context, device, workers[i].plan, &problem);
        ck_assert_msg(!workers[i].error[0], "plan %d: %s", i, workers[i].error);
    }
    for (int i = 0; i < THREADS; i++)
        clsm_plan_destroy(workers[i].plan);
    close_device();
}
END_TEST

START_TEST(eight_threads_make_use_and_destroy_what_they_like)
{
    open_device(_i);
    crew_run(create_use_and_destroy);
    close_device();
}
END_TEST

static Suite *threads_suite(void)
{
    Suite *suite = suite_create("threads");
    TCase *c = tcase_create("threads");
    const int all = (int)device_count;
    tcase_set_timeout(c, 0);
    tcase_add_loop_test(c, eight_threads_share_one_plan, 0, all);
    tcase_add_loop_test(c, eight_threads_that_need_one_program_build_it_once, 0, all);
    tcase_add_loop_test(c, eight_threads_that_need_eight_programs_build_each_once, 0,
                        all);
    tcase_add_loop_test(c, eight_threads_make_use_and_destroy_what_they_like, 0, all);
    suite_add_tcase(suite, c);
    return suite;
}

int main(void)
{
    unsigned count = 0;
    clsm_device_count(&count);
    for (unsigned i = 0; i < count && device_count < MAX_DEVICES; i++) {
        clsm_device_info *one = &devices[device_count];
        one->struct_bytes = sizeof *one;
        device_count += clsm_device_get(i, one) == CLSM_OK && one->score > 0;
    }
    if (!device_count) {
        printf("1..0 # SKIP no OpenCL device\n");
        return 0;
    }
    setenv("CLSM_CACHE", "off", 1); /* so that each engine builds */
    SRunner *runner = srunner_create(threads_suite());
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
