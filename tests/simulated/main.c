/* SPDX-License-Identifier: MIT */
/*
 * Runs one kernel on the machine of machine.h; simulated.py compiles it.
 *
 *     simulated source FILE CASE...
 *     simulated run LIBRARY CASE...
 *
 * A case is what case.h says. The first writes the kernel's source and prints its
 * options; the second runs LIBRARY's kernel twice, in other orders and with what the
 * first run left in shared memory, and compares with the reference.
 */
#include "case.h"
#include "fenced.h"
#include "machine.h"
#include "outputs.h"

#include "convert.h"
#include "launch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EPOCH = 7, MOST_TENSORS = 9 };

typedef void *tensor;

/* A kernel as dlsym gives it, and as it is called: x, y, and what operands a plan has.
 */
union kernel {
    void *symbol;
#define ARGUMENTS struct shape shape, void *shared
    void (*of_2)(tensor, tensor, ARGUMENTS);
    void (*of_3)(tensor, tensor, tensor, ARGUMENTS);
    void (*of_4)(tensor, tensor, tensor, tensor, ARGUMENTS);
    void (*of_5)(tensor, tensor, tensor, tensor, tensor, ARGUMENTS);
    void (*of_6)(tensor, tensor, tensor, tensor, tensor, tensor, ARGUMENTS);
    void (*of_7)(tensor, tensor, tensor, tensor, tensor, tensor, tensor, ARGUMENTS);
    void (*of_8)(tensor, tensor, tensor, tensor, tensor, tensor, tensor, tensor,
                 ARGUMENTS);
    void (*of_9)(tensor, tensor, tensor, tensor, tensor, tensor, tensor, tensor, tensor,
                 ARGUMENTS);
#undef ARGUMENTS
};

/* What one work-group's work-items are given. Each has a copy of the library, for the
 * local memory in it. */
struct call {
    union kernel kernel;
    tensor t[MOST_TENSORS];
    unsigned tensors;
    struct shape shape;
    void *shared;
};

static union kernel load_copy(const char *library, unsigned number)
{
    char path[512], command[1200];
    snprintf(path, sizeof path, "%s.%u", library, number);
    snprintf(command, sizeof command, "cp '%s' '%s'", library, path);
    void *handle = system(command) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!handle)
        exit(fail(path, dlerror()));
    return (union kernel){dlsym(handle, "clsm_row")};
}

static void work_item(void *argument)
{
    const struct call *c = argument;
    const union kernel f = c->kernel;
    const tensor *t = c->t;
#define REST c->shape, c->shared
    switch (c->tensors) {
    case 2:
        f.of_2(t[0], t[1], REST);
        break;
    case 3:
        f.of_3(t[0], t[1], t[2], REST);
        break;
    case 4:
        f.of_4(t[0], t[1], t[2], t[3], REST);
        break;
    case 5:
        f.of_5(t[0], t[1], t[2], t[3], t[4], REST);
        break;
    case 6:
        f.of_6(t[0], t[1], t[2], t[3], t[4], t[5], REST);
        break;
    case 7:
        f.of_7(t[0], t[1], t[2], t[3], t[4], t[5], t[6], REST);
        break;
    case 8:
        f.of_8(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], REST);
        break;
    default:
        f.of_9(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], REST);
    }
#undef REST
}

/* Its maximum is 0, and its log-sum-exp what one other element adds to that. */
static void fill_lonely(const struct trial *trial, struct tensors *t)
{
    const clsm_problem *p = &trial->problem;
    for (size_t r = 0; r < p->rows; r++)
        for (size_t i = 0; i < p->inner; i++) {
            size_t n = r * p->inner + i, top = n % p->cols;
            for (size_t c = 0; c < p->cols; c++) {
                double v = c == top                   ? 0
                           : c == (top + 1) % p->cols ? -0.25 * (double)(n % 64)
                                                      : -90;
                size_t at = tensors_x_place(trial, r, c, i);
                clsm_element_set(p->x_type, t->of[0].data, at, v);
            }
        }
}

/* A saved output whose first column is nearly all of each row, and a dy of numbers
 * whose sums are finite, while 32 times as much is not; of rows without gaps. */
static void fill_large(const struct trial *trial, struct tensors *t)
{
    const clsm_problem *p = &trial->problem;
    struct tensor *x = &t->of[0], *dy = &t->of[CLSM_DY - CLSM_X];
    for (size_t n = 0; n < p->rows * p->cols; n++) {
        double y = n % p->cols ? 0.1 / (double)p->cols : 0.9;
        double large = (1 + (double)(n * 37 % 64) / 64) * 0x1p+123;
        clsm_element_set(p->x_type, x->data, x->offset + n, y);
        clsm_element_set(p->dy_type, dy->data, dy->offset + n, n % 2 ? -large : large);
    }
}

/* Counters and tickets go back to 0. */
static bool counts_are_back(const unsigned *shared)
{
    for (unsigned i = 0; i < SHARED_COUNTS; i++)
        if (shared[i])
            return false;
    return true;
}

/* One stage, by work-groups of which each has a copy of the library. */
static bool run_groups(const char *library, const struct simulated_case *c,
                       struct call call, unsigned groups, unsigned long seed)
{
    static union kernel copies[MOST_GROUPS];
    struct call calls[MOST_GROUPS];
    void *arguments[MOST_GROUPS];
    if (groups > MOST_GROUPS)
        exit(fail(library, "more work-groups than there are copies"));
    for (unsigned g = 0; g < groups; g++) {
        if (!copies[g].symbol)
            copies[g] = load_copy(library, g);
        calls[g] = call;
        calls[g].kernel = copies[g];
        arguments[g] = calls + g;
    }
    return machine_run(work_item, arguments, groups,
                       (unsigned)clsm_config_wg(&c->config), seed);
}

/* All stages. */
static bool run_stages(const char *library, const struct simulated_case *c,
                       struct call call, unsigned long seed)
{
    unsigned groups = c->groups;
    const struct problem *p = &c->checked;
    unsigned stages = clsm_config_stages(&c->config, p);
    size_t per_group = clsm_config_rows_per_group(&c->config, p, c->device);
    size_t tiles = (call.shape.rows + per_group - 1) / per_group;
    size_t pieces = clsm_config_pieces(&c->config, p, c->device);
    for (unsigned stage = 0; stages; stage++, stages >>= 1) {
        if (!(stages & 1))
            continue;
        call.shape.stage = stage;
        call.shape.groups = clsm_stage_groups(stage, call.shape.parts, pieces);
        if (clsm_variants[c->config.variant].launches)
            groups = (unsigned)(tiles * call.shape.groups);
        if (!run_groups(library, c, call, groups, seed))
            return false;
    }
    return true;
}

/* Behind what is only read there is no memory. */
static tensor buffer_of(const struct tensor *one, struct fenced *fenced)
{
    size_t bytes = (one->offset + one->extent) * one->element_bytes;
    if (one->written || !one->data || !bytes)
        return one->data;
    *fenced = fenced_copy(one->data, bytes);
    if (!fenced->copy)
        exit(fail("a fenced copy", "no memory"));
    return fenced->copy;
}

/* The buffers, as a launch has them. */
static struct call call_of(const struct simulated_case *c, const struct tensors *t,
                           void *shared, struct fenced fenced[TENSORS])
{
    const struct problem *p = &c->checked;
    const int shared_with_y = tensors_y_is(&c->trial);
    clsm_args args = {.struct_bytes = sizeof args};
    tensor x = buffer_of(&t->of[0], &fenced[0]), y = t->of[CLSM_Y - CLSM_X].data;
    struct call call = {.t = {shared_with_y == 0 ? y : x, y}, .tensors = 2};
    tensors_call(&c->trial, t, &args);
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++) {
        if (!clsm_has(p, (clsm_operand)o))
            continue;
        if (call.tensors == MOST_TENSORS)
            exit(fail(clsm_operand_name((clsm_operand)o),
                      "more tensors than are known"));
        const int k = o - CLSM_X;
        call.t[call.tensors++] =
            k == shared_with_y ? y : buffer_of(&t->of[k], &fenced[k]);
    }
    call.shape = clsm_launch_shape(p, &args);
    call.shape.parts = clsm_config_parts(&c->config, p, c->device);
    call.shape.launch_rows = call.shape.rows;
    call.shape.epoch = EPOCH;
    call.shared = shared;
    return call;
}

static const char *run_twice(const char *library, const struct simulated_case *c,
                             struct tensors *t, struct call call, struct outputs run[2])
{
    static char wrong[COMPLAINT_BYTES];
    const int shared = tensors_y_is(&c->trial);
    struct tensor *y = &t->of[CLSM_Y - CLSM_X];
    if (shared >= 0 && y->data)
        memcpy(y->data, t->of[shared].data, y->elements * y->element_bytes);
    if (!outputs_take(t, &run[0]))
        return "no memory";
    for (unsigned turn = 0; turn < 2; turn++) {
        outputs_put(&run[0], t);
        if (!run_stages(library, c, call, 1 + turn))
            return "never ends";
        if (!counts_are_back(call.shared))
            return "leaves a counter";
        call.shape.epoch += call.shape.rows;
        if (!turn && !outputs_take(t, &run[1]))
            return "no memory";
    }
    outputs_compare(&c->trial, t, &run[0], &run[1], wrong);
    return wrong;
}

static int run(const char *library, const struct simulated_case *c)
{
    struct tensors t;
    struct outputs outputs[2] = {{{NULL}}};
    clsm_report report = {.struct_bytes = sizeof report};
    void *shared = calloc(1, SHARED_BYTES);
    if (!shared || tensors_make(&c->trial, &t) != CLSM_OK)
        return fail(library, "no tensors");
    if (c->trial.problem.z_loss > 1)
        fill_lonely(&c->trial, &t);
    if (c->large)
        fill_large(&c->trial, &t);
    struct fenced fenced[TENSORS] = {{NULL}};
    struct call call = call_of(c, &t, shared, fenced);
    const char *wrong = run_twice(library, c, &t, call, outputs);
    char judged[COMPLAINT_BYTES];
    if (!*wrong)
        wrong = outputs_judge(&c->trial, &t, &report, judged) == CLSM_OK
                    ? judged
                    : clsm_last_message();
    char what[200];
    case_describe(c, what, sizeof what);
    printf("%s: %.3f of the bound\n", what, report.worst);
    for (unsigned turn = 0; turn < 2; turn++)
        outputs_free(&outputs[turn]);
    for (unsigned k = 0; k < TENSORS; k++)
        fenced_free(&fenced[k]);
    tensors_free(&t);
    free(shared);
    return *wrong ? fail(what, wrong) : 0;
}

int main(int argc, char **argv)
{
    static struct simulated_case c;
    const char *what = argc > 3 ? argv[1] : "";
    if (strcmp(what, "source") != 0 && strcmp(what, "run") != 0)
        return fail(argv[0], "source or run");
    case_parse(argc - 3, argv + 3, &c);
    return *what == 's' ? case_write_source(argv[2], &c) : run(argv[2], &c);
}
