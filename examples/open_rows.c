/* SPDX-License-Identifier: MIT */
/*
 * One plan for a decoder: the batch changes and the rows grow by one column a step, yet
 * nothing is compiled after the plan is made. The counters at the end show it.
 */
#include <clsoftmax.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_ROWS = 32, MAX_COLS = 256, STEPS = 200 };

static float scores[MAX_ROWS * MAX_COLS], probs[MAX_ROWS * MAX_COLS];

static void check(int status, const char *call)
{
    if (status == 0)
        return;
    fprintf(stderr, "%s: status %d %s\n", call, status, clsm_last_message());
    exit(1);
}

/* Programs that this process has built, or loaded from the disk cache, so far. */
static unsigned long long builds(void)
{
    clsm_counters counters = {.struct_bytes = sizeof counters};
    check(clsm_get_counters(&counters), "clsm_get_counters");
    return counters.programs;
}

/* A plan for at most MAX_COLS columns and any number of rows. */
static clsm_plan *open_plan(clsm_engine *engine)
{
    clsm_problem problem;
    clsm_plan *plan;
    clsm_problem_init(&problem, CLSM_SOFTMAX, CLSM_F32, 0, MAX_COLS);
    problem.flags = CLSM_OPEN_ROWS | CLSM_OPEN_COLS;
    check(clsm_plan_create(engine, &problem, &plan), "clsm_plan_create");
    return plan;
}

/* Softmax of the first rows x cols scores, packed, into probs. */
static void softmax(clsm_plan *plan, cl_command_queue queue, clsm_args *args)
{
    size_t bytes = args->rows * args->cols * sizeof *scores;
    check(
        clEnqueueWriteBuffer(queue, args->x, CL_FALSE, 0, bytes, scores, 0, NULL, NULL),
        "clEnqueueWriteBuffer");
    check(clsm_enqueue_args(plan, queue, args, 0, NULL, NULL), "clsm_enqueue_args");
    check(clEnqueueReadBuffer(queue, args->y, CL_TRUE, 0, bytes, probs, 0, NULL, NULL),
          "clEnqueueReadBuffer");
}

/* How many rows do not sum to 1. */
static int wrong_rows(size_t rows, size_t cols)
{
    int wrong = 0;
    for (size_t r = 0; r < rows; r++) {
        double sum = 0;
        for (size_t c = 0; c < cols; c++)
            sum += probs[r * cols + c];
        wrong += !(sum > 1 - 1e-5 && sum < 1 + 1e-5);
    }
    return wrong;
}

static void show(size_t rows, size_t cols)
{
    printf("%2zu rows of %3zu: %f ... %f\n", rows, cols, probs[0], probs[cols - 1]);
}

static int decode(clsm_engine *engine, cl_command_queue queue, cl_mem x, cl_mem y)
{
    clsm_plan *plan = open_plan(engine);
    clsm_args args;
    check(clsm_args_init(plan, &args), "clsm_args_init");
    args.x = x;
    args.y = y;
    const unsigned long long before = builds();
    int wrong = 0;
    for (size_t step = 0; step < STEPS; step++) {
        args.rows = 1 + step * 7 % MAX_ROWS;
        args.cols = 1 + step;
        softmax(plan, queue, &args);
        wrong += wrong_rows(args.rows, args.cols);
        if (step % 40 == 39)
            show(args.rows, args.cols);
    }
    const unsigned long long during = builds() - before;
    printf("builds: %llu before the first step, %llu in the %d steps; wrong rows: %d\n",
           before, during, STEPS, wrong);
    clsm_plan_destroy(plan);
    return wrong != 0 || during != 0;
}

int main(void)
{
    clsm_device_info info = {.struct_bytes = sizeof info};
    const clsm_status status = clsm_device_find(NULL, &info);
    if (status == CLSM_ERR_NO_DEVICE)
        return fprintf(stderr, "%s\n", clsm_last_message()), 77;
    check(status, "clsm_device_find");
    printf("%s: %s\n", info.name, info.reason);

    cl_int e;
    cl_context context = clCreateContext(NULL, 1, &info.device, NULL, NULL, &e);
    check(e, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, info.device, 0, &e);
    check(e, "clCreateCommandQueue");
    cl_mem x = clCreateBuffer(context, CL_MEM_READ_ONLY, sizeof scores, NULL, &e);
    check(e, "clCreateBuffer");
    cl_mem y = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof probs, NULL, &e);
    check(e, "clCreateBuffer");
    clsm_engine *engine;
    check(clsm_engine_create(context, info.device, &engine), "clsm_engine_create");

    for (size_t i = 0; i < MAX_ROWS * MAX_COLS; i++)
        scores[i] = (float)(i * 37 % 101) / 10;
    const int failed = decode(engine, queue, x, y);

    clsm_engine_destroy(engine);
    clReleaseMemObject(x);
    clReleaseMemObject(y);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return failed;
}
