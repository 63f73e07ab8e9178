/* SPDX-License-Identifier: MIT */
/* The tensors of `clsoftmax run`: files in, held against x's shape; room for what is
 * written. */
#include "npy_file.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

/* What a tensor is of x's shape. */
enum form { LIKE_X, LIKE_MASK, EACH_SOFTMAX, EACH_HEAD, EACH_COLUMN, LIKE_Y, ONE };

static const struct {
    enum form form;
    bool real;          /* f4 or f8 as the problem computes */
    enum npy_want want; /* of what is read */
    int type;           /* of what is written, else */
} kinds[RUN_TENSORS] = {
#define KIND(tensor) [CLSM_##tensor - CLSM_X]
    KIND(X) = {LIKE_X, false, NPY_FLOATS, 0},
    KIND(Y) = {LIKE_Y, false, 0, 0},
    KIND(DY) = {LIKE_X, false, NPY_FLOATS, 0},
    KIND(MASK) = {LIKE_MASK, false, NPY_MASK, 0},
    KIND(TEMPERATURE) = {EACH_SOFTMAX, true, NPY_FLOATS, 0},
    KIND(SLOPES) = {EACH_HEAD, true, NPY_FLOATS, 0},
    KIND(SINKS) = {EACH_HEAD, true, NPY_FLOATS, 0},
    KIND(TARGETS) = {EACH_SOFTMAX, false, NPY_TARGETS, 0},
    KIND(WEIGHTS) = {EACH_COLUMN, true, NPY_FLOATS, 0},
    KIND(FROM_MAX) = {EACH_SOFTMAX, true, NPY_FLOATS, 0},
    KIND(FROM_SUM) = {EACH_SOFTMAX, true, NPY_FLOATS, 0},
    KIND(MAX) = {EACH_SOFTMAX, true, 0, 0},
    KIND(SUM) = {EACH_SOFTMAX, true, 0, 0},
    KIND(LSE) = {EACH_SOFTMAX, true, 0, 0},
    KIND(LOSS) = {EACH_SOFTMAX, true, 0, 0},
    KIND(INDICES) = {LIKE_Y, false, 0, NPY_I32},
    KIND(BAD_TARGETS) = {ONE, false, 0, NPY_U32},
#undef KIND
};

bool run_is_written(int tensor)
{
    return tensor == CLSM_Y || (tensor >= 0 && CLSM_WRITTEN_BITS & CLSM_BIT(tensor));
}

bool run_has(const struct run_job *job, int tensor)
{
    if (tensor < 0)
        return tensor == CLSM_X || job->op.y != CLSM_Y_NONE;
    return (job->op.needs | job->problem.operands) & CLSM_BIT(tensor);
}

static const char *name_of(int tensor)
{
    return clsm_operand_name((clsm_operand)tensor);
}

/* The shape that a tensor has, or should have, as an array. */
static void shape_of(const struct run_job *job, enum form form, struct npy *a)
{
    const size_t columns[] = {[CLSM_Y_ROW] = job->problem.cols,
                              [CLSM_Y_ONE] = 1,
                              [CLSM_Y_K] = job->problem.k,
                              [CLSM_Y_NONE] = 0};
    const struct npy *x = &job->tensors[0];
    const size_t axis = (size_t)job->before, after = (size_t)job->after;
    a->dims = x->dims;
    memcpy(a->shape, x->shape, sizeof a->shape);
    if (form == LIKE_Y) {
        a->shape[axis] = columns[job->op.y];
    } else if (form == EACH_SOFTMAX && x->dims > 1) {
        memmove(a->shape + axis, a->shape + axis + 1, after * sizeof *a->shape);
        a->dims--;
    } else if (form != LIKE_X) {
        a->dims = 1;
        a->shape[0] = form == EACH_HEAD     ? run_heads(job)
                      : form == EACH_COLUMN ? job->problem.cols
                                            : 1;
    }
}

static bool same_shape(const struct npy *a, const struct npy *b)
{
    return a->dims == b->dims &&
           memcmp(a->shape, b->shape, (size_t)a->dims * sizeof *a->shape) == 0;
}

static int check_shape(const struct run_job *job, int tensor)
{
    const int t = tensor - CLSM_X;
    const struct npy *a = &job->tensors[t];
    struct npy want, kept = job->tensors[0]; /* kept: with an axis of length 1 */
    char is[SHAPE_BYTES], expected[SHAPE_BYTES];
    if (kinds[t].form == LIKE_MASK)
        return EXIT_FINE;
    shape_of(job, kinds[t].form, &want);
    kept.shape[job->before] = 1;
    if (same_shape(a, &want) || (kinds[t].form == EACH_SOFTMAX && same_shape(a, &kept)))
        return EXIT_FINE;
    npy_spell_shape(a->dims, a->shape, is);
    npy_spell_shape(want.dims, want.shape, expected);
    return complain(EXIT_FAILED, "%s: %s has shape %s, expected %s%s", job->in[t],
                    name_of(tensor), is, expected,
                    kinds[t].form == EACH_SOFTMAX ? ", one per softmax"
                    : kinds[t].form == EACH_HEAD
                        ? ", one per head: the second dimension before the axis"
                    : kinds[t].form == EACH_COLUMN ? ", one per column"
                                                   : ", as x");
}

/* What the problem learns from the type of a file. */
static void take_type(clsm_problem *p, int tensor, int type)
{
    if (tensor == CLSM_DY)
        p->dy_type = (clsm_type)type;
    if (tensor == CLSM_TARGETS)
        p->target_type = type == NPY_I64 ? CLSM_TARGET_I64 : CLSM_TARGET_I32;
    if (tensor == CLSM_MASK)
        p->mask_type = type == CLSM_F32   ? CLSM_MASK_F32
                       : type == CLSM_F16 ? CLSM_MASK_F16
                                          : CLSM_MASK_BOOL;
}

static int read_one(struct run_job *job, int tensor)
{
    const int t = tensor - CLSM_X;
    enum npy_want want = kinds[t].want;
    char error[512];
    if (job->bf16 && tensor == CLSM_X)
        want = NPY_BF16;
    if (job->bf16 && tensor == CLSM_DY)
        want = NPY_FLOATS_OR_BF16;
    if (!npy_read(job->in[t], want, &job->tensors[t], error, sizeof error))
        return complain(EXIT_FAILED, "%s", error);
    if (tensor == CLSM_X)
        return run_shape(job);
    job->problem.operands |= CLSM_BIT(tensor);
    take_type(&job->problem, tensor, job->tensors[t].type);
    return check_shape(job, tensor);
}

/* The type of a "real" operand. */
static int real_type(const struct run_job *job, int tensor)
{
    size_t elements, bytes = 0;
    clsm_problem_extent(&job->problem, (clsm_operand)tensor, &elements, &bytes);
    return bytes == 8 ? CLSM_F64 : CLSM_F32;
}

static int convert(struct run_job *job, int tensor)
{
    struct npy *a = run_tensor(job, tensor);
    int type = real_type(job, tensor);
    if (a->type == type)
        return EXIT_FINE;
    void *data = malloc((a->count + 1) * npy_type_bytes(type));
    if (!data)
        return complain(EXIT_FAILED, "out of memory for %s", name_of(tensor));
    clsm_convert((clsm_type)a->type, a->data, (clsm_type)type, data, a->count);
    free(a->data);
    a->data = data;
    a->type = type;
    return EXIT_FINE;
}

static int make_room(struct run_job *job, int tensor)
{
    const int t = tensor - CLSM_X;
    struct npy *a = &job->tensors[t];
    shape_of(job, kinds[t].form, a);
    a->type = tensor == CLSM_Y ? (int)job->problem.y_type
              : kinds[t].real  ? real_type(job, tensor)
                               : kinds[t].type;
    if (npy_multiply(a->dims, a->shape, npy_type_bytes(a->type), &a->count))
        a->data = calloc(a->count + 1, npy_type_bytes(a->type));
    return a->data ? EXIT_FINE
                   : complain(EXIT_FAILED, "out of memory for %s", name_of(tensor));
}

/* What is asked for, and bad_targets always, as their number is told. */
static void ask_for_operands(struct run_job *job)
{
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++)
        if (job->out[o - CLSM_X])
            job->problem.operands |= CLSM_BIT(o);
    job->problem.operands |= job->op.may & CLSM_BIT(CLSM_BAD_TARGETS);
}

/* Everything is said: is it a problem? */
static int check_problem(struct run_job *job)
{
    size_t elements, bytes;
    ask_for_operands(job);
    run_place(job);
    if (job->problem.mask_type != CLSM_MASK_NONE) {
        int result = run_mask(job);
        if (result)
            return result;
    }
    return clsm_problem_extent(&job->problem, CLSM_X, &elements, &bytes) == CLSM_OK
               ? EXIT_FINE
               : complain(EXIT_USAGE, "%s", clsm_last_message());
}

/* One for each softmax. */
static int read_labels(struct run_job *job)
{
    char error[512];
    size_t n;
    if (!npy_read_labels(job->labels, &job->label, &n, error, sizeof error))
        return complain(EXIT_FAILED, "%s", error);
    return n == run_softmaxes(job)
               ? EXIT_FINE
               : complain(EXIT_FAILED,
                          "%s: has %zu labels, expected %zu, one per softmax",
                          job->labels, n, run_softmaxes(job));
}

int run_read(struct run_job *job)
{
    int result = EXIT_FINE;
    for (int t = 0; t < RUN_TENSORS && !result; t++)
        if (job->in[t])
            result = read_one(job, t + CLSM_X);
    if (!result)
        result = check_problem(job);
    if (!result && job->labels)
        result = read_labels(job);
    for (int t = 0; t < RUN_TENSORS && !result; t++)
        if (run_is_written(t + CLSM_X) && run_has(job, t + CLSM_X))
            result = make_room(job, t + CLSM_X);
        else if (kinds[t].real && job->in[t])
            result = convert(job, t + CLSM_X);
    return result;
}

void run_free(struct run_job *job)
{
    for (int t = 0; t < RUN_TENSORS; t++)
        npy_free(&job->tensors[t]);
    free(job->label);
}
