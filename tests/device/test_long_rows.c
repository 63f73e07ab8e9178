/* SPDX-License-Identifier: MIT */
/* One row of 2^24 columns: sums must not drift, in any variant that takes a few seconds
 * at most. Equal values are where a plain f32 sum stops growing. */
#include "choose.h"
#include "tally.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { LONG = 1 << 24 };

#define PATIENCE 2.0 /* seconds, by the library's own estimate */

/* A row and what is expected of it, made once for all variants. */
struct long_row {
    clsm_problem problem;
    enum input_kind kind;
    double *want;
    float *x, *y, max;
    cl_mem device_x, device_y;
};

static void make_row(const struct session *s, clsm_op op, enum input_kind kind,
                     struct long_row *row)
{
    *row = (struct long_row){.kind = kind, .max = -INFINITY};
    row->problem = problem_of(op, CLSM_F32, CLSM_F32, 1, LONG);
    row->x = malloc(LONG * sizeof *row->x);
    row->y = malloc(LONG * sizeof *row->y);
    row->want = malloc(LONG * sizeof *row->want);
    ck_assert(row->x && row->y && row->want);
    input_fill(kind, 11, CLSM_F32, row->x, 0, 1, LONG);
    for (size_t c = 0; c < LONG; c++)
        row->max = fmaxf(row->max, row->x[c]);
    ck_assert_int_eq(clsm_reference(&row->problem, row->x, row->want), CLSM_OK);
    row->device_x = session_buffer(s, LONG * sizeof *row->x, row->x);
    row->device_y = session_buffer(s, LONG * sizeof *row->y, NULL);
    ck_assert(row->device_x && row->device_y);
}

static void free_row(struct long_row *row)
{
    clReleaseMemObject(row->device_x);
    clReleaseMemObject(row->device_y);
    free(row->x);
    free(row->y);
    free(row->want);
}

/* The largest error over its bound, (8 + 2 D) 2^-24 relative, see clsoftmax.h. */
static double worst_of(const struct long_row *row)
{
    double worst = 0;
    for (size_t c = 0; c < LONG; c++) {
        double want = row->want[c];
        double distance = row->problem.op == CLSM_SOFTMAX
                              ? fabs((double)row->x[c] - (double)row->max)
                              : fabs(log(fabs(want)));
        double bound = (8 + 2 * distance) * 0x1p-24 * fabs(want) + FLT_MIN;
        double excess = fabs((double)row->y[c] - want) / bound;
        worst = isnan(excess) ? INFINITY : fmax(worst, excess);
    }
    return worst;
}

static void run(struct tally *t, struct long_row *row, const char *variant)
{
    const struct session *s = &t->device->session;
    clsm_plan *plan = NULL;
    clsm_plan_info info = {.struct_bytes = sizeof info};
    row->problem.variant = variant;
    if (!tally_ok(t, clsm_plan_create(s->engine, &row->problem, &plan), "plan"))
        return;
    clsm_plan_get_info(plan, &info);
    if (tally_ok(t,
                 clsm_enqueue(plan, s->queue, row->device_x, 0, row->device_y, 0, 0,
                              NULL, NULL),
                 info.variant)) {
        cl_int error =
            clEnqueueReadBuffer(s->queue, row->device_y, CL_TRUE, 0,
                                LONG * sizeof *row->y, row->y, 0, NULL, NULL);
        double worst = error == CL_SUCCESS ? worst_of(row) : INFINITY;
        tally_fact(t, worst <= 1, "%s %s of 2^24 %s: %.3g x the bound", info.variant,
                   clsm_op_name(row->problem.op), input_kind_name(row->kind), worst);
    }
    clsm_plan_destroy(plan);
}

/* Can the variant take it, and soon? */
static bool worth_it(const struct device *device, const struct config *config)
{
    const struct traits *traits = &device->session.engine->traits;
    struct problem p;
    clsm_problem given = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, 1, LONG);
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    const char *misfit = clsm_config_misfit(config, &p, traits);
    bool slow = !misfit && clsm_estimate(config, &p, traits) > PATIENCE;
    if (misfit || slow)
        note(device, "no row of 2^24 for %s: %s", clsm_variants[config->variant].name,
             misfit ? misfit : "it would take long");
    return !misfit && !slow;
}

static void run_variants(int index, clsm_op op, enum input_kind kind)
{
    struct tally t = tally_of(index);
    struct long_row row;
    struct config config;
    unsigned last = clsm_variant_count;
    make_row(&t.device->session, op, kind, &row);
    if (!lanes_are_local(t.device)) /* what is chosen there needs none */
        run(&t, &row, NULL);
    for (unsigned i = 0; clsm_config_at(i, &config); last = config.variant, i++)
        if (config.variant != last && is_new_variant_here(t.device, config.variant) &&
            worth_it(t.device, &config))
            run(&t, &row, clsm_variants[config.variant].name);
    free_row(&row);
    tally_end(&t);
}

START_TEST(equal_values_sum_without_drift)
{
    run_variants(_i, CLSM_SOFTMAX, INPUT_EQUAL);
}
END_TEST

START_TEST(normal_values_sum_without_drift)
{
    run_variants(_i, CLSM_LOG_SOFTMAX, INPUT_NORMAL);
}
END_TEST

START_TEST(log_softmax_keeps_its_digits_where_one_of_many_dominates)
{
    run_variants(_i, CLSM_LOG_SOFTMAX, INPUT_DOMINANT);
}
END_TEST

/* A maximum that moves with each element: what came before is not rounded as often. */
START_TEST(rows_that_rise_keep_their_digits)
{
    run_variants(_i, CLSM_SOFTMAX, INPUT_RISING);
    run_variants(_i, CLSM_LOG_SOFTMAX, INPUT_RISING);
}
END_TEST

/* Of 2^24 equal terms, 16 below the largest, each has lost as much. */
START_TEST(what_rounding_takes_from_differences_does_not_add_up)
{
    run_variants(_i, CLSM_SOFTMAX, INPUT_DISTANT);
    run_variants(_i, CLSM_LOG_SOFTMAX, INPUT_DISTANT);
}
END_TEST

/* Columns that an f32 cannot count: the first of two largest, at an odd place past
 * 2^24. */
START_TEST(columns_past_2_to_the_24_are_told_apart)
{
    enum { COLS = LONG + 9, AT = LONG + 3 };
    struct tally t = tally_of(_i);
    const struct session *s = &t.device->session;
    clsm_plan *plan = NULL;
    clsm_args args;
    cl_int index = 0;
    uint16_t *x = calloc(COLS, sizeof *x);
    ck_assert_ptr_nonnull(x);
    x[AT] = x[AT + 2] = 0x4200; /* 3 in f16 */
    clsm_problem p = problem_of(CLSM_TOPK, CLSM_F16, CLSM_F32, 1, COLS);
    tally_ok(&t, clsm_plan_create(s->engine, &p, &plan), "plan");
    ck_assert_int_eq(clsm_args_init(plan, &args), CLSM_OK);
    args.x = session_buffer(s, COLS * sizeof *x, x);
    args.y = session_buffer(s, sizeof(float), NULL);
    args.operand[CLSM_INDICES].memory = session_buffer(s, sizeof index, NULL);
    tally_ok(&t, clsm_enqueue_args(plan, s->queue, &args, 0, NULL, NULL), "enqueue");
    clEnqueueReadBuffer(s->queue, args.operand[CLSM_INDICES].memory, CL_TRUE, 0,
                        sizeof index, &index, 0, NULL, NULL);
    tally_fact(&t, index == AT, "the largest is said to stand at %d, not at %d", index,
               AT);
    clReleaseMemObject(args.x);
    clReleaseMemObject(args.y);
    clReleaseMemObject(args.operand[CLSM_INDICES].memory);
    clsm_plan_destroy(plan);
    free(x);
    tally_end(&t);
}
END_TEST

void long_rows_suite(Suite *suite, int device)
{
    add_test(suite, device, NULL,
             log_softmax_keeps_its_digits_where_one_of_many_dominates);
    if (!lanes_are_local(&devices[device])) /* by what is chosen, again */
        add_test(suite, device, NULL, columns_past_2_to_the_24_are_told_apart);
    add_test(suite, device, NULL, equal_values_sum_without_drift);
    add_test(suite, device, NULL, normal_values_sum_without_drift);
    add_test(suite, device, NULL, what_rounding_takes_from_differences_does_not_add_up);
    add_test(suite, device, NULL, rows_that_rise_keep_their_digits);
}
