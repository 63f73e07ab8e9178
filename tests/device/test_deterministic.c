/* SPDX-License-Identifier: MIT */
/* With CLSM_DETERMINISTIC a row's bits are its own: alone, among others, anywhere among
 * them, and by plans for other numbers of rows. */
#include "tally.h"

#include <stdlib.h>
#include <string.h>

/* A row of reference, and the same one set into batches. */
struct batch {
    struct tally *tally;
    clsm_problem problem;
    size_t row_bytes;
    unsigned char *row, *alone, *x, *y;
};

static bool run(const struct batch *b, clsm_plan *plan, size_t rows)
{
    const struct session *s = &b->tally->device->session;
    size_t bytes = rows * b->row_bytes;
    clsm_args args;
    ck_assert_int_eq(clsm_args_init(plan, &args), CLSM_OK);
    args.rows = rows;
    args.x = session_buffer(s, bytes, b->x);
    args.y = session_buffer(s, bytes, NULL);
    ck_assert(args.x && args.y);
    bool ran = tally_ok(
        b->tally, clsm_enqueue_args(plan, s->queue, &args, 0, NULL, NULL), "enqueue");
    ran = ran && clEnqueueReadBuffer(s->queue, args.y, CL_TRUE, 0, bytes, b->y, 0, NULL,
                                     NULL) == CL_SUCCESS;
    clReleaseMemObject(args.x);
    clReleaseMemObject(args.y);
    return ran;
}

/* The row at the front, in the middle and at the end of a batch of others. */
static void run_batch(const struct batch *b, clsm_plan *plan, size_t rows)
{
    const size_t at[] = {0, rows / 2, rows - 1};
    clsm_type type = b->problem.x_type;
    size_t cols = b->problem.cols;
    for (size_t r = 0; r < rows; r++)
        input_fill(r % 2 ? INPUT_WIDE_RANGE : INPUT_ONE_HUGE, 100 + r, type, b->x,
                   r * cols, 1, cols);
    for (size_t i = 0; i < COUNT(at); i++)
        memcpy(b->x + at[i] * b->row_bytes, b->row, b->row_bytes);
    if (!run(b, plan, rows))
        return;
    for (size_t i = 0; i < COUNT(at); i++)
        tally_fact(b->tally,
                   !memcmp(b->y + at[i] * b->row_bytes, b->alone, b->row_bytes),
                   "%s, cols %zu, %s: other bits as row %zu of %zu than alone",
                   clsm_type_name(type), cols,
                   b->problem.variant ? b->problem.variant : "the chosen variant",
                   at[i], rows);
}

/* A plan for just so many rows, or, with 0, an open one. */
static clsm_plan *plan_of(const struct batch *b, size_t rows)
{
    clsm_plan *plan = NULL;
    clsm_problem p = b->problem;
    p.rows = rows;
    p.flags = CLSM_DETERMINISTIC | (rows ? 0 : CLSM_OPEN_ROWS);
    tally_ok(b->tally, clsm_plan_create(b->tally->device->session.engine, &p, &plan),
             "plan");
    return plan;
}

static void run_counts(const struct batch *b, size_t most)
{
    const size_t counts[] = {1, 2, 7, most};
    clsm_plan *open = plan_of(b, 0);
    for (size_t i = 0; open && i < COUNT(counts); i++) {
        clsm_plan *closed = plan_of(b, counts[i]);
        run_batch(b, open, counts[i]);
        if (closed)
            run_batch(b, closed, counts[i]);
        clsm_plan_destroy(closed);
    }
    clsm_plan_destroy(open);
}

static void run_cols(struct tally *t, clsm_type type, size_t cols, size_t most,
                     const char *variant)
{
    struct batch b = {.tally = t};
    b.problem = problem_of(CLSM_SOFTMAX, type, type, 1, cols);
    b.problem.variant = variant;
    b.row_bytes = cols * clsm_type_bytes(type);
    b.row = malloc(b.row_bytes);
    b.alone = malloc(b.row_bytes);
    b.x = malloc(most * b.row_bytes);
    b.y = malloc(most * b.row_bytes);
    ck_assert(b.row && b.alone && b.x && b.y);
    input_fill(INPUT_WIDE_RANGE, 1, type, b.row, 0, 1, cols);
    memcpy(b.x, b.row, b.row_bytes);
    clsm_plan *plan = plan_of(&b, 1);
    if (plan && run(&b, plan, 1)) {
        memcpy(b.alone, b.y, b.row_bytes);
        run_counts(&b, most);
    }
    clsm_plan_destroy(plan);
    free(b.row);
    free(b.alone);
    free(b.x);
    free(b.y);
}

START_TEST(bits_of_a_row_do_not_depend_on_the_others)
{
    struct tally t = tally_of(_i);
    run_cols(&t, CLSM_F32, 5, 1000, NULL);
    run_cols(&t, CLSM_F32, 100, 1000, NULL);
    run_cols(&t, CLSM_F32, 1500, 1000, NULL);
    run_cols(&t, CLSM_F32, 40000, 40, NULL);
    run_cols(&t, CLSM_F32, 300000, 8, NULL);
    run_cols(&t, CLSM_F16, 100, 1000, NULL);
    run_cols(&t, CLSM_F16, 5000, 100, NULL);
    tally_end(&t);
}
END_TEST

START_TEST(bits_of_a_row_do_not_depend_on_the_others_in_any_variant)
{
    struct tally t = tally_of(_i);
    clsm_problem p = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, 1, 345);
    for (unsigned v = 0; v < clsm_variant_count; v++)
        if (is_new_variant_here(t.device, v) && can_serve(t.device, v, &p))
            run_cols(&t, CLSM_F32, p.cols, 300, clsm_variants[v].name);
    tally_end(&t);
}
END_TEST

void deterministic_suite(Suite *suite, int device)
{
    add_test(suite, device, NULL, bits_of_a_row_do_not_depend_on_the_others);
    add_test(suite, device, NULL,
             bits_of_a_row_do_not_depend_on_the_others_in_any_variant);
}
