/* SPDX-License-Identifier: MIT */
/* Problems drawn at random, see random_trial.h. CLSM_TEST_SEED=N begins with another
 * plan, CLSM_TEST_PLANS=N draws so many of them. */
#include "random_trial.h"
#include "tally.h"

#include <stdlib.h>

enum {
    PLANS = 90,
    MANY_PLANS = 2000, /* with CLSM_TEST_EXHAUSTIVE */
    CALLS = 5,         /* of a plan with an open shape */
    MOST_ELEMENTS = 1 << 16
};

static void run_plan(struct tally *t, uint64_t seed)
{
    struct random_trial d = {.traits = &t->device->session.engine->traits,
                             .most = MOST_ELEMENTS};
    clsm_plan *plan = NULL;
    random_trial_draw(&d, seed);
    const clsm_problem given = d.trial.problem;
    unsigned calls = given.flags & (CLSM_OPEN_ROWS | CLSM_OPEN_COLS) ? CALLS : 1;
    bool right =
        tally_ok(t, clsm_plan_create(t->device->session.engine, &given, &plan), "plan");
    for (unsigned i = 0; right && i < calls; i++) {
        right = tally_trial(t, &d.trial, plan);
        random_trial_call(&d, &given);
    }
    clsm_plan_destroy(plan);
    if (!right)
        note(t->device, "again with CLSM_TEST_SEED=%llu CLSM_TEST_PLANS=1",
             (unsigned long long)seed);
}

START_TEST(whatever_goes_together_is_right)
{
    struct tally t = tally_of(_i);
    const char *seed = getenv("CLSM_TEST_SEED"), *plans = getenv("CLSM_TEST_PLANS");
    uint64_t n = asked_for("CLSM_TEST_EXHAUSTIVE") ? MANY_PLANS : PLANS;
    uint64_t first = seed ? strtoull(seed, NULL, 10) : 1;
    n = plans ? strtoull(plans, NULL, 10) : n;
    for (uint64_t i = 0; i < n; i++)
        run_plan(&t, first + i);
    tally_end(&t);
}
END_TEST

void random_suite(Suite *suite, int device)
{
    add_test(suite, device, NULL, whatever_goes_together_is_right);
}
