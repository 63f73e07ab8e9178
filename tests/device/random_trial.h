/* SPDX-License-Identifier: MIT */
/* Trials drawn at random: whatever goes together in a plan and in its calls, with any
 * configuration that serves it. A seed says all of it. */
#ifndef CLSM_TEST_RANDOM_TRIAL_H
#define CLSM_TEST_RANDOM_TRIAL_H

#include "../../tools/trial.h"
#include "traits.h"

struct random_trial {
    const struct traits *traits; /* of the device, and */
    size_t most;                 /* how many elements of x: given */
    struct trial trial;          /* what is drawn; its variant may stand in config */
    char config[CONFIG_BYTES];
    clsm_op_info op;
    uint64_t state;
};

/* A plan's problem, and its first call. */
void random_trial_draw(struct random_trial *d, uint64_t seed);

/* Another call of the same plan: what it leaves open is drawn again. */
void random_trial_call(struct random_trial *d, const clsm_problem *plan);

#endif
