/* SPDX-License-Identifier: MIT */
/* What an enqueue refuses of plan, shape, buffers' sizes, overlap and wait list: each
 * with its own status and a message that names argument, value and what was expected.
 */
#include "rig.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

START_TEST(missing_arguments_are_refused)
{
    struct tally t = tally_of(_i);
    struct rig rig = rig_open(&t, 0, CLSM_F32, CLSM_F32);
    REFUSES(&rig, CLSM_ERR_NULL, "plan", "NULL", c.plan = NULL);
    REFUSES(&rig, CLSM_ERR_NULL, "queue", "NULL", c.queue = NULL);
    REFUSES(&rig, CLSM_ERR_NULL, "args", "NULL", c.given = NULL);
    REFUSES(&rig, CLSM_ERR_NULL, "x", "NULL", c.args.x = NULL);
    REFUSES(&rig, CLSM_ERR_NULL, "y", "NULL", c.args.y = NULL);
    REFUSES(&rig, CLSM_ERR_STRUCT, "struct_bytes is 0", "clsm_args_init",
            c.args.struct_bytes = 0);
    REFUSES(&rig, CLSM_ERR_STRUCT, "struct_bytes is 8", "clsm_args_init",
            c.args.struct_bytes = 8);
    rig_close(&rig);
    tally_end(&t);
}
END_TEST

/* As a program hands them that was compiled before operands were added. */
START_TEST(shorter_arguments_are_served)
{
    struct tally t = tally_of(_i);
    struct rig rig = rig_open(&t, 0, CLSM_F32, CLSM_F32);
    struct call call = rig_call(&rig);
    call.given = &call.args;
    memset(call.args.operand, 0xff, sizeof call.args - offsetof(clsm_args, operand));
    call.args.struct_bytes = offsetof(clsm_args, operand);
    rig_serves(&rig, &call, "a shorter struct");
    tally_ok(&t,
             clsm_args_init_sized(rig.plan, &call.args, offsetof(clsm_args, operand)),
             "clsm_args_init_sized");
    tally_fact(&t, call.args.grad_scale != call.args.grad_scale,
               "wrote behind the shorter struct");
    rig_close(&rig);
    tally_end(&t);
}
END_TEST

START_TEST(short_form_refuses_the_same)
{
    struct tally t = tally_of(_i);
    struct rig rig = rig_open(&t, 0, CLSM_F32, CLSM_F32);
    cl_command_queue queue = rig.session->queue;
    cl_event done = (cl_event)&rig;
    clsm_status got = clsm_enqueue(NULL, queue, rig.x, 0, rig.y, 0, 0, NULL, &done);
    check_refusal(&t, got, CLSM_ERR_NULL, "clsm_enqueue: plan", "NULL", done, "plan");
    done = (cl_event)&rig;
    got = clsm_enqueue(rig.plan, NULL, rig.x, 0, rig.y, 0, 0, NULL, &done);
    check_refusal(&t, got, CLSM_ERR_NULL, "queue", "NULL", done, "queue");
    done = (cl_event)&rig;
    got = clsm_enqueue(rig.plan, queue, rig.x, 1, rig.y, 0, 0, NULL, &done);
    check_refusal(&t, got, CLSM_ERR_BUFFER, "x_offset 1", "expected", done, "x_offset");
    done = (cl_event)&rig;
    got = clsm_enqueue(rig.plan, queue, rig.x, 0, rig.y, SIZE_MAX, 0, NULL, &done);
    check_refusal(&t, got, CLSM_ERR_BUFFER, "y_offset", "expected", done, "y_offset");
    rig_close(&rig);
    tally_end(&t);
}
END_TEST

START_TEST(shapes_that_the_plan_is_not_for_are_refused)
{
    struct tally t = tally_of(_i);
    struct rig rig = rig_open(&t, 0, CLSM_F32, CLSM_F32);
    REFUSES(&rig, CLSM_ERR_SHAPE, "rows is 6", "expected the plan's 5",
            c.args.rows = 6);
    REFUSES(&rig, CLSM_ERR_SHAPE, "rows is 0", "expected the plan's 5",
            c.args.rows = 0);
    REFUSES(&rig, CLSM_ERR_SHAPE, "cols is 32", "expected the plan's 33",
            c.args.cols = 32);
    REFUSES(&rig, CLSM_ERR_SHAPE, "x_row_stride is 32", "expected at least",
            c.args.x_row_stride = 32);
    REFUSES(&rig, CLSM_ERR_SHAPE, "y_row_stride is 1", "expected at least",
            c.args.y_row_stride = 1);
    REFUSES(&rig, CLSM_ERR_SHAPE, "18446744073709551615", "do not fit in size_t",
            c.args.x_row_stride = SIZE_MAX);
    rig_close(&rig);
    tally_end(&t);
}
END_TEST

START_TEST(open_shapes_have_bounds)
{
    struct tally t = tally_of(_i);
    struct rig rig = rig_open(&t, CLSM_OPEN_ROWS | CLSM_OPEN_COLS, CLSM_F32, CLSM_F32);
    REFUSES(&rig, CLSM_ERR_SHAPE, "cols is 34", "expected at most the plan's 33",
            c.args.cols = 34);
    REFUSES(&rig, CLSM_ERR_BUFFER, "buffer x has 660 bytes", "extent 198",
            c.args.rows = 6);
    REFUSES(&rig, CLSM_ERR_SHAPE, "x: rows 4611686018427387904", "do not fit in size_t",
            c.args.rows = (size_t)1 << 62);
    REFUSES(&rig, CLSM_ERR_BUFFER, "buffer x has 660 bytes",
            "extent 2305843009213693952",
            (c.args.rows = (size_t)1 << 60, c.args.cols = 2));
    rig_close(&rig);
    tally_end(&t);
}
END_TEST

/* The buffers hold exactly the problem: one element more is too much. */
START_TEST(small_buffers_are_refused)
{
    struct tally t = tally_of(_i);
    struct rig rig = rig_open(&t, 0, CLSM_F32, CLSM_F32);
    cl_mem small = session_buffer(rig.session, RIG_ELEMENTS * sizeof(float) - 1, NULL);
    REFUSES(&rig, CLSM_ERR_BUFFER, "buffer x has 660 bytes",
            "(x_offset 1 + extent 165) x 4 bytes", c.args.x_offset = 1);
    REFUSES(&rig, CLSM_ERR_BUFFER, "buffer y has 660 bytes",
            "(y_offset 1 + extent 165) x 4 bytes", c.args.y_offset = 1);
    REFUSES(&rig, CLSM_ERR_BUFFER, "buffer x has 660 bytes", "extent 169",
            c.args.x_row_stride = RIG_COLS + 1);
    REFUSES(&rig, CLSM_ERR_BUFFER, "buffer y has 660 bytes", "extent 169",
            c.args.y_row_stride = RIG_COLS + 1);
    REFUSES(&rig, CLSM_ERR_BUFFER, "buffer x has 660 bytes", "x_offset 18446744073709",
            c.args.x_offset = SIZE_MAX);
    REFUSES(&rig, CLSM_ERR_BUFFER, "buffer y has 660 bytes", "y_offset 46116860184273",
            c.args.y_offset = SIZE_MAX / sizeof(float) - RIG_ELEMENTS + 1);
    REFUSES(&rig, CLSM_ERR_BUFFER, "buffer x has 659 bytes", "expected",
            c.args.x = small);
    REFUSES(&rig, CLSM_ERR_BUFFER, "buffer y has 659 bytes", "expected",
            c.args.y = small);
    clReleaseMemObject(small);
    rig_close(&rig);
    tally_end(&t);
}
END_TEST

/* Room for the rig's problem twice, shifted against itself. */
START_TEST(partial_overlap_is_refused)
{
    struct tally t = tally_of(_i);
    struct rig rig = rig_open(&t, 0, CLSM_F32, CLSM_F32);
    size_t bytes = 2 * RIG_ELEMENTS * sizeof(float);
    cl_mem both = session_buffer(rig.session, bytes, NULL);
#define SHARE (c.args.x = both, c.args.y = both)
    REFUSES(&rig, CLSM_ERR_OVERLAP, "x at bytes 0 to 660", "the same elements or none",
            (SHARE, c.args.y_offset = 1));
    REFUSES(&rig, CLSM_ERR_OVERLAP, "y at bytes 0 to 660", "the same elements or none",
            (SHARE, c.args.x_offset = RIG_ELEMENTS - 1));
    REFUSES(&rig, CLSM_ERR_OVERLAP, "x at bytes 0 to 676", "the same elements or none",
            (SHARE, c.args.x_row_stride = RIG_COLS + 1));
#undef SHARE
    clReleaseMemObject(both);
    rig_close(&rig);
    rig = rig_open(&t, 0, CLSM_F32, CLSM_F16);
    REFUSES(&rig, CLSM_ERR_OVERLAP, "y at bytes 0 to 330", "the same elements or none",
            c.args.y = rig.x);
    rig_close(&rig);
    tally_end(&t);
}
END_TEST

/* Its elements are read again when a list has run out. */
START_TEST(topk_in_the_place_of_x_is_refused)
{
    struct tally t = tally_of(_i);
    const struct session *s = &t.device->session;
    float x[RIG_ROWS * 3] = {1, 3, 2};
    clsm_problem p = problem_of(CLSM_TOPK, CLSM_F32, CLSM_F32, RIG_ROWS, 3);
    clsm_plan *plan = NULL;
    p.k = 3;
    cl_mem both = session_buffer(s, sizeof x, x),
           indices = session_buffer(s, sizeof x, x);
    tally_ok(&t, clsm_plan_create(s->engine, &p, &plan), "plan");
    clsm_args args = {.struct_bytes = sizeof args};
    ck_assert_int_eq(clsm_args_init(plan, &args), CLSM_OK);
    args.x = args.y = both;
    args.operand[CLSM_INDICES].memory = indices;
    ck_assert_int_eq(clsm_enqueue_args(plan, s->queue, &args, 0, NULL, NULL),
                     CLSM_ERR_OVERLAP);
    ck_assert_ptr_nonnull(strstr(clsm_last_message(), "expected none in common"));
    clReleaseMemObject(indices);
    clReleaseMemObject(both);
    clsm_plan_destroy(plan);
    tally_end(&t);
}
END_TEST

/* Rows of no columns in the middle of their results. */
START_TEST(tensors_without_elements_overlap_nothing)
{
    struct tally t = tally_of(_i);
    const struct session *s = &t.device->session;
    clsm_problem p = problem_of(CLSM_LOG_SUM_EXP, CLSM_F32, CLSM_F32, RIG_ROWS, 3);
    clsm_plan *plan = NULL;
    clsm_args args;
    float y[RIG_ROWS] = {0};
    p.flags = CLSM_OPEN_COLS;
    tally_ok(&t, clsm_plan_create(s->engine, &p, &plan), "plan");
    ck_assert_int_eq(clsm_args_init(plan, &args), CLSM_OK);
    args.cols = 0;
    args.x = args.y = session_buffer(s, sizeof y, y);
    args.x_offset = 2;
    tally_ok(&t, clsm_enqueue_args(plan, s->queue, &args, 0, NULL, NULL), "enqueue");
    clEnqueueReadBuffer(s->queue, args.y, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL);
    for (size_t r = 0; r < RIG_ROWS; r++)
        tally_fact(&t, y[r] == -INFINITY, "row %zu is %g", r, y[r]);
    clReleaseMemObject(args.y);
    clsm_plan_destroy(plan);
    tally_end(&t);
}
END_TEST

START_TEST(wait_list_must_fit_its_count)
{
    struct tally t = tally_of(_i);
    struct rig rig = rig_open(&t, 0, CLSM_F32, CLSM_F32);
    cl_event nothing = NULL;
    REFUSES(&rig, CLSM_ERR_NULL, "n_wait is 1", "wait is NULL", c.n_wait = 1);
    REFUSES(&rig, CLSM_ERR_VALUE, "n_wait is 0", "wait is not NULL", c.wait = &nothing);
    REFUSES(&rig, CLSM_ERR_NULL, "wait[0]", "NULL", (c.n_wait = 1, c.wait = &nothing));
    rig_close(&rig);
    tally_end(&t);
}
END_TEST

void enqueue_errors_suite(Suite *suite, int device)
{
    add_test(suite, device, NULL, missing_arguments_are_refused);
    add_test(suite, device, NULL, shorter_arguments_are_served);
    add_test(suite, device, NULL, short_form_refuses_the_same);
    add_test(suite, device, NULL, shapes_that_the_plan_is_not_for_are_refused);
    add_test(suite, device, NULL, open_shapes_have_bounds);
    add_test(suite, device, NULL, small_buffers_are_refused);
    add_test(suite, device, NULL, partial_overlap_is_refused);
    add_test(suite, device, NULL, topk_in_the_place_of_x_is_refused);
    add_test(suite, device, NULL, tensors_without_elements_overlap_nothing);
    add_test(suite, device, NULL, wait_list_must_fit_its_count);
}
