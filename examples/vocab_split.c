/* SPDX-License-Identifier: MIT */
/*
 * A language model's logits split by columns over all OpenCL devices, each with a
 * context of its own: no device ever sees a whole row. Two numbers a row and part, the
 * largest logit and the sum below it, are all that the parts exchange. One device alone
 * takes three parts.
 */
#include <clsoftmax.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 64, COLS = 50257, MAX_PARTS = 16, PARTS_ALONE = 3 };

static float logits[ROWS * COLS], probs[ROWS * COLS];
static double expected[ROWS * COLS];

/* The columns of one device, with all that it needs for them. */
struct part {
    clsm_device_info info;
    cl_context context;
    cl_command_queue queue;
    clsm_engine *engine;
    size_t first, cols;
    cl_mem x, max, sum;
};

static void check(int status, const char *call)
{
    if (status == 0)
        return;
    fprintf(stderr, "%s: status %d %s\n", call, status, clsm_last_message());
    exit(1);
}

/* Every device that can be used; of a single one, three parts. */
static int find_parts(struct part *parts)
{
    unsigned devices;
    int n = 0;
    check(clsm_device_count(&devices), "clsm_device_count");
    for (unsigned i = 0; i < devices && n < MAX_PARTS; i++) {
        clsm_device_info info = {.struct_bytes = sizeof info};
        check(clsm_device_get(i, &info), "clsm_device_get");
        if (info.score > 0)
            parts[n++].info = info;
    }
    if (n == 1)
        for (; n < PARTS_ALONE; n++)
            parts[n].info = parts[0].info;
    return n;
}

static cl_mem buffer(const struct part *p, size_t floats)
{
    cl_int e;
    cl_mem memory =
        clCreateBuffer(p->context, CL_MEM_READ_WRITE, floats * sizeof(float), NULL, &e);
    check(e, "clCreateBuffer");
    return memory;
}

static void open_part(struct part *p)
{
    cl_int e;
    cl_device_id device = p->info.device;
    p->context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    check(e, "clCreateContext");
    p->queue = clCreateCommandQueue(p->context, device, 0, &e);
    check(e, "clCreateCommandQueue");
    check(clsm_engine_create(p->context, device, &p->engine), "clsm_engine_create");
    p->x = buffer(p, ROWS * p->cols);
    p->max = buffer(p, ROWS);
    p->sum = buffer(p, ROWS);
}

static void close_part(struct part *p)
{
    clReleaseMemObject(p->x);
    clReleaseMemObject(p->max);
    clReleaseMemObject(p->sum);
    clsm_engine_destroy(p->engine);
    clReleaseCommandQueue(p->queue);
    clReleaseContext(p->context);
}

/* The part's columns, to the device or, as probabilities in their place, back. */
static void move(const struct part *p, cl_bool back)
{
    const size_t width = p->cols * sizeof(float), start[3] = {0, 0, 0};
    const size_t from[3] = {p->first * sizeof(float), 0, 0}, size[3] = {width, ROWS, 1};
    if (back)
        check(clEnqueueReadBufferRect(p->queue, p->x, CL_TRUE, start, from, size, width,
                                      0, sizeof(float) * COLS, 0, probs, 0, NULL, NULL),
              "clEnqueueReadBufferRect");
    else
        check(clEnqueueWriteBufferRect(p->queue, p->x, CL_FALSE, start, from, size,
                                       width, 0, sizeof(float) * COLS, 0, logits, 0,
                                       NULL, NULL),
              "clEnqueueWriteBufferRect");
}

/* Queue an operation on the part. Statistics are written to the part's max and sum, and
 * finish_softmax reads them there; each looks only at its own operands. */
static void queue_op(const struct part *p, clsm_op op)
{
    clsm_problem problem;
    clsm_plan *plan;
    clsm_args args;
    const clsm_buffer max = {.memory = p->max}, sum = {.memory = p->sum};
    clsm_problem_init(&problem, op, CLSM_F32, ROWS, p->cols);
    check(clsm_plan_create(p->engine, &problem, &plan), "clsm_plan_create");
    check(clsm_args_init(plan, &args), "clsm_args_init");
    args.x = args.y = p->x;
    args.operand[op == CLSM_STATISTICS ? CLSM_MAX : CLSM_FROM_MAX] = max;
    args.operand[op == CLSM_STATISTICS ? CLSM_SUM : CLSM_FROM_SUM] = sum;
    check(clsm_enqueue_args(plan, p->queue, &args, 0, NULL, NULL), "clsm_enqueue_args");
    check(clFlush(p->queue), "clFlush");
    clsm_plan_destroy(plan);
}

/* What stands for the exchange between ranks: every part's max and sum come here and
 * each gets those of the whole rows. Sums below another maximum are brought to the
 * common one. */
static void merge(const struct part *parts, int n)
{
    static float max[MAX_PARTS][ROWS], sum[MAX_PARTS][ROWS], all_max[ROWS],
        all_sum[ROWS];
    const size_t bytes = sizeof all_max;
    for (int i = 0; i < n; i++) {
        const struct part *p = parts + i;
        check(clEnqueueReadBuffer(p->queue, p->max, 1, 0, bytes, max[i], 0, NULL, NULL),
              "clEnqueueReadBuffer");
        check(clEnqueueReadBuffer(p->queue, p->sum, 1, 0, bytes, sum[i], 0, NULL, NULL),
              "clEnqueueReadBuffer");
    }
    for (int r = 0; r < ROWS; r++) {
        double total = 0;
        all_max[r] = max[0][r];
        for (int i = 1; i < n; i++)
            all_max[r] = fmaxf(all_max[r], max[i][r]);
        for (int i = 0; i < n; i++)
            total += sum[i][r] * exp((double)max[i][r] - all_max[r]);
        all_sum[r] = (float)total;
    }
    for (int i = 0; i < n; i++) {
        const struct part *p = parts + i;
        check(
            clEnqueueWriteBuffer(p->queue, p->max, 1, 0, bytes, all_max, 0, NULL, NULL),
            "clEnqueueWriteBuffer");
        check(
            clEnqueueWriteBuffer(p->queue, p->sum, 1, 0, bytes, all_sum, 0, NULL, NULL),
            "clEnqueueWriteBuffer");
    }
}

/* A row against the reference of the whole row: within the library's bound, and two
 * roundings more, of the merged sum and of its reciprocal. */
static int wrong_in_row(size_t r, double *worst)
{
    const float *x = logits + r * COLS, *y = probs + r * COLS;
    const double *want = expected + r * COLS;
    double max = x[0], total = 0;
    int wrong = 0;
    for (size_t c = 1; c < COLS; c++)
        max = fmax(max, x[c]);
    for (size_t c = 0; c < COLS; c++) {
        const double units = 8 + 2 * (max - x[c]) + 2;
        const double error =
            fabs(y[c] - want[c]) / (units * 0x1p-24 * want[c] + FLT_MIN);
        *worst = fmax(*worst, error);
        wrong += !(error <= 1);
        total += y[c];
    }
    return wrong + !(fabs(total - 1) < 1e-5);
}

static int judge(void)
{
    clsm_problem problem;
    double worst = 0;
    int wrong = 0;
    clsm_problem_init(&problem, CLSM_SOFTMAX, CLSM_F32, ROWS, COLS);
    check(clsm_reference(&problem, logits, expected), "clsm_reference");
    for (size_t r = 0; r < ROWS; r++)
        wrong += wrong_in_row(r, &worst);
    printf("%d x %d probabilities: %d wrong, largest error %.0f%% of its bound\n", ROWS,
           COLS, wrong, 100 * worst);
    return wrong != 0;
}

/* Logits from -12 to 12. Each row's largest stands elsewhere, so that no part is right
 * about every row. */
static void fill(void)
{
    for (size_t i = 0; i < ROWS * COLS; i++)
        logits[i] = (float)(i * 2654435761u % 24001) / 1000 - 12;
    for (size_t r = 0; r < ROWS; r++)
        logits[r * COLS + r * COLS / ROWS] = 20;
}

int main(void)
{
    static struct part parts[MAX_PARTS];
    const int n = find_parts(parts);
    if (n == 0)
        return fprintf(stderr, "no OpenCL device\n"), 77;
    fill();
    for (int i = 0; i < n; i++) {
        parts[i].first = (size_t)COLS * (size_t)i / (size_t)n;
        parts[i].cols = (size_t)COLS * (size_t)(i + 1) / (size_t)n - parts[i].first;
        printf("columns %5zu to %5zu: %5zu on %s\n", parts[i].first,
               parts[i].first + parts[i].cols - 1, parts[i].cols, parts[i].info.name);
        open_part(&parts[i]);
        move(&parts[i], CL_FALSE);
        queue_op(&parts[i], CLSM_STATISTICS);
    }
    merge(parts, n);
    for (int i = 0; i < n; i++)
        queue_op(&parts[i], CLSM_FINISH_SOFTMAX);
    for (int i = 0; i < n; i++)
        move(&parts[i], CL_TRUE);
    for (int i = 0; i < n; i++)
        close_part(&parts[i]);
    return judge();
}
