/* SPDX-License-Identifier: MIT */
/* Rows that single numbers decide, with every variant: a mask that is huge, gradients
 * near the largest numbers, statistics of the other policy, NaN beside +inf. */
#include "tally.h"

#include <math.h>

enum { ROWS = 3, COLS = 1000, N = ROWS * COLS };

struct call {
    clsm_problem problem;
    float x[N], y[N];
    float operand[CLSM_OPERAND_COUNT][N]; /* those that the problem has */
};

static clsm_status run(const struct session *s, struct call *c, clsm_plan *plan)
{
    clsm_args args;
    clsm_status status = clsm_args_init(plan, &args);
    args.x = session_buffer(s, sizeof c->x, c->x);
    args.y = session_buffer(s, sizeof c->y, NULL);
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++)
        if (c->problem.operands & CLSM_BIT(o))
            args.operand[o].memory =
                session_buffer(s, sizeof c->operand[o], c->operand[o]);
    if (status == CLSM_OK)
        status = clsm_enqueue_args(plan, s->queue, &args, 0, NULL, NULL);
    if (status == CLSM_OK)
        clEnqueueReadBuffer(s->queue, args.y, CL_TRUE, 0, sizeof c->y, c->y, 0, NULL,
                            NULL);
    clFinish(s->queue);
    clReleaseMemObject(args.x);
    clReleaseMemObject(args.y);
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++)
        if (args.operand[o].memory)
            clReleaseMemObject(args.operand[o].memory);
    return status;
}

/* As the reference has it, by every variant. */
static void run_all(int index, struct call *c)
{
    struct tally t = tally_of(index);
    const struct session *s = &t.device->session;
    clsm_host_args host = {.struct_bytes = sizeof host, .x = c->x, .y = c->y};
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++)
        host.operand[o] = c->problem.operands & CLSM_BIT(o) ? c->operand[o] : NULL;
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        clsm_report report = {.struct_bytes = sizeof report};
        clsm_plan *plan = NULL;
        const char *name = c->problem.variant = clsm_variants[v].name;
        if (!can_serve(t.device, v, &c->problem))
            continue;
        if (tally_ok(&t, clsm_plan_create(s->engine, &c->problem, &plan), name) &&
            tally_ok(&t, run(s, c, plan), name) &&
            tally_ok(&t, clsm_check_args(&c->problem, &host, &report), name))
            tally_fact(&t, report.pass,
                       "%s: %.3g of the bound, at column %zu %g instead of %g", name,
                       report.worst, report.worst_col, report.got, report.expected);
        clsm_plan_destroy(plan);
    }
    tally_end(&t);
}

/* Next to -1e9 numbers of f32 are 64 apart: all logits become the same. */
START_TEST(rows_that_a_huge_mask_levels_are_right)
{
    static struct call c;
    c.problem = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, ROWS, COLS);
    c.problem.operands = CLSM_BIT(CLSM_MASK);
    c.problem.mask_type = CLSM_MASK_F32;
    c.problem.mask_stride.col = 1;
    for (int i = 0; i < N; i++)
        c.x[i] = (float)(i % 41 - 20);
    for (int i = 0; i < COLS; i++)
        c.operand[CLSM_MASK][i] = -1e9f;
    run_all(_i, &c);
}
END_TEST

/* Finite as long as nobody multiplies what is summed. */
START_TEST(gradients_near_the_largest_numbers_are_finite)
{
    static struct call c;
    c.problem = problem_of(CLSM_SOFTMAX_BACKWARD, CLSM_F32, CLSM_F32, ROWS, COLS);
    c.problem.operands = CLSM_BIT(CLSM_DY);
    for (int i = 0; i < N; i++) {
        float large = (1 + (float)(i * 37 % 64) / 64) * 0x1p+123f;
        c.x[i] = i % COLS ? 0.1f / COLS : 0.9f;
        c.operand[CLSM_DY][i] = i % 2 ? -large : large;
    }
    run_all(_i, &c);
}
END_TEST

static const clsm_op finishing[] = {CLSM_FINISH_SOFTMAX, CLSM_FINISH_LOG_SOFTMAX};

/* What the limit policy counts infinities for makes a row NaN by the default one. */
START_TEST(statistics_with_infinities_make_a_row_nan)
{
    static struct call c;
    const clsm_op op = finishing[_i / MAX_DEVICES];
    c.problem = problem_of(op, CLSM_F32, CLSM_F32, ROWS, COLS);
    c.problem.operands = CLSM_BIT(CLSM_FROM_MAX) | CLSM_BIT(CLSM_FROM_SUM);
    for (int i = 0; i < N; i++)
        c.x[i] = i == COLS + 7 ? INFINITY : (float)(i % 5);
    for (int r = 0; r < ROWS; r++) {
        c.operand[CLSM_FROM_MAX][r] = r == 1 ? INFINITY : 4;
        c.operand[CLSM_FROM_SUM][r] = r == 1 ? 1 : 300;
    }
    run_all(_i % MAX_DEVICES, &c);
}
END_TEST

static const struct {
    clsm_op op;
    size_t cols;
} beside[] = {{CLSM_SOFTMAX, 20},
              {CLSM_SOFTMAX, COLS},
              {CLSM_LOG_SUM_EXP, 20},
              {CLSM_LOG_SUM_EXP, COLS}};

START_TEST(nan_beside_infinity_makes_a_row_nan)
{
    static struct call c;
    const size_t cols = beside[_i / MAX_DEVICES].cols;
    c.problem = problem_of(beside[_i / MAX_DEVICES].op, CLSM_F32, CLSM_F32, ROWS, cols);
    for (size_t i = 0; i < ROWS * cols; i++)
        c.x[i] = (float)(i % 7);
    for (size_t r = 0; r < ROWS; r++) {
        c.x[r * cols + (r ? cols - r : 3)] = NAN;
        c.x[r * cols + 5] = INFINITY;
    }
    run_all(_i % MAX_DEVICES, &c);
}
END_TEST

void extremes_suite(Suite *suite, int device)
{
    add_test(suite, device, NULL, rows_that_a_huge_mask_levels_are_right);
    add_test(suite, device, NULL, gradients_near_the_largest_numbers_are_finite);
    for (int i = 0; i < (int)COUNT(finishing); i++)
        add_test(suite, device + i * MAX_DEVICES, clsm_op_name(finishing[i]),
                 statistics_with_infinities_make_a_row_nan);
    for (int i = 0; i < (int)COUNT(beside); i++)
        add_test(suite, device + i * MAX_DEVICES, clsm_op_name(beside[i].op),
                 nan_beside_infinity_makes_a_row_nan);
}
