/* SPDX-License-Identifier: MIT */
/*
 * Loss and gradient by one kernel, the loss alone, and the best class: three plans,
 * made once for any number of rows, so that a last smaller batch compiles nothing.
 */
#include "output.h"

#include <stdlib.h>

static clsm_plan *open_plan(const struct device *d, clsm_op op, size_t classes)
{
    clsm_problem problem;
    clsm_plan *plan;
    clsm_problem_init(&problem, op, CLSM_F32, 0, classes);
    problem.flags = CLSM_OPEN_ROWS;
    check(clsm_plan_create(d->engine, &problem, &plan), "clsm_plan_create");
    return plan;
}

void output_create(struct output *o, const struct device *d, size_t classes,
                   size_t max_rows)
{
    o->device = d;
    o->gradient = open_plan(d, CLSM_CROSS_ENTROPY, classes);
    o->loss = open_plan(d, CLSM_CROSS_ENTROPY_LOSS, classes);
    o->best = open_plan(d, CLSM_TOPK, classes); /* k is 1 if nobody says otherwise */
    o->losses = new_buffer(d, max_rows * sizeof(float), NULL);
    o->top = new_buffer(d, max_rows * sizeof(float), NULL);
    o->top_class = new_buffer(d, max_rows * sizeof(cl_int), NULL);
}

void output_destroy(struct output *o)
{
    clsm_plan_destroy(o->gradient);
    clsm_plan_destroy(o->loss);
    clsm_plan_destroy(o->best);
    clReleaseMemObject(o->losses);
    clReleaseMemObject(o->top);
    clReleaseMemObject(o->top_class);
}

void output_gradient(const struct output *o, cl_mem logits, const struct batch *b)
{
    clsm_args args;
    check(clsm_args_init(o->gradient, &args), "clsm_args_init");
    args.rows = b->rows;
    args.x = args.y = logits;
    args.operand[CLSM_TARGETS] = (clsm_buffer){b->targets, b->first};
    args.operand[CLSM_LOSS].memory = o->losses;
    args.grad_scale = 1 / (double)b->rows;
    check(clsm_enqueue_args(o->gradient, o->device->queue, &args, 0, NULL, NULL),
          "clsm_enqueue_args");
}

void output_loss(const struct output *o, cl_mem logits, const struct batch *b)
{
    clsm_args args;
    check(clsm_args_init(o->loss, &args), "clsm_args_init");
    args.rows = b->rows;
    args.x = logits;
    args.y = o->losses;
    args.operand[CLSM_TARGETS] = (clsm_buffer){b->targets, b->first};
    check(clsm_enqueue_args(o->loss, o->device->queue, &args, 0, NULL, NULL),
          "clsm_enqueue_args");
}

double output_mean_loss(const struct output *o, size_t rows)
{
    float *losses = malloc(rows * sizeof *losses);
    double sum = 0;
    if (!losses)
        fail("out of memory");
    read_buffer(o->device, o->losses, rows * sizeof *losses, losses);
    for (size_t i = 0; i < rows; i++)
        sum += losses[i];
    free(losses);
    return sum / (double)rows;
}

void output_classes(const struct output *o, cl_mem logits, size_t rows, cl_int *classes)
{
    clsm_args args;
    check(clsm_args_init(o->best, &args), "clsm_args_init");
    args.rows = rows;
    args.x = logits;
    args.y = o->top;
    args.operand[CLSM_INDICES].memory = o->top_class;
    check(clsm_enqueue_args(o->best, o->device->queue, &args, 0, NULL, NULL),
          "clsm_enqueue_args");
    read_buffer(o->device, o->top_class, rows * sizeof *classes, classes);
}
