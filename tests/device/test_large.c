/* SPDX-License-Identifier: MIT */
/* More than 2^31 elements, in rows and in one row: only with CLSM_TEST_LARGE=1. The
 * device fills 4 GiB with a pattern; the host writes and reads no more than the ends.
 */
#include "convert.h"
#include "tally.h"

#include <math.h>
#include <string.h>

enum { PATTERN = 64, END = 1024, COLS = 32768, ROWS = 65536 + 7 };

/* The longest row that the library takes, or that the device has room for. */
static size_t longest_row(const struct session *s)
{
    size_t cols = (size_t)1 << 31;
    while (!session_has_room(s, cols * sizeof(uint16_t), cols * sizeof(uint16_t)))
        cols /= 2;
    return cols;
}

/* Normal f16 numbers, over and over. Both lengths of rows are multiples of PATTERN. */
static cl_mem patterned(const struct session *s, size_t elements, uint16_t *pattern)
{
    cl_mem buffer = session_buffer(s, elements * sizeof *pattern, NULL);
    input_fill(INPUT_NORMAL, 3, CLSM_F16, pattern, 0, 1, PATTERN);
    if (!buffer)
        return NULL;
    cl_int error = clEnqueueFillBuffer(
        s->queue, buffer, pattern, PATTERN * sizeof *pattern, 0,
        elements / PATTERN * PATTERN * sizeof *pattern, 0, NULL, NULL);
    if (error == CL_SUCCESS && clFinish(s->queue) == CL_SUCCESS)
        return buffer;
    clReleaseMemObject(buffer);
    return NULL;
}

static cl_int put(const struct session *s, cl_mem buffer, size_t at, const uint16_t *x,
                  size_t n)
{
    return clEnqueueWriteBuffer(s->queue, buffer, CL_TRUE, at * sizeof *x,
                                n * sizeof *x, x, 0, NULL, NULL);
}

static cl_int get(const struct session *s, cl_mem buffer, size_t at, uint16_t *y,
                  size_t n)
{
    return clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, at * sizeof *y, n * sizeof *y,
                               y, 0, NULL, NULL);
}

static void run_in_place(struct tally *t, const clsm_problem *problem, cl_mem buffer)
{
    const struct session *s = &t->device->session;
    clsm_plan *plan = NULL;
    if (tally_ok(t, clsm_plan_create(s->engine, problem, &plan), "plan"))
        tally_ok(t, clsm_enqueue(plan, s->queue, buffer, 0, buffer, 0, 0, NULL, NULL),
                 "enqueue");
    tally_fact(t, clFinish(s->queue) == CL_SUCCESS, "the queue did not finish");
    clsm_plan_destroy(plan);
}

/* The rows to look at: ends, and where element 2^31 begins. */
static const size_t rows_of_interest[] = {0,     1,     32767,    32768,   40000,
                                          65535, 65536, ROWS - 2, ROWS - 1};

/* Every second of these has numbers of its own, the others the pattern. */
static void row_input(size_t k, const uint16_t *pattern, uint16_t *x)
{
    for (size_t c = 0; c < COLS; c++)
        x[c] = pattern[c % PATTERN];
    if (k % 2 == 0)
        input_fill(INPUT_WIDE_RANGE, 100 + k, CLSM_F16, x, 0, 1, COLS);
}

static void run_rows(struct tally *t, cl_mem buffer, const uint16_t *pattern)
{
    static uint16_t x[COLS], y[COLS];
    const struct session *s = &t->device->session;
    clsm_problem problem = problem_of(CLSM_SOFTMAX, CLSM_F16, CLSM_F16, ROWS, COLS);
    clsm_problem one = problem_of(CLSM_SOFTMAX, CLSM_F16, CLSM_F16, 1, COLS);
    clsm_report report = {.struct_bytes = sizeof report};
    for (size_t k = 0; k < COUNT(rows_of_interest); k++) {
        row_input(k, pattern, x);
        put(s, buffer, rows_of_interest[k] * COLS, x, COLS);
    }
    run_in_place(t, &problem, buffer);
    for (size_t k = 0; k < COUNT(rows_of_interest); k++) {
        row_input(k, pattern, x);
        get(s, buffer, rows_of_interest[k] * COLS, y, COLS);
        tally_ok(t, clsm_check(&one, x, y, &report), "check");
        tally_fact(t, report.pass, "row %zu: %.3g x the bound", rows_of_interest[k],
                   report.worst);
    }
}

START_TEST(tensor_past_2_to_the_31_elements_is_right)
{
    struct tally t = tally_of(_i);
    uint16_t pattern[PATTERN];
    cl_mem buffer = patterned(&t.device->session, (size_t)ROWS * COLS, pattern);
    if (tally_fact(&t, buffer != NULL, "no buffer of %zu elements",
                   (size_t)ROWS * COLS)) {
        run_rows(&t, buffer, pattern);
        clReleaseMemObject(buffer);
    }
    tally_end(&t);
}
END_TEST

static double sum_exp(const uint16_t *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += exp(clsm_element_get(CLSM_F16, x, i));
    return sum;
}

/* log-softmax, whose results f16 can hold: y = x - log(sum(exp(x))). */
static void check_ends(struct tally *t, cl_mem buffer, size_t at, const uint16_t *x,
                       double log_sum)
{
    uint16_t y[END];
    double worst = 0;
    get(&t->device->session, buffer, at, y, END);
    for (size_t i = 0; i < END; i++) {
        double want = clsm_element_get(CLSM_F16, x, i) - log_sum;
        double got = clsm_element_get(CLSM_F16, y, i);
        double excess = fabs(got - want) / clsm_element_ulp(CLSM_F16, want);
        worst = isnan(excess) ? INFINITY : fmax(worst, excess);
    }
    tally_fact(t, worst <= 1, "from column %zu: %.3g ulp", at, worst);
}

static void run_row(struct tally *t, cl_mem buffer, const uint16_t *pattern)
{
    const struct session *s = &t->device->session;
    size_t longest = longest_row(s);
    clsm_problem problem = problem_of(CLSM_LOG_SOFTMAX, CLSM_F16, CLSM_F16, 1, longest);
    uint16_t first[END], middle[END], last[END];
    input_fill(INPUT_RISING, 5, CLSM_F16, first, 0, 1, END);
    input_fill(INPUT_NORMAL, 6, CLSM_F16, last, 0, 1, END);
    for (size_t i = 0; i < END; i++)
        middle[i] = pattern[i % PATTERN];
    put(s, buffer, 0, first, END);
    put(s, buffer, longest - END, last, END);
    run_in_place(t, &problem, buffer);
    double patterns = (double)(longest - 2 * END) / PATTERN;
    double log_sum = log(sum_exp(first, END) + sum_exp(last, END) +
                         patterns * sum_exp(pattern, PATTERN));
    check_ends(t, buffer, 0, first, log_sum);
    check_ends(t, buffer, longest / 2, middle, log_sum);
    check_ends(t, buffer, longest - END, last, log_sum);
}

START_TEST(longest_row_is_right)
{
    struct tally t = tally_of(_i);
    uint16_t pattern[PATTERN];
    size_t longest = longest_row(&t.device->session);
    note(t.device, "the longest row is %zu", longest);
    cl_mem buffer = patterned(&t.device->session, longest, pattern);
    if (tally_fact(&t, buffer != NULL, "no buffer of %zu elements", longest)) {
        run_row(&t, buffer, pattern);
        clReleaseMemObject(buffer);
    }
    tally_end(&t);
}
END_TEST

void large_suite(Suite *suite, int device)
{
    const struct device *d = &devices[device];
    if (!asked_for("CLSM_TEST_LARGE")) {
        note(d, "nothing of 2^31 elements without CLSM_TEST_LARGE=1");
        return;
    }
    add_test(suite, device, NULL, longest_row_is_right);
    const uint64_t bytes = sizeof(uint16_t) * ROWS * COLS;
    if (session_has_room(&d->session, bytes, bytes))
        add_test(suite, device, NULL, tensor_past_2_to_the_31_elements_is_right);
    else
        note(d, "no room for a tensor of more than 2^31 elements");
}
