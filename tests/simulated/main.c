/* SPDX-License-Identifier: MIT */
/*
 * Runs one kernel on the machine of machine.h; simulated.py compiles it.
 *
 *     simulated source FILE OP TYPE ROWS COLS INNER VARIANT
 *     simulated run LIBRARY GROUPS OP TYPE ROWS COLS INNER VARIANT
 *
 * The first writes the kernel's source and prints its options; the second runs
 * LIBRARY's kernel twice, in other orders and with what the first run left in shared
 * memory, and compares with the reference.
 */
#include "machine.h"
#include "trial.h"

#include "convert.h"
#include "input.h"
#include "launch.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 256, GUARD_BYTE = 0x5a, MOST_GROUPS = 64, EPOCH = 7 };

/* A kernel as dlsym gives it, and as it is called. */
union kernel {
    void *symbol;
    void (*plain)(const void *x, void *y, struct shape shape, void *shared);
    void (*loss)(const void *x, void *y, const int *targets, float *loss,
                 struct shape shape, void *shared);
    void (*beside)(const void *x, void *y, const void *beside, struct shape shape,
                   void *shared);
    void (*given)(const void *x, void *y, const float *max, const float *sum,
                  struct shape shape, void *shared);
    void (*largest)(const void *x, void *y, int *indices, struct shape shape,
                    void *shared);
    void (*largest_beside)(const void *x, void *y, const void *beside, int *indices,
                           struct shape shape, void *shared);
};

/* What one work-group's work-items are given. Each has a copy of the library, for the
 * local memory in it. */
struct call {
    union kernel kernel;
    const void *x, *beside; /* dy, temperatures, a mask, or a loss's targets; the next
                               three: or NULL */
    const int *targets;
    const float *max, *sum;
    void *y;
    float *loss;
    int *indices;
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
    if (c->targets)
        c->kernel.loss(c->x, c->y, c->targets, c->loss, c->shape, c->shared);
    else if (c->indices && c->beside)
        c->kernel.largest_beside(c->x, c->y, c->beside, c->indices, c->shape,
                                 c->shared);
    else if (c->indices)
        c->kernel.largest(c->x, c->y, c->indices, c->shape, c->shared);
    else if (c->max)
        c->kernel.given(c->x, c->y, c->max, c->sum, c->shape, c->shared);
    else if (c->beside)
        c->kernel.beside(c->x, c->y, c->beside, c->shape, c->shared);
    else
        c->kernel.plain(c->x, c->y, c->shape, c->shared);
}

/* y between guards. */
static unsigned char *make_y(size_t bytes)
{
    unsigned char *y = malloc(bytes + 2 * GUARD);
    return y ? (unsigned char *)memset(y, GUARD_BYTE, bytes + 2 * GUARD) + GUARD : NULL;
}

static bool guards_stand(const unsigned char *y, size_t bytes)
{
    for (size_t i = 0; i < GUARD; i++)
        if (y[bytes + i] != GUARD_BYTE || y[-1 - (ptrdiff_t)i] != GUARD_BYTE)
            return false;
    return true;
}

/* Its maximum is 0, and its log-sum-exp what one other element adds to that. */
static void fill_lonely(const clsm_problem *p, char *x, size_t r, size_t i)
{
    size_t n = r * p->inner + i, top = n % p->cols;
    for (size_t c = 0; c < p->cols; c++) {
        double v = c == top                   ? 0
                   : c == (top + 1) % p->cols ? -0.25 * (double)(n % 64)
                                              : -90;
        clsm_element_set(p->x_type, x, (r * p->cols + c) * p->inner + i, v);
    }
}

/* Behind the offset. */
static char *make_x(const struct trial *t, size_t elements, size_t seed)
{
    const clsm_problem *p = &t->problem;
    size_t front = t->offset * clsm_type_bytes(p->x_type);
    char *x = malloc(front + elements * clsm_type_bytes(p->x_type));
    if (!x)
        exit(fail("x", "no memory"));
    x += front;
    for (size_t r = 0; r < p->rows; r++)
        for (size_t i = 0; i < p->inner; i++) {
            size_t n = r * p->inner + i;
            enum input_kind kind = (enum input_kind)(n % INPUT_KIND_COUNT);
            input_fill(kind, seed + n, p->x_type, x, r * p->cols * p->inner + i,
                       p->inner, p->cols);
            if (p->z_loss > 0)
                fill_lonely(p, x, r, i);
        }
    return x;
}

/* One a row, 0 among them. */
static float *make_temperatures(const struct trial *t)
{
    const size_t softmaxes = t->problem.rows * t->problem.inner;
    float *heats = malloc(softmaxes * sizeof *heats);
    for (size_t r = 0; r < softmaxes; r++)
        heats[r] = (float)(r % 5) / 2;
    return heats;
}

/* One a softmax, from `least` on. Maxima are no less than the elements. */
static float *make_numbers(const struct trial *t, float least)
{
    const size_t softmaxes = t->problem.rows * t->problem.inner;
    float *numbers = malloc(softmaxes * sizeof *numbers);
    for (size_t r = 0; r < softmaxes; r++)
        numbers[r] = least + (float)(r % 7) / 4;
    return numbers;
}

/* Numbers, one a column, none of them the same as its neighbours; or booleans, one an
 * element. */
static void *make_mask(const struct trial *t)
{
    size_t cols = t->problem.cols, elements = t->problem.rows * cols;
    float *mask = malloc(cols * sizeof *mask);
    char *seen = malloc(elements);
    for (size_t c = 0; c < cols; c++)
        mask[c] = c % 11 == 3 ? -INFINITY : (float)(c * 37 % 101) / 16 - 3;
    for (size_t e = 0; e < elements; e++)
        seen[e] = e * 31 % 97 % 5 != 2;
    bool is_bool = t->problem.mask_type == CLSM_MASK_BOOL;
    free(is_bool ? (void *)mask : seen);
    return is_bool ? (void *)seen : mask;
}

/* One a softmax: columns, what is ignored, what is no column. */
static int *make_targets(const struct trial *t)
{
    const clsm_problem *p = &t->problem;
    const size_t softmaxes = p->rows * p->inner;
    int *targets = malloc(softmaxes * sizeof *targets);
    for (size_t r = 0; r < softmaxes; r++)
        targets[r] = r % 7 == 3    ? (int)p->ignore_index
                     : r % 11 == 5 ? -1
                     : r % 11 == 6 ? (int)p->cols
                                   : (int)(r * 1597 % p->cols);
    return targets;
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
static bool run_groups(const char *library, const struct trial *t, struct call call,
                       unsigned groups, unsigned long seed)
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
                       (unsigned)clsm_config_wg(&t->config), seed);
}

/* All stages; `groups` for mappings whose work-groups loop over rows. */
static bool run_stages(const char *library, const struct trial *t, struct call call,
                       unsigned groups, unsigned long seed)
{
    const struct problem *p = &t->checked;
    unsigned stages = clsm_config_stages(&t->config, p);
    size_t per_group = clsm_config_rows_per_group(&t->config, p, t->device);
    size_t tiles = (call.shape.rows + per_group - 1) / per_group;
    size_t pieces = clsm_config_pieces(&t->config, p, t->device);
    for (unsigned stage = 0; stages; stage++, stages >>= 1) {
        if (!(stages & 1))
            continue;
        call.shape.stage = stage;
        call.shape.groups = clsm_stage_groups(stage, call.shape.parts, pieces);
        if (clsm_variants[t->config.variant].launches)
            groups = (unsigned)(tiles * call.shape.groups);
        if (!run_groups(library, t, call, groups, seed))
            return false;
    }
    return true;
}

static int run(const char *library, unsigned groups, const struct trial *t)
{
    const struct problem *p = &t->checked;
    size_t softmaxes = p->rows * p->inner, elements = softmaxes * p->cols;
    bool lists = clsm_problem_y(p) == CLSM_Y_K;
    size_t places = lists ? softmaxes * p->k : 0;
    size_t bytes = (lists ? places : elements) * clsm_type_bytes(p->y.type);
    const clsm_args args = {.struct_bytes = sizeof args};
    clsm_report report = {.struct_bytes = sizeof report};
    unsigned char *y[2] = {make_y(bytes), make_y(bytes)};
    float *loss[2] = {calloc(softmaxes, sizeof(float)),
                      calloc(softmaxes, sizeof(float))};
    unsigned char *indices[2] = {make_y(places * sizeof(int)),
                                 make_y(places * sizeof(int))};
    char *x = make_x(t, elements, 1);
    void *shared = calloc(1, SHARED_BYTES);
    clsm_operand o = clsm_has(p, CLSM_DY)               ? CLSM_DY
                     : clsm_has(p, CLSM_MASK)           ? CLSM_MASK
                     : p->op == CLSM_CROSS_ENTROPY_LOSS ? CLSM_TARGETS
                                                        : CLSM_TEMPERATURE;
    void *beside = !clsm_has(p, o)     ? NULL
                   : o == CLSM_DY      ? (void *)make_x(t, elements, 2)
                   : o == CLSM_MASK    ? make_mask(t)
                   : o == CLSM_TARGETS ? (void *)make_targets(t)
                                       : make_temperatures(t);
    int *targets = p->op == CLSM_CROSS_ENTROPY ? make_targets(t) : NULL;
    float *max = clsm_has(p, CLSM_FROM_MAX) ? make_numbers(t, 128) : NULL;
    float *sum = max ? make_numbers(t, 50) : NULL;
    for (unsigned turn = 0; turn < 2; turn++) {
        struct shape shape = clsm_launch_shape(p, &args);
        shape.parts = clsm_config_parts(&t->config, p, t->device);
        shape.launch_rows = shape.rows;
        shape.epoch = EPOCH + turn * shape.rows;
        if (t->in_place)
            memcpy(y[turn], x, bytes);
        struct call call = {.x = t->in_place ? (void *)y[turn] : x,
                            .beside = beside,
                            .targets = targets,
                            .max = max,
                            .sum = sum,
                            .y = y[turn],
                            .loss = loss[turn],
                            .indices = lists ? (int *)indices[turn] : NULL,
                            .shape = shape,
                            .shared = shared};
        if (!run_stages(library, t, call, groups, 1 + turn))
            return fail(library, "never ends");
        if (!guards_stand(y[turn], bytes) ||
            !guards_stand(indices[turn], places * sizeof(int)))
            return fail(library, "writes beside y");
        if (!counts_are_back(shared))
            return fail(library, "leaves a counter");
    }
    if (memcmp(y[0], y[1], bytes) != 0 ||
        memcmp(indices[0], indices[1], places * sizeof(int)) != 0 ||
        memcmp(loss[0], loss[1], softmaxes * sizeof(float)) != 0)
        return fail(library, "other bits in another order");
    clsm_host_args host = {.struct_bytes = sizeof host, .x = x, .y = y[0]};
    host.operand[o] = beside;
    if (max) {
        host.operand[CLSM_FROM_MAX] = max;
        host.operand[CLSM_FROM_SUM] = sum;
    }
    if (targets) {
        host.operand[CLSM_TARGETS] = targets;
        host.operand[CLSM_LOSS] = loss[0];
    }
    if (lists)
        host.operand[CLSM_INDICES] = indices[0];
    if (clsm_check_args(&t->problem, &host, &report) != CLSM_OK)
        return fail(library, clsm_last_message());
    printf("%.3f of the bound\n", report.worst);
    for (unsigned turn = 0; turn < 2; turn++) {
        free(y[turn] - GUARD);
        free(indices[turn] - GUARD);
        free(loss[turn]);
    }
    free(targets);
    free(max);
    free(sum);
    size_t front = t->offset * clsm_type_bytes(p->x.type);
    free(beside && o == CLSM_DY ? (char *)beside - front : beside);
    free(x - front);
    free(shared);
    return report.pass ? 0 : fail(library, "outside the bound");
}

int main(int argc, char **argv)
{
    struct trial t;
    if (argc == 9 && strcmp(argv[1], "source") == 0) {
        trial_parse(argv + 3, &t);
        return trial_write_source(argv[2], &t);
    }
    if (argc == 10 && strcmp(argv[1], "run") == 0) {
        unsigned long groups = strtoul(argv[3], NULL, 10);
        trial_parse(argv + 4, &t);
        return groups && groups <= MOST_GROUPS ? run(argv[2], (unsigned)groups, &t)
                                               : fail(argv[3], "work-groups");
    }
    return fail(argv[0], "source or run");
}
