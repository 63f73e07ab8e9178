/* SPDX-License-Identifier: MIT */
/* Where rows may stand: strides, gaps, offsets, any axis, in place, parts of a buffer,
 * and more of them than one launch has work-groups for. */
#include "tally.h"

#include <stdlib.h>
#include <string.h>

/* Where x and y stand; what is 0 here is the default. Odd sizes and offsets make
 * vectors unaligned. */
struct layout_case {
    clsm_type x, y;
    clsm_op op;
    size_t rows, cols, inner;
    size_t x_row, y_row, x_col, y_col, x_offset, y_offset;
    bool in_place;
};

static const struct layout_case last_axis[] = {
    {CLSM_F32, CLSM_F32, .rows = 13, .cols = 33, .x_row = 40},
    {CLSM_F32, CLSM_F32, .rows = 13, .cols = 33, .y_row = 35},
    {CLSM_F32, CLSM_F32, .rows = 13, .cols = 67, .x_row = 68, .y_row = 81,
     .x_offset = 3, .y_offset = 5},
    {CLSM_F32, CLSM_F32, .rows = 1, .cols = 33, .x_row = 1, .y_row = 7},
    {CLSM_F32, CLSM_F32, CLSM_LOG_SOFTMAX, .rows = 12, .cols = 4097, .y_offset = 1},
    {CLSM_F16, CLSM_BF16, .rows = 13, .cols = 65, .x_row = 67, .x_offset = 1},
    {CLSM_BF16, CLSM_F16, .rows = 13, .cols = 65, .y_row = 67, .y_offset = 1},
    {CLSM_F64, CLSM_F64, .rows = 13, .cols = 19, .y_row = 20, .x_offset = 1},
};

static const struct layout_case in_place[] = {
    {CLSM_F32, CLSM_F32, .rows = 13, .cols = 1030, .in_place = true},
    {CLSM_F32, CLSM_F32, .rows = 13, .cols = 33, .x_row = 36, .y_row = 36,
     .x_offset = 7, .y_offset = 7, .in_place = true},
    {CLSM_F32, CLSM_F32, CLSM_LOG_SOFTMAX, .rows = 13, .cols = 257, .in_place = true},
    {CLSM_F16, CLSM_BF16, .rows = 13, .cols = 65, .in_place = true},
    {CLSM_BF16, CLSM_F16, .rows = 13, .cols = 65, .in_place = true},
    {CLSM_F64, CLSM_F64, .rows = 13, .cols = 40, .in_place = true},
    /* who writes the target's column takes its x, of which the loss is made too */
    {CLSM_F32, CLSM_F32, CLSM_CROSS_ENTROPY, .rows = 17, .cols = 20011,
     .in_place = true},
    {CLSM_F32, CLSM_F32, CLSM_CROSS_ENTROPY, .rows = 2, .cols = 1030, .inner = 33,
     .in_place = true},
};

static const struct layout_case any_axis[] = {
    {CLSM_F32, CLSM_F32, .rows = 4, .cols = 17, .inner = 3},
    {CLSM_F32, CLSM_F32, .rows = 2, .cols = 65, .inner = 64},
    {CLSM_F32, CLSM_F32, .rows = 1, .cols = 9, .inner = 1000},
    {CLSM_F32, CLSM_F32, .rows = 5, .cols = 1, .inner = 13},
    {CLSM_F32, CLSM_F32, .rows = 3, .cols = 11, .inner = 5, .x_row = 100, .y_row = 65,
     .x_col = 8, .y_col = 6, .x_offset = 2, .y_offset = 3},
    {CLSM_F32, CLSM_F32, .rows = 13, .cols = 33, .x_col = 2},
    {CLSM_F32, CLSM_F32, .rows = 13, .cols = 33, .y_col = 3, .y_offset = 1},
    {CLSM_F32, CLSM_F32, .rows = 4, .cols = 17, .inner = 3, .in_place = true},
    {CLSM_F16, CLSM_BF16, CLSM_LOG_SOFTMAX, .rows = 4, .cols = 33, .inner = 5,
     .in_place = true},
    {CLSM_BF16, CLSM_F32, .rows = 3, .cols = 64, .inner = 7},
    {CLSM_F64, CLSM_F64, .rows = 3, .cols = 21, .inner = 7},
    /* about a tile of 32 rows, and about what its workers hold at a time */
    {CLSM_F32, CLSM_F32, .rows = 3, .cols = 100, .inner = 31},
    {CLSM_F32, CLSM_F32, .rows = 2, .cols = 257, .inner = 33},
    {CLSM_BF16, CLSM_BF16, .rows = 2, .cols = 1023, .inner = 32},
    {CLSM_F32, CLSM_F32, .rows = 1, .cols = 1025, .inner = 40, .in_place = true},
    {CLSM_F16, CLSM_F16, .rows = 2, .cols = 4099, .inner = 17},
    {CLSM_F32, CLSM_F32, CLSM_LOG_SOFTMAX, .rows = 1, .cols = 4099, .inner = 33,
     .in_place = true},
    {CLSM_F32, CLSM_F32, CLSM_TOPK, .rows = 2, .cols = 1500, .inner = 35},
    /* neighbours in packs, which do not start where packs may be moved as they are */
    {CLSM_F32, CLSM_F32, .rows = 3, .cols = 70, .inner = 8, .x_offset = 1},
    {CLSM_BF16, CLSM_BF16, .rows = 2, .cols = 300, .inner = 36, .x_col = 37,
     .y_col = 38, .y_offset = 1},
    {CLSM_F16, CLSM_F32, .rows = 2, .cols = 130, .inner = 6, .y_offset = 3},
};

static const struct layout_case many_rows[] = {
    {CLSM_F32, CLSM_F32, .rows = 4001, .cols = 9, .inner = 25},
    {CLSM_F32, CLSM_F32, .rows = 100003, .cols = 3},
    {CLSM_F32, CLSM_F32, .rows = 20011, .cols = 17, .y_row = 18},
};

static struct trial trial_of(const struct layout_case *l)
{
    struct trial trial = {.mixed = true,
                          .in_place = l->in_place,
                          .x_offset = l->x_offset,
                          .y_offset = l->y_offset,
                          .seed = 7};
    trial.problem = problem_of(l->op, l->x, l->y, l->rows, l->cols);
    trial.problem.operands |= l->op == CLSM_CROSS_ENTROPY ? CLSM_BIT(CLSM_LOSS) : 0;
    trial.problem.inner = l->inner ? l->inner : 1;
    trial.problem.x_row_stride = l->x_row;
    trial.problem.y_row_stride = l->y_row;
    trial.problem.x_col_stride = l->x_col;
    trial.problem.y_col_stride = l->y_col;
    return trial;
}

/* With what the library chooses, and with every variant that can serve it here. */
static void run(struct tally *t, const struct layout_case *l)
{
    struct trial trial = trial_of(l);
    if (!can_do(t->device, &trial.problem))
        return;
    tally_trial(t, &trial, NULL);
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        trial.problem.variant = clsm_variants[v].name;
        if (can_serve(t->device, v, &trial.problem))
            tally_trial(t, &trial, NULL);
    }
}

static void run_all(int index, const struct layout_case *cases, size_t n)
{
    struct tally t = tally_of(index);
    for (size_t i = 0; i < n; i++)
        run(&t, &cases[i]);
    tally_end(&t);
}

START_TEST(rows_may_have_gaps_and_offsets)
{
    run_all(_i, last_axis, COUNT(last_axis));
}
END_TEST

START_TEST(y_may_be_x)
{
    run_all(_i, in_place, COUNT(in_place));
}
END_TEST

START_TEST(any_axis_is_served)
{
    run_all(_i, any_axis, COUNT(any_axis));
}
END_TEST

START_TEST(more_rows_than_work_groups_are_looped_over)
{
    run_all(_i, many_rows, COUNT(many_rows));
}
END_TEST

/* Blocks of rows for many lanes a row, which are no multiple of 16 bytes, and for one.
 */
static const struct layout_case blocks[] = {
    {CLSM_BF16, CLSM_F32, CLSM_SOFTMAX_BACKWARD, .rows = 9, .cols = 255},
    {CLSM_BF16, CLSM_F32, CLSM_SOFTMAX_BACKWARD, .rows = 67, .cols = 31},
};

/* Does the device take rows in blocks? PoCL 5 does not. */
static bool takes_blocks(const struct device *device)
{
    const struct trial trial = trial_of(&blocks[1]);
    bool takes = false;
    for (unsigned v = 0; v < clsm_variant_count; v++)
        takes |= clsm_variants[v].geometry == ROWS_PER_GROUP &&
                 can_serve(device, v, &trial.problem);
    return takes;
}

/* x and dy at all places of 16 bytes, apart from each other. */
START_TEST(blocks_begin_wherever_tensors_do)
{
    enum { PLACES = 8 };
    struct tally t = tally_of(_i);
    struct config config;
    for (unsigned n = 0; clsm_config_at(n / COUNT(blocks), &config); n++) {
        struct trial trial = trial_of(&blocks[n % COUNT(blocks)]);
        clsm_plan *plan = NULL;
        char name[64];
        clsm_config_text(&config, name, sizeof name);
        trial.problem.variant = name;
        if (clsm_variants[config.variant].geometry != ROWS_PER_GROUP ||
            !is_new_here(t.device, &config) ||
            !config_serves(t.device, &config, &trial.problem))
            continue;
        tally_ok(&t, clsm_plan_create(t.device->session.engine, &trial.problem, &plan),
                 name);
        for (size_t place = 0; place < PLACES; place++) {
            trial.x_offset = place;
            trial.shift = 2 * PLACES - place;
            trial.y_offset = 2 * place;
            tally_trial(&t, &trial, plan);
        }
        clsm_plan_destroy(plan);
    }
    tally_end(&t);
}
END_TEST

/* Neighbours that are taken together by twos, fours or one by one, each with a
 * temperature and a maximum. */
START_TEST(neighbours_have_numbers_of_their_own)
{
    static const struct layout_case beside[] = {
        {CLSM_F32, CLSM_F32, .rows = 8, .cols = 21, .inner = 6},
        {CLSM_F32, CLSM_F32, .rows = 8, .cols = 21, .inner = 8},
        {CLSM_F64, CLSM_F64, .rows = 8, .cols = 21, .inner = 5},
        {CLSM_F64, CLSM_F64, .rows = 8, .cols = 21, .inner = 6},
    };
    struct tally t = tally_of(_i);
    for (size_t n = 0; n < COUNT(beside) * clsm_variant_count; n++) {
        unsigned v = (unsigned)(n / COUNT(beside));
        struct trial trial = trial_of(&beside[n % COUNT(beside)]);
        trial.problem.operands = CLSM_BIT(CLSM_TEMPERATURE) | CLSM_BIT(CLSM_MAX);
        trial.problem.variant = clsm_variants[v].name;
        if (can_serve(t.device, v, &trial.problem) && can_do(t.device, &trial.problem))
            tally_trial(&t, &trial, NULL);
    }
    tally_end(&t);
}
END_TEST

/* The same for whatever rows may have besides their elements: masks whose neighbours
 * stand side by side, are one for all, or stand apart, targets with weights, and
 * temperature 0. */
static const struct own {
    clsm_op op;
    unsigned operands;
    clsm_mask_type mask;
    clsm_mask_stride stride;
    double smoothing;
    bool cold;
} owns[] = {
    {.op = CLSM_SOFTMAX,
     .operands = CLSM_BIT(CLSM_MASK),
     .mask = CLSM_MASK_BOOL,
     .stride = {.inner = 1, .col = 37}},
    {.op = CLSM_LOG_SOFTMAX,
     .operands = CLSM_BIT(CLSM_MASK),
     .mask = CLSM_MASK_F32,
     .stride = {.col = 1, .row = 600}},
    {.op = CLSM_SOFTMAX,
     .operands = CLSM_BIT(CLSM_MASK),
     .mask = CLSM_MASK_F16,
     .stride = {.inner = 2, .col = 75}},
    {.op = CLSM_LOG_SOFTMAX,
     .operands = CLSM_BIT(CLSM_TEMPERATURE) | CLSM_BIT(CLSM_LSE)},
    {.op = CLSM_SOFTMAX, .operands = CLSM_BIT(CLSM_SUM), .cold = true},
    {.op = CLSM_CROSS_ENTROPY,
     .operands = CLSM_BIT(CLSM_TARGETS) | CLSM_BIT(CLSM_LOSS) | CLSM_BIT(CLSM_WEIGHTS) |
                 CLSM_BIT(CLSM_BAD_TARGETS)},
    {.op = CLSM_CROSS_ENTROPY,
     .operands = CLSM_BIT(CLSM_TARGETS) | CLSM_BIT(CLSM_WEIGHTS),
     .smoothing = 0.1},
    {.op = CLSM_CROSS_ENTROPY_LOSS,
     .operands = CLSM_BIT(CLSM_TARGETS),
     .smoothing = 0.1},
};

START_TEST(neighbours_have_masks_and_targets_of_their_own)
{
    static const struct layout_case beside[] = {
        {CLSM_F32, CLSM_F32, .rows = 5, .cols = 21, .inner = 37},
        {CLSM_BF16, CLSM_BF16, .rows = 2, .cols = 600, .inner = 18},
    };
    const size_t each = COUNT(beside) * COUNT(owns);
    struct tally t = tally_of(_i);
    for (size_t n = 0; n < each * clsm_variant_count; n++) {
        const struct own *own = &owns[n / COUNT(beside) % COUNT(owns)];
        unsigned v = (unsigned)(n / each);
        struct trial trial = trial_of(&beside[n % COUNT(beside)]);
        clsm_problem *p = &trial.problem;
        p->op = own->op;
        p->operands = own->operands;
        p->mask_type = own->mask;
        p->mask_stride = own->stride;
        p->label_smoothing = own->smoothing;
        p->temperature = own->cold ? 0 : p->temperature;
        p->variant = clsm_variants[v].name;
        if (clsm_variants[v].any_axis && can_serve(t.device, v, p) &&
            can_do(t.device, p))
            tally_trial(&t, &trial, NULL);
    }
    tally_end(&t);
}
END_TEST

/* What a work-item holds of its last turn is written behind barriers. */
START_TEST(what_is_held_outlives_barriers)
{
    static const char *const configs[] = {"strided:WG=64,TILE=16",
                                          "strided:WG=128,TILE=64"};
    struct tally t = tally_of(_i);
    for (unsigned n = 0; n < 4 * COUNT(configs); n++) {
        struct layout_case l = {CLSM_F64, CLSM_F64, .rows = 14,
                                .cols = n % 2 ? 257 : 997};
        struct trial trial = trial_of(&l);
        trial.problem.variant = configs[n / 4];
        trial.problem.nonfinite = (clsm_nonfinite)(n / 2 % 2);
        if (can_do(t.device, &trial.problem))
            tally_trial(&t, &trial, NULL);
    }
    tally_end(&t);
}
END_TEST

/* A GPU is given this many work-items for each unit before they loop; see enqueue.c. */
enum { ITEMS_PER_UNIT = 16384 };

START_TEST(more_rows_than_work_items_are_looped_over)
{
    struct tally t = tally_of(_i);
    struct layout_case l = {CLSM_F32, CLSM_F32, .cols = 2};
    l.rows = (size_t)t.device->session.info.compute_units * ITEMS_PER_UNIT + 5;
    struct trial trial = trial_of(&l);
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        trial.problem.variant = clsm_variants[v].name;
        if (clsm_variants[v].geometry == ROW_PER_ITEM)
            tally_trial(&t, &trial, NULL);
    }
    tally_end(&t);
}
END_TEST

enum { PART_ROWS = 5, PART_COLS = 21, PART = PART_ROWS * PART_COLS };

/* A part of a buffer, `floats` long. */
static cl_mem part_of(cl_mem whole, size_t first, size_t floats)
{
    cl_buffer_region region = {first * sizeof(float), floats * sizeof(float)};
    return clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                             &region, NULL);
}

/* x and y are the second and third of four parts; each has one element before it. */
static void run_parts(struct tally *t, cl_mem whole, size_t step)
{
    const struct session *s = &t->device->session;
    clsm_problem problem =
        problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, PART_ROWS, PART_COLS);
    clsm_plan *plan = NULL;
    cl_mem x = part_of(whole, step, PART + 1), y = part_of(whole, 2 * step, PART + 1);
    if (tally_fact(t, x && y, "no sub-buffers at %zu floats", step) &&
        tally_ok(t, clsm_plan_create(s->engine, &problem, &plan), "plan"))
        tally_ok(t, clsm_enqueue(plan, s->queue, x, 1, y, 1, 0, NULL, NULL), "enqueue");
    clFinish(s->queue);
    clsm_plan_destroy(plan);
    if (x)
        clReleaseMemObject(x);
    if (y)
        clReleaseMemObject(y);
}

START_TEST(parts_of_one_buffer_serve_as_x_and_y)
{
    struct tally t = tally_of(_i);
    const struct session *s = &t.device->session;
    clsm_problem p = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, PART_ROWS, PART_COLS);
    clsm_report report = {.struct_bytes = sizeof report};
    cl_uint align_bits = 1024;
    clGetDeviceInfo(s->info.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align_bits,
                    &align_bits, NULL);
    size_t align = align_bits / 8 / sizeof(float), step = align;
    while (step < PART + 1)
        step += align;
    float *before = malloc(4 * step * sizeof *before),
          *after = malloc(4 * step * sizeof *after);
    input_fill(INPUT_NORMAL, 3, CLSM_F32, before, 0, 1, 4 * step);
    cl_mem whole = session_buffer(s, 4 * step * sizeof *before, before);
    run_parts(&t, whole, step);
    clEnqueueReadBuffer(s->queue, whole, CL_TRUE, 0, 4 * step * sizeof *after, after, 0,
                        NULL, NULL);
    tally_ok(&t, clsm_check(&p, before + step + 1, after + 2 * step + 1, &report),
             "check");
    tally_fact(&t, report.pass, "%.3g x the bound", report.worst);
    memcpy(after + 2 * step + 1, before + 2 * step + 1, PART * sizeof *after);
    tally_fact(&t, !memcmp(before, after, 4 * step * sizeof *after),
               "wrote outside the output");
    clReleaseMemObject(whole);
    free(before);
    free(after);
    tally_end(&t);
}
END_TEST

void layouts_suite(Suite *suite, int device)
{
    add_test(suite, device, NULL, rows_may_have_gaps_and_offsets);
    add_test(suite, device, NULL, y_may_be_x);
    if (takes_blocks(&devices[device]))
        add_test(suite, device, NULL, blocks_begin_wherever_tensors_do);
    add_test(suite, device, NULL, any_axis_is_served);
    add_test(suite, device, NULL, neighbours_have_numbers_of_their_own);
    add_test(suite, device, NULL, neighbours_have_masks_and_targets_of_their_own);
    add_test(suite, device, NULL, what_is_held_outlives_barriers);
    add_test(suite, device, NULL, more_rows_than_work_groups_are_looped_over);
    if (!(devices[device].session.engine->traits.bits & TRAIT_CPU))
        add_test(suite, device, NULL, more_rows_than_work_items_are_looped_over);
    add_test(suite, device, NULL, parts_of_one_buffer_serve_as_x_and_y);
}
