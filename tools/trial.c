/* SPDX-License-Identifier: MIT */
/* Running a conformance trial. */
#include "trial.h"

#include "fenced.h"
#include "outputs.h"

#include <stdio.h>
#include <string.h>

static void complain(struct verdict *v, const char *what)
{
    if (!v->complaint[0])
        snprintf(v->complaint, sizeof v->complaint, "%s", what);
}

static size_t bytes_of(const struct tensor *t)
{
    return t->elements * t->element_bytes;
}

/* The buffers of one run, and the memory of those that are fenced. */
struct buffers {
    cl_mem of[TENSORS];
    struct fenced fenced[TENSORS];
};

/* The buffer of a tensor that ends where its memory ends; one without elements has
 * some. */
static cl_mem fenced_buffer(const struct session *s, const struct tensor *one,
                            struct fenced *fenced)
{
    cl_int error;
    size_t bytes = (one->offset + one->extent) * one->element_bytes;
    if (!bytes)
        return session_buffer(s, bytes_of(one), one->data);
    *fenced = fenced_copy(one->data, bytes);
    return fenced->copy
               ? clCreateBuffer(s->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR,
                                bytes, fenced->copy, &error)
               : NULL;
}

static clsm_status make_buffers(const struct session *s, const struct trial *trial,
                                const struct tensors *t, struct buffers *buffers)
{
    const int shared = tensors_y_is(trial);
    for (int k = 0; k < TENSORS; k++) {
        const struct tensor *one = &t->of[k];
        bool is_shared_y = k == CLSM_Y - CLSM_X && shared >= 0;
        if (!one->data || is_shared_y)
            continue;
        buffers->of[k] = trial->fenced && !one->written && k != shared
                             ? fenced_buffer(s, one, &buffers->fenced[k])
                             : session_buffer(s, bytes_of(one), one->data);
        if (!buffers->of[k])
            return failed(CLSM_ERR_OPENCL, "the device refused a buffer");
    }
    if (shared >= 0 && t->of[CLSM_Y - CLSM_X].data) {
        buffers->of[CLSM_Y - CLSM_X] = buffers->of[shared];
        clRetainMemObject(buffers->of[shared]);
    }
    return CLSM_OK;
}

static void release_buffers(struct buffers *buffers)
{
    for (int k = 0; k < TENSORS; k++) {
        if (buffers->of[k])
            clReleaseMemObject(buffers->of[k]);
        fenced_free(&buffers->fenced[k]);
    }
}

static clsm_status enqueue(const struct session *s, clsm_plan *plan,
                           const struct trial *trial, const struct tensors *t,
                           const cl_mem buffers[TENSORS])
{
    clsm_args args;
    clsm_status status = clsm_args_init(plan, &args);
    if (status != CLSM_OK)
        return status;
    tensors_call(trial, t, &args);
    args.x = buffers[0];
    args.y = buffers[CLSM_Y - CLSM_X];
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++)
        args.operand[o].memory = buffers[o - CLSM_X];
    return clsm_enqueue_args(plan, s->queue, &args, 0, NULL, NULL);
}

/* Upload, enqueue, read back into the host copies of what is written. */
static clsm_status run_once(const struct session *s, clsm_plan *plan,
                            const struct trial *trial, struct tensors *t)
{
    struct buffers buffers = {.of = {NULL}};
    clsm_status status = make_buffers(s, trial, t, &buffers);
    if (status == CLSM_OK)
        status = enqueue(s, plan, trial, t, buffers.of);
    for (int k = 0; k < TENSORS && status == CLSM_OK; k++)
        if (t->of[k].written && t->of[k].data &&
            clEnqueueReadBuffer(s->queue, buffers.of[k], CL_TRUE, 0,
                                bytes_of(&t->of[k]), t->of[k].data, 0, NULL,
                                NULL) != CL_SUCCESS)
            status = failed(CLSM_ERR_OPENCL, "a buffer could not be read");
    clFinish(s->queue);
    release_buffers(&buffers);
    return status;
}

/* The runs themselves: twice from the same bytes, which must give the same bytes. */
static void run_twice(const struct session *s, clsm_plan *plan,
                      const struct trial *trial, struct tensors *t, struct verdict *v)
{
    struct outputs before, first = {{NULL}};
    char wrong[COMPLAINT_BYTES];
    const int shared = tensors_y_is(trial);
    struct tensor *y = &t->of[CLSM_Y - CLSM_X];
    if (shared >= 0 && y->data)
        memcpy(y->data, t->of[shared].data, bytes_of(y));
    bool good = outputs_take(t, &before);
    v->status = good ? run_once(s, plan, trial, t) : out_of_memory();
    good = good && outputs_take(t, &first);
    if (v->status == CLSM_OK && !good)
        v->status = out_of_memory();
    if (v->status == CLSM_OK) {
        outputs_put(&before, t);
        v->status = run_once(s, plan, trial, t);
    }
    if (v->status == CLSM_OK) {
        outputs_compare(trial, t, &before, &first, wrong);
        if (*wrong)
            complain(v, wrong);
    }
    outputs_free(&before);
    outputs_free(&first);
}

bool trial_run(const struct session *s, const struct trial *trial, clsm_plan *given,
               struct verdict *v)
{
    struct tensors t = {{{NULL, 0, 0, 0, 0, false}}};
    clsm_plan *plan = given;
    clsm_plan_info info = {.struct_bytes = sizeof info};
    *v = (struct verdict){.report.struct_bytes = sizeof v->report};
    if (!plan)
        v->status = clsm_plan_create(s->engine, &trial->problem, &plan);
    if (v->status == CLSM_OK)
        v->status = clsm_plan_get_info(plan, &info);
    snprintf(v->variant, sizeof v->variant, "%s", info.variant);
    if (v->status == CLSM_OK)
        v->status = tensors_make(trial, &t);
    if (v->status == CLSM_OK)
        run_twice(s, plan, trial, &t, v);
    char wrong[COMPLAINT_BYTES] = "";
    if (v->status == CLSM_OK)
        v->status = outputs_judge(trial, &t, &v->report, wrong);
    if (*wrong)
        complain(v, wrong);
    if (v->status != CLSM_OK)
        complain(v, last_failure());
    if (plan != given)
        clsm_plan_destroy(plan);
    tensors_free(&t);
    return v->status == CLSM_OK && !v->complaint[0];
}
