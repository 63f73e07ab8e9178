/* SPDX-License-Identifier: MIT */
/* Two engines of one context, with plans whose work-groups share rows. Side by side
 * each could have a part of the device, and wait for the rest: they take turns. */
#include "crowd.h"

static void run_both(struct crowd *first, struct crowd *second)
{
    for (unsigned i = 0; i < CROWD; i++) {
        crowd_enqueue(first, i, i % 2, NULL);
        crowd_enqueue(second, i, i % 2, NULL);
    }
    crowd_finish(first);
    crowd_finish(second);
    for (unsigned i = 0; i < CROWD; i++) {
        crowd_check(first, i);
        crowd_check(second, i);
    }
}

START_TEST(engines_of_a_context_take_turns)
{
    struct tally t = tally_of(_i), of_other = t;
    const char *variant = clsm_variants[_i / MAX_DEVICES].name;
    const struct session *s = &t.device->session;
    struct device other = *t.device;
    struct crowd first, second;
    of_other.device = &other;
    ck_assert_int_eq(
        clsm_engine_create(s->context, s->info.device, &other.session.engine), CLSM_OK);
    tally_fact(&t, other.session.engine->shared == s->engine->shared,
               "each has a memory of its own");
    ck_assert(crowd_open(&t, variant, 2, 0, &first));
    ck_assert(crowd_open(&of_other, variant, 2, 0, &second));
    run_both(&first, &second);
    crowd_close(&second);
    clsm_engine_destroy(other.session.engine);
    for (unsigned i = 0; i < CROWD; i++) /* with what is left */
        crowd_enqueue(&first, i, i % 2, NULL);
    crowd_close(&first);
    tally_end(&of_other);
    tally_end(&t);
}
END_TEST

void engines_suite(Suite *suite, int device)
{
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        const char *name = clsm_variants[v].name;
        if (clsm_variants[v].geometry != ROW_PER_GROUPS)
            continue;
        clsm_problem p = shared_problem(name, CLSM_SOFTMAX, CLSM_F32, 3, 9000);
        if (can_serve(&devices[device], v, &p))
            add_test(suite, device + MAX_DEVICES * (int)v, name,
                     engines_of_a_context_take_turns);
        else
            note(&devices[device], "variant %s does not run here", name);
    }
}
