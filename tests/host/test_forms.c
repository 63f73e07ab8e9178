/* SPDX-License-Identifier: MIT */
/* Facts about how logits are made: each form against its formula, written out. */
#include "suites.h"

#include <math.h>
#include <stdint.h>

enum { COLS = 5, MAX_ROWS = 12, MAX = MAX_ROWS * COLS };

static clsm_problem problem;
static clsm_host_args in;
static double x[MAX], logits[MAX], sinks[MAX_ROWS], temperatures[MAX_ROWS];

static void set_up(void)
{
    clsm_problem_init(&problem, CLSM_SOFTMAX, CLSM_F64, 4, COLS);
    in = (clsm_host_args){.struct_bytes = sizeof in, .x = x};
    for (size_t i = 0; i < MAX; i++)
        x[i] = (double)(i * 37 % 23) * 0.25 - 2;
}

static void is(double got, double want, const char *what, size_t at)
{
    bool same = isnan(want) ? isnan(got)
                            : got == want || fabs(got - want) <= 1e-14 * fabs(want);
    EXPECT(same, "%s %zu: got %.17g, expected %.17g", what, at, got, want);
}

/* Softmax, log-softmax and log-sum-exp of x in its forms are those of `logits`, with a
 * sink in each row. */
static void logits_are_right(void)
{
    double y[MAX], log_y[MAX], lse[MAX_ROWS];
    clsm_host_args out = {.struct_bytes = sizeof out, .y = y};
    problem.op = CLSM_SOFTMAX;
    ck_assert_msg(clsm_reference_args(&problem, &in, &out) == CLSM_OK, "%s",
                  clsm_last_message());
    problem.op = CLSM_LOG_SOFTMAX;
    out.y = log_y;
    ck_assert_int_eq(clsm_reference_args(&problem, &in, &out), CLSM_OK);
    problem.op = CLSM_LOG_SUM_EXP;
    out.y = lse;
    ck_assert_int_eq(clsm_reference_args(&problem, &in, &out), CLSM_OK);
    for (size_t r = 0; r < problem.rows; r++) {
        const double *row = logits + r * COLS;
        bool sink = problem.operands & CLSM_BIT(CLSM_SINKS);
        double sum = sink ? exp(sinks[r / problem.queries % problem.heads]) : 0;
        for (size_t c = 0; c < COLS; c++)
            sum += exp(row[c]);
        is(lse[r], log(sum), "log-sum-exp", r);
        for (size_t c = 0; c < COLS && sum > 0; c++) {
            is(y[r * COLS + c], exp(row[c]) / sum, "element", r * COLS + c);
            EXPECT(fabs(log_y[r * COLS + c] - (row[c] - log(sum))) < 1e-14 ||
                       (isinf(row[c]) && log_y[r * COLS + c] == row[c]),
                   "log, element %zu", r * COLS + c);
        }
    }
}

START_TEST(scale_multiplies)
{
    problem.scale = -1.5;
    for (size_t i = 0; i < MAX; i++)
        logits[i] = x[i] * -1.5;
    problem.queries = 4;
    logits_are_right();
}
END_TEST

START_TEST(temperature_divides)
{
    problem.scale = 3;
    problem.temperature = 2;
    for (size_t i = 0; i < MAX; i++)
        logits[i] = x[i] * 3 / 2;
    problem.queries = 4;
    logits_are_right();
}
END_TEST

START_TEST(each_softmax_may_have_a_temperature_of_its_own)
{
    problem.operands = CLSM_BIT(CLSM_TEMPERATURE);
    in.operand[CLSM_TEMPERATURE] = temperatures;
    problem.scale = 0.5;
    problem.softcap = 3; /* comes after it */
    for (size_t r = 0; r < 4; r++) {
        temperatures[r] = 0.5 + (double)r;
        for (size_t c = 0; c < COLS; c++)
            logits[r * COLS + c] =
                3 * tanh(x[r * COLS + c] * 0.5 / temperatures[r] / 3);
    }
    problem.queries = 4;
    logits_are_right();
}
END_TEST

START_TEST(softcap_bends)
{
    problem.softcap = 1.5;
    problem.scale = 2;
    for (size_t i = 0; i < MAX; i++)
        logits[i] = 1.5 * tanh(x[i] * 2 / 1.5);
    problem.queries = 4;
    logits_are_right();
}
END_TEST

/* Rows as (batch, head, query): 2 queries, 3 heads, one matrix of the second batch. */
START_TEST(slopes_of_a_head_grow_with_the_distance)
{
    static double slopes[] = {0.5, 0.125, -1};
    const ptrdiff_t offsets[] = {0, 3, -7};
    problem.rows = 7, problem.queries = 2, problem.heads = 3;
    problem.operands = CLSM_BIT(CLSM_SLOPES);
    problem.causal_offset = offsets[_i];
    problem.softcap = 4; /* comes before them */
    in.operand[CLSM_SLOPES] = slopes;
    for (size_t r = 0; r < 7; r++)
        for (size_t c = 0; c < COLS; c++)
            logits[r * COLS + c] =
                4 * tanh(x[r * COLS + c] / 4) +
                slopes[r / 2 % 3] *
                    ((double)c - ((double)(r % 2) + (double)offsets[_i]));
    logits_are_right();
}
END_TEST

/* _i: mask type, and as bits which strides are not 0 */
START_TEST(masks_are_added_or_leave_out_and_broadcast)
{
    static unsigned char bytes[2048];
    static float floats[2048];
    static uint16_t halves[2048];
    void *masks[] = {floats, halves, bytes};
    const clsm_mask_type types[] = {CLSM_MASK_F32, CLSM_MASK_F16, CLSM_MASK_BOOL};
    clsm_mask_stride s = {_i & 1 ? 301 : 0, _i & 2 ? 90 : 0, _i & 4 ? 17 : 0,
                          _i & 8 ? 3 : 0, 0};
    for (size_t i = 0; i < 2048; i++) {
        floats[i] = i % 5 == 2 ? -INFINITY : (float)(i * 11 % 7) * 0.25f - 0.5f;
        bytes[i] = i % 5 == 2 ? 0 : (unsigned char)(i % 255 + 1);
    }
    clsm_convert(CLSM_F32, floats, CLSM_F16, halves, 2048);
    problem.rows = 12, problem.queries = 2, problem.heads = 3;
    problem.mask_type = types[_i / 16];
    problem.mask_stride = s;
    in.operand[CLSM_MASK] = masks[_i / 16];
    for (size_t r = 0; r < 12; r++)
        for (size_t c = 0; c < COLS; c++) {
            size_t at =
                r / 6 * s.batch + r / 2 % 3 * s.head + r % 2 * s.row + c * s.col;
            double more = _i / 16 == 2 ? bytes[at] ? 0 : -INFINITY : floats[at];
            logits[r * COLS + c] = x[r * COLS + c] + more;
        }
    logits_are_right();
}
END_TEST

/* _i: causal, window and offset */
START_TEST(columns_outside_of_what_a_query_sees_are_left_out)
{
    const size_t windows[] = {0, 1, 2, 4, SIZE_MAX};
    const ptrdiff_t offsets[] = {0,           2,          -1, -9, 100, PTRDIFF_MAX / 2,
                                 PTRDIFF_MAX, PTRDIFF_MIN};
    size_t window = windows[_i / 2 % 5];
    double offset = (double)offsets[_i / 10];
    problem.rows = 8, problem.queries = 4;
    problem.flags = _i % 2 ? CLSM_CAUSAL : 0;
    problem.window = window;
    if (problem.flags || window) /* else it is refused */
        problem.causal_offset = offsets[_i / 10];
    x[3] = x[17] = NAN; /* not read where they are masked, so no NaN there */
    for (size_t r = 0; r < 8; r++)
        for (size_t c = 0; c < COLS; c++) {
            double distance = (double)c - ((double)(r % 4) + offset);
            bool seen = (!(problem.flags & CLSM_CAUSAL) || distance <= 0) &&
                        (!window || fabs(distance) < (double)window);
            logits[r * COLS + c] = seen ? x[r * COLS + c] : -INFINITY;
        }
    logits_are_right();
}
END_TEST

START_TEST(the_farthest_offsets_show_all_or_nothing)
{
    problem.queries = 4;
    problem.flags = CLSM_CAUSAL;
    problem.causal_offset = _i ? PTRDIFF_MAX : PTRDIFF_MIN;
    for (size_t i = 0; i < MAX; i++)
        logits[i] = _i ? x[i] : -INFINITY;
    logits_are_right();
}
END_TEST

START_TEST(a_sink_of_a_head_takes_its_share_and_has_no_column)
{
    const double all[] = {0.5, -INFINITY, 30};
    memcpy(sinks, all, sizeof all);
    problem.rows = 7, problem.queries = 2, problem.heads = 3;
    problem.operands = CLSM_BIT(CLSM_SINKS);
    problem.scale = 2; /* not the sink's */
    in.operand[CLSM_SINKS] = sinks;
    for (size_t i = 0; i < MAX; i++)
        logits[i] = x[i] * 2;
    logits_are_right();
}
END_TEST

START_TEST(a_row_with_all_masked_but_a_sink_is_0_and_not_nan)
{
    double y[COLS], lse;
    static unsigned char nothing[COLS];
    clsm_host_args out = {
        .struct_bytes = sizeof out, .y = y, .operand = {[CLSM_LSE] = &lse}};
    sinks[0] = -1.5;
    problem.rows = 1;
    problem.operands = CLSM_BIT(CLSM_SINKS) | CLSM_BIT(CLSM_LSE);
    problem.mask_type = CLSM_MASK_BOOL;
    in.operand[CLSM_SINKS] = sinks;
    in.operand[CLSM_MASK] = nothing;
    ck_assert_int_eq(clsm_reference_args(&problem, &in, &out), CLSM_OK);
    for (size_t c = 0; c < COLS; c++)
        is(y[c], 0, "element", c);
    is(lse, -1.5, "log-sum-exp", 0);
}
END_TEST

Suite *forms_suite(void)
{
    Suite *suite = suite_create("forms");
    TCase *c = tcase_create("forms");
    tcase_add_checked_fixture(c, set_up, NULL);
    tcase_add_test(c, scale_multiplies);
    tcase_add_test(c, temperature_divides);
    tcase_add_test(c, each_softmax_may_have_a_temperature_of_its_own);
    tcase_add_test(c, softcap_bends);
    tcase_add_loop_test(c, slopes_of_a_head_grow_with_the_distance, 0, 3);
    tcase_add_loop_test(c, masks_are_added_or_leave_out_and_broadcast, 0, 48);
    tcase_add_loop_test(c, columns_outside_of_what_a_query_sees_are_left_out, 0, 80);
    tcase_add_loop_test(c, the_farthest_offsets_show_all_or_nothing, 0, 2);
    tcase_add_test(c, a_sink_of_a_head_takes_its_share_and_has_no_column);
    tcase_add_test(c, a_row_with_all_masked_but_a_sink_is_0_and_not_nan);
    suite_add_tcase(suite, c);
    return suite;
}
