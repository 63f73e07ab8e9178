/* SPDX-License-Identifier: MIT */
/* Mappings that move rows in packs of 16 bytes, wherever rows start. */
#include "tally.h"

/* Does it move packs of 16 bytes, which start where they must? */
static bool moves_packs(const struct device *device, unsigned v)
{
    struct problem p;
    struct config config = {.variant = v};
    clsm_problem any = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, 1, 1);
    for (unsigned k = 0; k < MAX_PARAMS; k++)
        config.values[k] = clsm_variants[v].params[k].values[0];
    ck_assert_int_eq(clsm_problem_check(&any, &p), CLSM_OK);
    return clsm_config_held_words(&config, &p, &device->session.engine->traits) > 0;
}

/* Starts of x and y in one phase of 16 bytes and in others, and strides by which every
 * row starts elsewhere; dy has a stride, and so phases, of its own. */
static void run_starts(struct tally *t, clsm_op op, clsm_type type, const char *variant)
{
    static const size_t starts[][2] = {{0, 0}, {1, 1}, {3, 3}, {7, 7}, {1, 0},
                                       {0, 1}, {3, 7}, {7, 1}, {8, 4}};
    enum { ROUND = 136, COLS = 133 }; /* packed rows of ROUND all start alike */
    for (size_t i = 0; i < COUNT(starts); i++)
        for (size_t gap = 0; gap < 2; gap++) {
            struct trial trial = {.mixed = true,
                                  .x_offset = starts[i][0],
                                  .y_offset = starts[i][1],
                                  .seed = 3 + i};
            trial.problem = problem_of(op, type, type, 13, gap ? COLS : ROUND);
            trial.problem.dy_type = type;
            trial.problem.variant = variant;
            if (gap) {
                trial.problem.x_row_stride = COLS + i;
                trial.problem.y_row_stride = COLS + 2 * i + 1;
            }
            if (gap && clsm_op_needs(op) & CLSM_BIT(CLSM_DY))
                trial.problem.dy_row_stride = COLS + 3 * i + 2;
            tally_trial(t, &trial, NULL);
        }
}

START_TEST(packs_are_right_wherever_rows_start)
{
    static const clsm_type types[] = {CLSM_F32, CLSM_F16, CLSM_F64};
    struct tally t = tally_of(_i);
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        bool to_do = is_new_variant_here(t.device, v) && moves_packs(t.device, v);
        for (size_t k = 0; k < COUNT(types) && to_do; k++) {
            clsm_problem p = problem_of(CLSM_SOFTMAX, types[k], types[k], 13, 136);
            if (!can_do(t.device, &p) || !can_serve(t.device, v, &p))
                continue;
            run_starts(&t, CLSM_SOFTMAX, types[k], clsm_variants[v].name);
            if (types[k] != CLSM_F64)
                run_starts(&t, CLSM_SOFTMAX_BACKWARD, types[k], clsm_variants[v].name);
        }
    }
    tally_end(&t);
}
END_TEST

/* Of each type, rows in whole 16 bytes and others, over several work-groups. */
START_TEST(rows_that_share_16_bytes_are_right_wherever_they_start)
{
    static const size_t starts[][2] = {{0, 0}, {8, 16}, {1, 1}, {0, 4}};
    static const struct {
        clsm_type type;
        size_t cols;
    } shapes[] = {{CLSM_F32, 1}, {CLSM_F32, 2}, {CLSM_F16, 2}, {CLSM_BF16, 4}};
    struct tally t = tally_of(_i);
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (size_t i = 0; i < COUNT(starts); i++)
            for (size_t gap = 0; gap < 2; gap++) {
                const size_t cols = shapes[s].cols;
                struct trial trial = {.mixed = true,
                                      .x_offset = starts[i][0],
                                      .y_offset = starts[i][1],
                                      .seed = 50 + i};
                trial.problem = problem_of(CLSM_SOFTMAX, shapes[s].type, shapes[s].type,
                                           2500, cols);
                trial.problem.variant = "packed";
                trial.problem.x_row_stride = gap ? cols + i : 0;
                tally_trial(&t, &trial, NULL);
            }
    tally_end(&t);
}
END_TEST

/* Of rows of NaN a few have no target that counts: their gradient is 0, also where rows
 * are read again or taken one by one. */
START_TEST(rows_that_do_not_count_have_no_gradient_wherever_they_start)
{
    static const clsm_type types[] = {CLSM_F32, CLSM_BF16};
    static const size_t lengths[] = {133, 2};
    struct tally t = tally_of(_i);
    for (unsigned n = 0; n < clsm_variant_count * COUNT(types) * COUNT(lengths); n++) {
        unsigned v = n / COUNT(types) / COUNT(lengths);
        clsm_type type = types[n % COUNT(types)];
        struct trial trial = {.kind = INPUT_SOME_NAN, .x_offset = 1, .seed = 61};
        trial.problem = problem_of(CLSM_CROSS_ENTROPY, type, type, 101,
                                   lengths[n / COUNT(types) % COUNT(lengths)]);
        trial.problem.variant = clsm_variants[v].name;
        if (is_new_variant_here(t.device, v) && can_serve(t.device, v, &trial.problem))
            tally_trial(&t, &trial, NULL);
    }
    tally_end(&t);
}
END_TEST

/* Ten packs a work-item, of which registers take at most eight; the last ones are not
 * all there, and rows start and end anywhere. A row of each kind of input. */
static struct trial stocked(clsm_op op, clsm_type type)
{
    size_t cols = 16 / clsm_type_bytes(type) * 64 * 10 - 77;
    struct trial trial = {.mixed = true, .x_offset = 3, .y_offset = 3, .seed = 11};
    trial.problem = problem_of(op, type, type, INPUT_KIND_COUNT, cols);
    trial.problem.variant = "registers:WG=64";
    return trial;
}

START_TEST(packs_beyond_the_registers_stand_in_local_memory)
{
    static const struct {
        clsm_op op;
        clsm_type type;
        unsigned flags;
        clsm_nonfinite nonfinite;
        clsm_mask_type mask;
    } cases[] = {
        {.op = CLSM_SOFTMAX, .type = CLSM_F32},
        {.op = CLSM_SOFTMAX, .type = CLSM_F16},
        {.op = CLSM_LOG_SOFTMAX, .type = CLSM_BF16, .flags = CLSM_DETERMINISTIC},
        {.op = CLSM_LOG_SUM_EXP, .type = CLSM_F32},
        {.op = CLSM_SOFTMAX, .type = CLSM_F32, .flags = CLSM_CAUSAL},
        {.op = CLSM_SOFTMAX, .type = CLSM_BF16, .nonfinite = CLSM_NONFINITE_LIMIT},
        {.op = CLSM_LOG_SOFTMAX, .type = CLSM_F32, .nonfinite = CLSM_NONFINITE_LIMIT},
        {.op = CLSM_SOFTMAX, .type = CLSM_F16, .mask = CLSM_MASK_BOOL},
        {.op = CLSM_SOFTMAX, .type = CLSM_F32, .mask = CLSM_MASK_F32},
        {.op = CLSM_CROSS_ENTROPY, .type = CLSM_F16},
        {.op = CLSM_SOFTMAX_BACKWARD, .type = CLSM_F32},
        {.op = CLSM_LOG_SOFTMAX_BACKWARD, .type = CLSM_BF16},
    };
    struct tally t = tally_of(_i);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct trial trial = stocked(cases[i].op, cases[i].type);
        clsm_problem *p = &trial.problem;
        p->flags = cases[i].flags;
        p->nonfinite = cases[i].nonfinite;
        p->dy_type = cases[i].type;
        p->mask_type = cases[i].mask;
        if (p->mask_type) {
            p->operands |= CLSM_BIT(CLSM_MASK);
            p->mask_stride.row = p->cols + 1;
        }
        if (p->flags & CLSM_CAUSAL) {
            p->causal_offset = (ptrdiff_t)p->cols - 5;
            p->window = p->cols / 2;
        }
        tally_trial(&t, &trial, NULL);
    }
    tally_end(&t);
}
END_TEST

/* Smoothing wants every logit, also those whose place a term takes. */
START_TEST(what_is_kept_of_ragged_rows_is_kept_before_terms_take_its_place)
{
    struct tally t = tally_of(_i);
    struct trial trial = {.mixed = true, .seed = 12};
    trial.problem = problem_of(CLSM_CROSS_ENTROPY, CLSM_F32, CLSM_F32, 9, 1003);
    trial.problem.variant = "registers:WG=64";
    trial.problem.label_smoothing = 0.1;
    tally_trial(&t, &trial, NULL);
    tally_end(&t);
}
END_TEST

void packs_suite(Suite *suite, int device)
{
    if (devices[device].session.engine->traits.bits & TRAIT_QUIRK_HELD)
        return; /* nothing that holds packs runs there */
    add_test(suite, device, NULL, packs_are_right_wherever_rows_start);
    add_test(suite, device, NULL,
             rows_that_do_not_count_have_no_gradient_wherever_they_start);
    if (lanes_are_local(&devices[device]))
        return; /* the others have run without lanes */
    add_test(suite, device, NULL,
             rows_that_share_16_bytes_are_right_wherever_they_start);
    add_test(suite, device, NULL, packs_beyond_the_registers_stand_in_local_memory);
    add_test(suite, device, NULL,
             what_is_kept_of_ragged_rows_is_kept_before_terms_take_its_place);
}
