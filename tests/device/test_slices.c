/* SPDX-License-Identifier: MIT */
/*
 * Rows cut into slices of uneven length, each with its own statistics, merged and
 * finished slice by slice: the same as the whole rows. On one queue, on two queues, and
 * with the slices going round all devices, their statistics merged by the first.
 */
#include "../../tools/tensors.h"
#include "tally.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = INPUT_KIND_COUNT * 2, COLS = 1237, MAX_SLICES = 7, MAX_PLACES = 8 };

/* Where slices are computed: a device and one of its queues. */
struct somewhere {
    const struct session *session;
    cl_command_queue queue;
};

struct cut {
    struct tally *tally;
    clsm_op finish, whole;
    clsm_nonfinite policy;
    clsm_type x_type;
    unsigned slices, places;
    struct somewhere at[MAX_PLACES];
    size_t first[MAX_SLICES + 1]; /* columns where slices begin */
    unsigned char *x;
    float *max, *sum; /* (slices, rows) */
    float y[ROWS * COLS];
};

/* Uneven: each boundary somewhere in its part of the row; a slice may be one column. */
static void choose_cuts(struct cut *c, uint64_t seed)
{
    uint64_t state = seed * 2 + 1;
    for (unsigned s = 0; s <= c->slices; s++) {
        size_t from = COLS * s / c->slices, width = COLS / c->slices - 1;
        c->first[s] = s == 0           ? 0
                      : s == c->slices ? COLS
                                       : from + random_next(&state) % width;
    }
    c->first[1] = c->slices > 2 ? 1 : c->first[1];
}

static void run_plan(struct cut *c, const struct somewhere *at, const clsm_problem *p,
                     cl_mem x, cl_mem y, const cl_mem operands[CLSM_OPERAND_COUNT])
{
    clsm_plan *plan = NULL;
    clsm_args args;
    if (!tally_ok(c->tally, clsm_plan_create(at->session->engine, p, &plan), "plan"))
        return;
    ck_assert_int_eq(clsm_args_init(plan, &args), CLSM_OK);
    args.x = x;
    args.y = y;
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++)
        args.operand[o].memory = operands[o];
    tally_ok(c->tally, clsm_enqueue_args(plan, at->queue, &args, 0, NULL, NULL),
             "enqueue");
    clFinish(at->queue);
    clsm_plan_destroy(plan);
}

/* A slice of the rows, packed, in a buffer of its device. */
static cl_mem upload(const struct cut *c, const struct somewhere *at, unsigned s)
{
    size_t cols = c->first[s + 1] - c->first[s], element = clsm_type_bytes(c->x_type);
    unsigned char *part = malloc(ROWS * cols * element);
    ck_assert_ptr_nonnull(part);
    for (size_t r = 0; r < ROWS; r++)
        memcpy(part + r * cols * element, c->x + (r * COLS + c->first[s]) * element,
               cols * element);
    cl_mem buffer = session_buffer(at->session, ROWS * cols * element, part);
    ck_assert_ptr_nonnull(buffer);
    free(part);
    return buffer;
}

static void fetch(const struct somewhere *at, cl_mem buffer, size_t bytes, void *data)
{
    ck_assert_int_eq(
        clEnqueueReadBuffer(at->queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL),
        CL_SUCCESS);
    clReleaseMemObject(buffer);
}

static void find_statistics(struct cut *c, unsigned s)
{
    const struct somewhere *at = &c->at[s % c->places];
    cl_mem x = upload(c, at, s), operands[CLSM_OPERAND_COUNT] = {NULL};
    clsm_problem p = problem_of(CLSM_STATISTICS, c->x_type, CLSM_F32, ROWS,
                                c->first[s + 1] - c->first[s]);
    p.nonfinite = c->policy;
    operands[CLSM_MAX] = session_buffer(at->session, ROWS * 4, NULL);
    operands[CLSM_SUM] = session_buffer(at->session, ROWS * 4, NULL);
    run_plan(c, at, &p, x, NULL, operands);
    fetch(at, operands[CLSM_MAX], ROWS * 4, c->max + s * ROWS);
    fetch(at, operands[CLSM_SUM], ROWS * 4, c->sum + s * ROWS);
    clReleaseMemObject(x);
}

/* The slices are the columns: one row of statistics after the other, so inner = ROWS.
 */
static void merge(struct cut *c, float *max, float *sum)
{
    const struct somewhere *at = &c->at[0];
    const size_t bytes = c->slices * ROWS * 4;
    cl_mem operands[CLSM_OPERAND_COUNT] = {NULL};
    cl_mem x = session_buffer(at->session, bytes, c->max);
    clsm_problem p =
        problem_of(CLSM_MERGE_STATISTICS, CLSM_F32, CLSM_F32, 1, c->slices);
    p.inner = ROWS;
    p.nonfinite = c->policy;
    operands[CLSM_DY] = session_buffer(at->session, bytes, c->sum);
    operands[CLSM_MAX] = session_buffer(at->session, ROWS * 4, NULL);
    operands[CLSM_SUM] = session_buffer(at->session, ROWS * 4, NULL);
    run_plan(c, at, &p, x, NULL, operands);
    fetch(at, operands[CLSM_MAX], ROWS * 4, max);
    fetch(at, operands[CLSM_SUM], ROWS * 4, sum);
    clReleaseMemObject(operands[CLSM_DY]);
    clReleaseMemObject(x);
}

static void finish(struct cut *c, unsigned s, const float *max, const float *sum)
{
    const struct somewhere *at = &c->at[s % c->places];
    const size_t cols = c->first[s + 1] - c->first[s], bytes = ROWS * cols * 4;
    cl_mem x = upload(c, at, s), y = session_buffer(at->session, bytes, NULL);
    cl_mem operands[CLSM_OPERAND_COUNT] = {NULL};
    clsm_problem p = problem_of(c->finish, c->x_type, CLSM_F32, ROWS, cols);
    float *part = malloc(bytes);
    ck_assert_ptr_nonnull(part);
    p.nonfinite = c->policy;
    operands[CLSM_FROM_MAX] = session_buffer(at->session, ROWS * 4, max);
    operands[CLSM_FROM_SUM] = session_buffer(at->session, ROWS * 4, sum);
    run_plan(c, at, &p, x, y, operands);
    fetch(at, y, bytes, part);
    for (size_t r = 0; r < ROWS; r++)
        memcpy(c->y + r * COLS + c->first[s], part + r * cols, cols * 4);
    clReleaseMemObject(operands[CLSM_FROM_MAX]);
    clReleaseMemObject(operands[CLSM_FROM_SUM]);
    clReleaseMemObject(x);
    free(part);
}

/* Against the whole rows, by the library's own bound. The statistics passed through f32
 * once more each, and where log-softmax lies near 0 its digits are not in a sum of f32:
 * the dominant kind of row is left to those who keep the sum. */
static void compare(const struct cut *c)
{
    clsm_problem p = problem_of(c->whole, c->x_type, CLSM_F32, ROWS, COLS);
    clsm_report report = {.struct_bytes = sizeof report};
    p.nonfinite = c->policy;
    ck_assert_int_eq(clsm_check(&p, c->x, c->y, &report), CLSM_OK);
    tally_fact(
        c->tally, report.pass,
        "%s, %u slices, %u places: %llu outside the bound, worst %.3g x at row %zu "
        "column %zu: expected %.9g, got %.9g",
        clsm_op_name(c->finish), c->slices, c->places,
        (unsigned long long)report.failed, report.worst, report.worst_row,
        report.worst_col, report.expected, report.got);
}

static void run_cut(struct cut *c)
{
    float max[ROWS], sum[ROWS];
    c->x = malloc((size_t)ROWS * COLS * clsm_type_bytes(c->x_type));
    c->max = malloc(sizeof(float[MAX_SLICES][ROWS]));
    c->sum = malloc(sizeof(float[MAX_SLICES][ROWS]));
    ck_assert(c->x && c->max && c->sum);
    choose_cuts(c, c->slices);
    for (unsigned r = 0; r < ROWS; r++) {
        enum input_kind kind = (enum input_kind)(r % INPUT_KIND_COUNT);
        bool near_zero = kind == INPUT_DOMINANT || kind == INPUT_TINY_TERMS ||
                         kind == INPUT_ONE_HUGE || kind == INPUT_WIDE_RANGE;
        if (c->finish == CLSM_FINISH_LOG_SOFTMAX && near_zero)
            kind = INPUT_NORMAL;
        input_fill(kind, r + 1, c->x_type, c->x, (size_t)r * COLS, 1, COLS);
    }
    for (unsigned s = 0; s < c->slices; s++)
        find_statistics(c, s);
    merge(c, max, sum);
    for (unsigned s = 0; s < c->slices; s++)
        finish(c, s, max, sum);
    compare(c);
    free(c->x);
    free(c->max);
    free(c->sum);
}

static void run_cuts(struct tally *t, const struct somewhere *at, unsigned places)
{
    static struct cut c;
    for (unsigned slices = 2; slices <= MAX_SLICES; slices++) {
        bool log = slices % 3 == 0;
        c = (struct cut){
            .tally = t,
            .finish = log ? CLSM_FINISH_LOG_SOFTMAX : CLSM_FINISH_SOFTMAX,
            .whole = log ? CLSM_LOG_SOFTMAX : CLSM_SOFTMAX,
            .policy = slices % 2 ? CLSM_NONFINITE_LIMIT : CLSM_NONFINITE_DEFAULT,
            .x_type = slices == 5 ? CLSM_BF16 : CLSM_F32,
            .slices = slices,
            .places = places,
        };
        memcpy(c.at, at, places * sizeof *at);
        run_cut(&c);
    }
}

START_TEST(slices_on_one_queue_give_the_whole)
{
    struct tally t = tally_of(_i);
    const struct somewhere at = {&t.device->session, t.device->session.queue};
    run_cuts(&t, &at, 1);
    tally_end(&t);
}
END_TEST

START_TEST(slices_on_two_queues_give_the_whole)
{
    struct tally t = tally_of(_i);
    const struct session *s = &t.device->session;
    cl_int error;
    cl_command_queue other =
        clCreateCommandQueue(s->context, s->info.device, 0, &error);
    ck_assert_int_eq(error, CL_SUCCESS);
    const struct somewhere at[] = {{s, s->queue}, {s, other}};
    run_cuts(&t, at, 2);
    clReleaseCommandQueue(other);
    tally_end(&t);
}
END_TEST

START_TEST(slices_on_all_devices_give_the_whole)
{
    struct tally t = tally_of(_i);
    struct somewhere at[MAX_PLACES];
    unsigned places = 0;
    for (int d = 0; d < device_count && places < MAX_PLACES; d++)
        if (devices[d].session.engine)
            at[places++] =
                (struct somewhere){&devices[d].session, devices[d].session.queue};
    note(t.device, "slices go round %u devices", places);
    run_cuts(&t, at, places);
    tally_end(&t);
}
END_TEST

void slices_suite(Suite *suite, int device)
{
    add_test(suite, device, NULL, slices_on_one_queue_give_the_whole);
    add_test(suite, device, NULL, slices_on_two_queues_give_the_whole);
    if (device == 0)
        add_test(suite, device, NULL, slices_on_all_devices_give_the_whole);
}
