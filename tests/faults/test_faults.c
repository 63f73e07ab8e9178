/* SPDX-License-Identifier: MIT */
/*
 * Facts about the library when OpenCL calls fail: each of its calls in turn, on one
 * device, with the disk cache off, cold and warm. It must say what failed or go on
 * without it, and in the end hold no object.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp() */

#include "rig.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64]; /* of the disk cache */

static void empty_folder(void)
{
    DIR *dir = opendir(folder);
    for (struct dirent *d; dir && (d = readdir(dir));)
        if (d->d_name[0] != '.')
            unlinkat(dirfd(dir), d->d_name, 0);
    if (dir)
        closedir(dir);
}

static void set_up(void)
{
    strcpy(folder, "/tmp/clsm_faults_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("CLSM_CACHE", "off", 1);
    setenv("CLSM_CACHE_DIR", folder, 1);
    setenv("CLSM_SUBGROUPS", "local", 1); /* an engine probes lanes on every device */
    unsetenv("CLSM_VARIANT");
    rig_ask(NULL, 1);
    rig_reset();
}

static void tear_down(void)
{
    rig_reset();
    empty_folder();
    rmdir(folder);
}

#define SPLIT "split:WG=128,PACKS=4"

enum cached { OFF, COLD, WARM };

/* "split" takes three launches, and memory that all plans of an engine share in turn.
 */
static const struct {
    enum cached cache;
    cl_int error;
    const char *variant;
    unsigned queues;
} sweeps[] = {
    {OFF, CL_OUT_OF_RESOURCES, NULL, 1},   {OFF, CL_OUT_OF_HOST_MEMORY, NULL, 1},
    {COLD, CL_OUT_OF_RESOURCES, NULL, 1},  {WARM, CL_INVALID_BINARY, NULL, 1},
    {WARM, CL_OUT_OF_RESOURCES, SPLIT, 1}, {WARM, CL_OUT_OF_HOST_MEMORY, SPLIT, 2},
};

static unsigned job(enum cached cache, unsigned fail_at, cl_int error)
{
    if (cache != OFF)
        unsetenv("CLSM_CACHE");
    if (cache == COLD)
        empty_folder();
    rig_reset();
    rig_fail(NULL, fail_at, error);
    return rig_job();
}

START_TEST(a_run_without_faults_holds_nothing_in_the_end)
{
    rig_ask(sweeps[_i].variant, sweeps[_i].queues);
    ck_assert_uint_gt(job(sweeps[_i].cache, 0, CL_SUCCESS), 20);
    ck_assert_ptr_null(layer->failed);
}
END_TEST

START_TEST(whichever_call_fails_is_told_or_survived)
{
    enum cached cache = sweeps[_i].cache;
    rig_ask(sweeps[_i].variant, sweeps[_i].queues);
    unsigned calls = job(cache, 0, CL_SUCCESS);
    if (cache == WARM)
        calls = job(cache, 0, CL_SUCCESS); /* the first one filled the cache */
    for (unsigned n = 1; n <= calls; n++) {
        job(cache, n, sweeps[_i].error);
        EXPECT(layer->failed, "call %u of %u was never made", n, calls);
    }
}
END_TEST

/* What only shared rows need; what a queue is asked is asked of every plan. */
START_TEST(each_call_for_shared_rows_is_made_and_may_fail)
{
    static const char *const names[] = {
        "clCreateBuffer",      "clFlush",
        "clGetEventInfo",      "clSetKernelArg",
        "clEnqueueFillBuffer", "clEnqueueNDRangeKernel",
        "clRetainEvent",       "clEnqueueBarrierWithWaitList"};
    const char *name = names[_i];
    setenv("CLSM_SUBGROUPS", "off", 1); /* a probe makes the same calls */
    rig_ask(SPLIT, 2);
    rig_reset();
    rig_fail(name, 0, CL_SUCCESS);
    unsigned calls = rig_job();
    ck_assert_uint_ge(calls, 1);
    for (unsigned n = 1; n <= calls; n++) {
        rig_reset();
        rig_fail(name, n, CL_INVALID_OPERATION);
        rig_job();
        ck_assert_str_eq(layer->failed, name);
    }
}
END_TEST

/* A plan without y says so to its kernel at once; another variant may do without a
 * fault.
 */
START_TEST(a_refused_argument_costs_a_plan_its_variant_only)
{
    clsm_engine *engine;
    clsm_problem without_y;
    clsm_plan *plan;
    clsm_problem_init(&without_y, CLSM_STATISTICS, CLSM_F32, 5, 37);
    ck_assert_int_eq(rig_engine(&engine), CLSM_OK);
    for (unsigned refused = 0; refused < 2; refused++) {
        rig_reset();
        rig_fail("clSetKernelArg", refused, CL_INVALID_ARG_VALUE);
        layer->watching = true;
        ck_assert_int_eq(clsm_plan_create(engine, &without_y, &plan), CLSM_OK);
        layer->watching = false;
        ck_assert_uint_eq(layer->calls, refused + 1);
        clsm_plan_destroy(plan);
    }
    clsm_engine_destroy(engine);
}
END_TEST

START_TEST(the_disk_cache_is_warm_after_a_fault)
{
    clsm_counters before = {.struct_bytes = sizeof before}, after = before;
    job(COLD, 0, CL_SUCCESS);
    rig_reset();
    rig_fail("clCreateProgramWithBinary", 1, CL_INVALID_BINARY);
    rig_job(); /* builds what it could not load, and stores it anew */
    ck_assert_str_eq(layer->failed, "clCreateProgramWithBinary");
    ck_assert_int_eq(clsm_get_counters(&before), CLSM_OK);
    job(WARM, 0, CL_SUCCESS);
    ck_assert_int_eq(clsm_get_counters(&after), CLSM_OK);
    ck_assert_uint_eq(after.builds, before.builds);
    ck_assert_uint_eq(after.disk_hits, before.disk_hits + 2); /* probe and kernel */
}
END_TEST

START_TEST(a_variant_that_does_not_build_gives_way_to_the_next)
{
    clsm_engine *engine;
    clsm_plan *plan;
    cl_event done;
    ck_assert_int_eq(rig_engine(&engine), CLSM_OK);
    rig_fail("clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE);
    ck_assert_int_eq(rig_plan(engine, &plan), CLSM_OK);
    ck_assert_uint_eq(layer->calls, 2);
    const char *text = rig_explain(plan);
    ck_assert_msg(strstr(text, "the first of 1 candidates before it failed"), "%s",
                  text);
    ck_assert_msg(strstr(text, "CL_BUILD_PROGRAM_FAILURE (-11)"), "%s", text);
    ck_assert_int_eq(rig_enqueue(plan, 0, NULL, &done), CLSM_OK);
    rig_check(done);
    rig_destroy(engine, plan);
}
END_TEST

START_TEST(if_no_variant_builds_the_message_holds_the_log)
{
    char log[2000];
    clsm_engine *engine;
    clsm_plan *plan;
    ck_assert_int_eq(rig_engine(&engine), CLSM_OK);
    snprintf(log, sizeof log, "a.cl:1:%1900d\nb.cl:7: the last of the errors", 2);
    rig_fail("clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE);
    layer->and_after = true;
    layer->error_after = CL_OUT_OF_RESOURCES; /* the first one is what is told */
    layer->log = log;
    ck_assert_int_eq(rig_plan(engine, &plan), CLSM_ERR_BUILD);
    ck_assert_ptr_null(plan);
    ck_assert_int_eq(clsm_last_cl_error(), CL_BUILD_PROGRAM_FAILURE);
    const char *message = clsm_last_message();
    ck_assert_ptr_nonnull(strstr(message, "clBuildProgram failed"));
    ck_assert_msg(strstr(message, log), "no whole log in %zu bytes", strlen(message));
    ck_assert_uint_gt(layer->calls, 5); /* it tried them all */
    rig_reset();
    ck_assert_int_eq(rig_plan(engine, &plan), CLSM_OK);
    rig_destroy(engine, plan);
}
END_TEST

START_TEST(lanes_that_fail_their_probe_are_not_used)
{
    static const char *const calls[] = {
        "clBuildProgram", "clCreateKernel",         "clCreateCommandQueue",
        "clCreateBuffer", "clEnqueueNDRangeKernel", "clEnqueueReadBuffer"};
    clsm_engine *engine;
    clsm_plan *plan;
    rig_fail(calls[_i], 1, CL_OUT_OF_RESOURCES);
    ck_assert_int_eq(rig_engine(&engine), CLSM_OK);
    ck_assert_str_eq(layer->failed, calls[_i]);
    rig_reset();
    ck_assert_int_eq(rig_plan(engine, &plan), CLSM_OK);
    const char *text = rig_explain(plan);
    ck_assert_msg(strstr(text, "lanes     none"), "%s", text);
    rig_destroy(engine, plan);
}
END_TEST

static unsigned ask_devices(void)
{
    unsigned count = 0;
    clsm_device_info info = {.struct_bytes = sizeof info};
    layer->watching = true;
    ck_assert_int_eq(clsm_device_count(&count), CLSM_OK);
    clsm_status get = clsm_device_get(0, &info);
    bool told = get == CLSM_OK || *clsm_last_message();
    clsm_status find = clsm_device_find(NULL, &info);
    told = told && (find == CLSM_OK || *clsm_last_message());
    layer->watching = false;
    EXPECT(told, "call %u, %s, failed without a message", layer->fail_at,
           layer->failed);
    EXPECT(layer->failed || (count && get == CLSM_OK && find == CLSM_OK), "%s",
           clsm_last_message());
    return layer->calls;
}

START_TEST(listing_devices_survives_whichever_query_fails)
{
    unsigned calls = ask_devices();
    ck_assert_uint_gt(calls, 20);
    for (unsigned n = 1; n <= calls; n++) {
        rig_fail(NULL, n, CL_OUT_OF_RESOURCES);
        ask_devices();
        EXPECT(layer->failed, "call %u of %u was never made", n, calls);
    }
}
END_TEST

static Suite *faults_suite(void)
{
    Suite *suite = suite_create("faults");
    TCase *c = tcase_create("faults");
    const int all = (int)(sizeof sweeps / sizeof *sweeps);
    tcase_set_timeout(c, 0);
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_add_loop_test(c, a_run_without_faults_holds_nothing_in_the_end, 0, all);
    tcase_add_loop_test(c, whichever_call_fails_is_told_or_survived, 0, all);
    tcase_add_loop_test(c, each_call_for_shared_rows_is_made_and_may_fail, 0, 8);
    tcase_add_test(c, a_refused_argument_costs_a_plan_its_variant_only);
    tcase_add_test(c, the_disk_cache_is_warm_after_a_fault);
    tcase_add_test(c, a_variant_that_does_not_build_gives_way_to_the_next);
    tcase_add_test(c, if_no_variant_builds_the_message_holds_the_log);
    tcase_add_loop_test(c, lanes_that_fail_their_probe_are_not_used, 0, 6);
    tcase_add_test(c, listing_devices_survives_whichever_query_fails);
    suite_add_tcase(suite, c);
    return suite;
}

int main(void)
{
    const char *why = rig_open();
    if (why) {
        printf("1..0 # SKIP %s\n", why);
        return 0;
    }
    SRunner *runner = srunner_create(faults_suite());
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    rig_close();
    return failed != 0;
}
