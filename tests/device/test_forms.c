/* SPDX-License-Identifier: MIT */
/* Every operation in its dresses (masks, scales, statistics, weights, ...) with every
 * variant: a third of the combinations each, so that a few variants see all; with
 * CLSM_TEST_EXHAUSTIVE each variant sees all, in all types. */
#include "../../tools/dress.h"
#include "tally.h"

#include <stdio.h>

#define PLUS_ONE(...) +1
enum { TYPES = 0 CLSM_TYPES(PLUS_ONE) };

static const size_t lengths[] = {0, 1, 37, 300};

static void run_dress(struct tally *t, clsm_op op, clsm_type type, unsigned dress,
                      unsigned variant)
{
    const bool limit = !(clsm_op_may(op) & CLSM_ONLY_DEFAULT);
    for (size_t i = 0; i < COUNT(lengths); i++) {
        struct trial trial = {.mixed = true, .seed = 100 * dress + i, .x_offset = i};
        trial.problem = problem_of(op, type, type, DRESS_ROWS, lengths[i]);
        trial.problem.variant = clsm_variants[variant].name;
        if (dress % 2 && limit)
            trial.problem.nonfinite = CLSM_NONFINITE_LIMIT;
        if (!dress_problem(dress, &trial.problem) || !can_do(t->device, &trial.problem))
            return;
        if (can_serve(t->device, variant, &trial.problem))
            tally_trial(t, &trial, NULL);
    }
}

START_TEST(every_form_is_within_the_bound)
{
    struct tally t = tally_of(_i);
    const unsigned variant = (unsigned)(_i / MAX_DEVICES);
    const bool all = asked_for("CLSM_TEST_EXHAUSTIVE");
    for (unsigned op = 0; op < CLSM_OP_COUNT; op++)
        for (unsigned dress = 1; dress < dress_count(); dress++)
            for (unsigned type = 0; type < (all ? TYPES : 1); type++)
                if (all || (op + dress + variant) % 3 == 0)
                    run_dress(&t, (clsm_op)op, (clsm_type)type, dress, variant);
    tally_end(&t);
}
END_TEST

void forms_suite(Suite *suite, int device)
{
    const struct device *d = &devices[device];
    clsm_problem p = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, 1, 1);
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        const char *name = clsm_variants[v].name;
        p.cols = clsm_variants[v].cols.min;
        if (is_new_here(d, v) && can_serve(d, v, &p))
            add_test(suite, device + MAX_DEVICES * (int)v, name,
                     every_form_is_within_the_bound);
    }
}
