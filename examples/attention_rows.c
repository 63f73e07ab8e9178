/* SPDX-License-Identifier: MIT */
/*
 * The softmax inside causal attention: scores of two batches with two heads, scaled by
 * 1 / sqrt(d), with ALiBi's slope of each head, and no query seeing keys after itself.
 * The five queries are the last of eight positions, as when a decoder goes on from a
 * cache.
 */
#include <clsoftmax.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 2, HEADS = 2, QUERIES = 5, KEYS = 8, HEAD_DIM = 64 };
enum { OFFSET = KEYS - QUERIES, ROWS = BATCH * HEADS * QUERIES, CELLS = ROWS * KEYS };

static float scores[CELLS], probs[CELLS];
static float slopes[HEADS]; /* 2^-4, 2^-8: ALiBi's series for two heads */

static void check(int status, const char *call)
{
    if (status == 0)
        return;
    fprintf(stderr, "%s: status %d %s\n", call, status, clsm_last_message());
    exit(1);
}

/* Scores as a product of queries and keys of 64 numbers would have them, a few times
 * sqrt(64), and ALiBi's slopes. */
static void fill(void)
{
    for (int i = 0; i < CELLS; i++)
        scores[i] = (float)(i * 37 % 101 - 50) / 2;
    for (int h = 0; h < HEADS; h++)
        slopes[h] = (float)pow(2, -8.0 * (h + 1) / HEADS);
}

static clsm_problem attention(void)
{
    clsm_problem problem;
    clsm_problem_init(&problem, CLSM_SOFTMAX, CLSM_F32, ROWS, KEYS);
    problem.queries = QUERIES;
    problem.heads = HEADS;
    problem.scale = 1 / sqrt(HEAD_DIM);
    problem.operands = CLSM_BIT(CLSM_SLOPES);
    problem.flags = CLSM_CAUSAL;
    problem.causal_offset = OFFSET;
    return problem;
}

/* Probabilities take the scores' place. */
static void run(cl_context context, cl_device_id device, const clsm_problem *problem)
{
    cl_int e;
    clsm_engine *engine;
    clsm_plan *plan;
    clsm_args args;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
    check(e, "clCreateCommandQueue");
    check(clsm_engine_create(context, device, &engine), "clsm_engine_create");
    check(clsm_plan_create(engine, problem, &plan), "clsm_plan_create");

    check(clsm_args_init(plan, &args), "clsm_args_init");
    args.x = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof scores, scores, &e);
    check(e, "clCreateBuffer");
    args.y = args.x;
    cl_mem s = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof slopes, slopes, &e);
    check(e, "clCreateBuffer");
    args.operand[CLSM_SLOPES].memory = s;
    check(clsm_enqueue_args(plan, queue, &args, 0, NULL, NULL), "clsm_enqueue_args");
    e = clEnqueueReadBuffer(queue, args.y, CL_TRUE, 0, sizeof probs, probs, 0, NULL,
                            NULL);
    check(e, "clEnqueueReadBuffer");

    clReleaseMemObject(args.x);
    clReleaseMemObject(s);
    clsm_plan_destroy(plan);
    clsm_engine_destroy(engine);
    clReleaseCommandQueue(queue);
}

/* Every probability against the double-precision reference. */
static int agrees(const clsm_problem *problem)
{
    clsm_host_args host = {.struct_bytes = sizeof host, .x = scores, .y = probs};
    clsm_report report = {.struct_bytes = sizeof report};
    host.operand[CLSM_SLOPES] = slopes;
    check(clsm_check_args(problem, &host, &report), "clsm_check_args");
    printf(
        "%llu probabilities checked, %llu wrong; largest error %.0f%% of its bound\n",
        (unsigned long long)report.checked, (unsigned long long)report.failed,
        100 * report.worst);
    return report.pass;
}

/* Keys after a query have no weight at all, those up to it have some. */
static int triangular(void)
{
    int wrong = 0;
    for (int i = 0; i < CELLS; i++)
        wrong += (probs[i] > 0) != (i % KEYS <= i / KEYS % QUERIES + OFFSET);
    return wrong == 0;
}

static void show(int batch, int head)
{
    const float *p = probs + (batch * HEADS + head) * QUERIES * KEYS;
    printf("batch %d, head %d, slope %g\n", batch, head, slopes[head]);
    for (int q = 0; q < QUERIES; q++) {
        printf("  query %d: ", q + OFFSET);
        for (int k = 0; k < KEYS; k++)
            printf(" %6.*f", p[q * KEYS + k] > 0 ? 4 : 0, p[q * KEYS + k]);
        printf("\n");
    }
}

int main(void)
{
    clsm_device_info info = {.struct_bytes = sizeof info};
    const clsm_status status = clsm_device_find(NULL, &info);
    if (status == CLSM_ERR_NO_DEVICE)
        return fprintf(stderr, "%s\n", clsm_last_message()), 77;
    check(status, "clsm_device_find");
    cl_int e;
    cl_context context = clCreateContext(NULL, 1, &info.device, NULL, NULL, &e);
    check(e, "clCreateContext");

    fill();
    const clsm_problem problem = attention();
    run(context, info.device, &problem);
    show(1, 0);
    const int good = agrees(&problem) && triangular();
    clReleaseContext(context);
    return !good;
}
