/* SPDX-License-Identifier: MIT */
/* What every operation shares in layout: any axis, padded rows and matrices, types
 * apart, and y in the place of an input. */
#include "../../tools/dress.h"
#include "tally.h"

static bool has_full_y(clsm_op op)
{
    clsm_op_info info = {.struct_bytes = sizeof info};
    return clsm_op_get_info(op, &info) == CLSM_OK && info.y == CLSM_Y_ROW;
}

/* A trial of an operation, made by `make` from a bare one, of short rows where the
 * variant takes no others; false if `make` leaves it out or the variant cannot serve.
 */
static bool run_op(struct tally *t, clsm_op op, unsigned v,
                   bool (*make)(struct trial *trial))
{
    static const size_t cols[] = {65, 2};
    for (size_t i = 0; i < COUNT(cols); i++) {
        struct trial trial = {.mixed = true, .seed = 31 + op, .x_offset = 2};
        clsm_problem *p = &trial.problem;
        *p = problem_of(op, CLSM_F32, CLSM_F32, DRESS_ROWS, cols[i]);
        p->variant = clsm_variants[v].name;
        if (make(&trial) && can_do(t->device, p) && can_serve(t->device, v, p)) {
            tally_trial(t, &trial, NULL);
            return true;
        }
    }
    return false;
}

/* Each operation with every `step`-th variant. */
static void each_op(struct tally *t, unsigned step, bool (*make)(struct trial *trial))
{
    for (unsigned op = 0; op < CLSM_OP_COUNT; op++)
        for (unsigned v = op % step; v < clsm_variant_count; v += step)
            run_op(t, (clsm_op)op, v, make);
}

/* The same with one variant for each operation, the first that serves it from one on:
 * other turns begin elsewhere, so that variants, operations and turns meet in pairs. */
static void each_op_once(struct tally *t, unsigned turn,
                         bool (*make)(struct trial *trial))
{
    for (unsigned op = 0; op < CLSM_OP_COUNT; op++)
        for (unsigned n = 0; n < clsm_variant_count; n++) {
            unsigned v = (op + 5 * turn + n) % clsm_variant_count;
            if (run_op(t, (clsm_op)op, v, make))
                break;
        }
}

static bool in_the_middle(struct trial *trial)
{
    clsm_problem *p = &trial->problem;
    p->rows = 6;
    p->inner = 7;
    p->k = clsm_op_needs(p->op) & CLSM_BIT(CLSM_INDICES) ? 3 : 1;
    p->x_row_stride = p->cols * p->inner + 4;
    p->dy_col_stride = p->inner + 1;
    return true;
}

START_TEST(any_axis_is_served_by_every_operation)
{
    struct tally t = tally_of(_i);
    each_op(&t, 1, in_the_middle);
    tally_end(&t);
}
END_TEST

/* A mask that differs along every dimension, inner ones too. */
static bool masked_in_the_middle(struct trial *trial)
{
    clsm_problem *p = &trial->problem;
    if (!(clsm_op_may(p->op) & CLSM_FORM_BITS))
        return false;
    in_the_middle(trial);
    p->queries = 2;
    p->heads = 2;
    p->mask_type = CLSM_MASK_F16;
    p->mask_stride = (clsm_mask_stride){.inner = 1, .col = 9, .row = 600, .head = 1200};
    return true;
}

START_TEST(masks_are_broadcast_over_any_axis)
{
    struct tally t = tally_of(_i);
    each_op(&t, 1, masked_in_the_middle);
    tally_end(&t);
}
END_TEST

/* [B, M, N] with gaps behind rows and behind matrices; the last matrix is cut off. */
static bool batched(struct trial *trial)
{
    clsm_problem *p = &trial->problem;
    p->queries = 4;
    p->x_row_stride = 70;
    p->x_matrix_stride = 300;
    p->y_matrix_stride = 4 * p->cols + 9;
    p->dy_row_stride = 66;
    p->dy_matrix_stride = 264;
    return true;
}

START_TEST(matrices_may_have_gaps)
{
    struct tally t = tally_of(_i);
    each_op(&t, 5, batched);
    tally_end(&t);
}
END_TEST

/* Gaps behind matrices alone, of rows that lie side by side. */
static bool apart(struct trial *trial)
{
    clsm_problem *p = &trial->problem;
    p->queries = 4;
    p->x_matrix_stride = 4 * p->cols + 11;
    p->y_matrix_stride = 4 * p->cols + 9;
    p->dy_matrix_stride = 4 * p->cols + 5;
    return true;
}

START_TEST(matrices_may_be_apart)
{
    struct tally t = tally_of(_i);
    each_op(&t, 3, apart);
    tally_end(&t);
}
END_TEST

static bool from_f16_to_f32(struct trial *trial)
{
    trial->problem.x_type = CLSM_F16;
    trial->problem.dy_type = CLSM_BF16;
    return true;
}

static bool from_f32_to_bf16(struct trial *trial)
{
    trial->problem.y_type = CLSM_BF16;
    trial->problem.dy_type = CLSM_F16;
    return true;
}

static bool from_bf16_to_f64(struct trial *trial)
{
    trial->problem.x_type = CLSM_BF16;
    trial->problem.y_type = CLSM_F64;
    return true;
}

/* The edges bring unlike types to every variant. */
START_TEST(types_may_differ_in_every_operation)
{
    struct tally t = tally_of(_i);
    each_op_once(&t, 0, from_f16_to_f32);
    each_op_once(&t, 1, from_f32_to_bf16);
    each_op_once(&t, 2, from_bf16_to_f64);
    tally_end(&t);
}
END_TEST

static bool in_place(struct trial *trial)
{
    trial->y_offset = trial->x_offset;
    trial->in_place = true;
    return has_full_y(trial->problem.op);
}

static bool in_place_of_dy(struct trial *trial)
{
    clsm_problem *p = &trial->problem;
    p->dy_type = p->y_type = CLSM_BF16;
    trial->in_place_dy = true;
    return has_full_y(p->op) && clsm_op_needs(p->op) & CLSM_BIT(CLSM_DY);
}

/* With every variant: the last pass must not overtake another work-item's reads. */
static void each_variant_in_place(struct tally *t, bool (*make)(struct trial *trial))
{
    for (unsigned v = 0; v < clsm_variant_count; v++)
        for (unsigned op = 0; op < CLSM_OP_COUNT; op++) {
            struct trial trial = {.mixed = true, .seed = 7 + op, .x_offset = 1};
            bool exact = clsm_variants[v].exact_cols;
            trial.problem = problem_of((clsm_op)op, CLSM_F32, CLSM_F32,
                                       exact ? 300 : 29, exact ? 37 : 2100);
            trial.problem.variant = clsm_variants[v].name;
            if (make(&trial) && can_serve(t->device, v, &trial.problem))
                tally_trial(t, &trial, NULL);
        }
}

START_TEST(y_may_be_x_in_every_operation)
{
    struct tally t = tally_of(_i);
    each_variant_in_place(&t, in_place);
    tally_end(&t);
}
END_TEST

START_TEST(gradients_may_take_the_place_of_dy)
{
    struct tally t = tally_of(_i);
    each_variant_in_place(&t, in_place_of_dy);
    tally_end(&t);
}
END_TEST

void family_suite(Suite *suite, int device)
{
    add_test(suite, device, NULL, any_axis_is_served_by_every_operation);
    add_test(suite, device, NULL, masks_are_broadcast_over_any_axis);
    add_test(suite, device, NULL, matrices_may_have_gaps);
    add_test(suite, device, NULL, matrices_may_be_apart);
    add_test(suite, device, NULL, types_may_differ_in_every_operation);
    add_test(suite, device, NULL, y_may_be_x_in_every_operation);
    add_test(suite, device, NULL, gradients_may_take_the_place_of_dy);
}
