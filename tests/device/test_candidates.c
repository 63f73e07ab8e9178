/* SPDX-License-Identifier: MIT */
/* Mappings that choose a row's largest elements among candidates. */
#include "tally.h"

/* Few places and as many as there may be; rows of each kind of input, of which some
 * have more candidates than there is room for, beside others in the same work-group
 * that do not. */
START_TEST(candidates_are_enough_wherever_the_largest_are)
{
    static const size_t places[] = {1, 6, 31, 77}, lengths[] = {31, 1301};
    static const clsm_type types[] = {CLSM_F32, CLSM_BF16};
    struct tally t = tally_of(_i);
    for (unsigned v = 0; v < clsm_variant_count; v++)
        for (unsigned n = 0; n < COUNT(places) * COUNT(lengths); n++) {
            struct trial trial = {.mixed = true, .x_offset = n % 4, .seed = 70 + n};
            clsm_type type = types[(n + n / COUNT(lengths)) % COUNT(types)];
            trial.problem = problem_of(CLSM_TOPK, type, type, INPUT_KIND_COUNT,
                                       lengths[n % COUNT(lengths)]);
            trial.problem.k = places[n / COUNT(lengths)];
            trial.problem.variant = clsm_variants[v].name;
            if (clsm_variants[v].candidates && can_serve(t.device, v, &trial.problem))
                tally_trial(&t, &trial, NULL);
        }
    tally_end(&t);
}
END_TEST

void candidates_suite(Suite *suite, int device)
{
    add_test(suite, device, NULL, candidates_are_enough_wherever_the_largest_are);
}
