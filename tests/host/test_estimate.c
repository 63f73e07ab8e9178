/* SPDX-License-Identifier: MIT */
/* What the estimates count, held against counting one by one. */
#include "estimate.h"
#include "packed.h"

#include <math.h>
#include <stdlib.h>

/* Counted one by one. */
static double share_seen(const struct problem *p)
{
    double seen = 0;
    for (size_t q = 0; q < p->queries; q++)
        for (size_t c = 0; c < p->cols; c++) {
            ptrdiff_t behind = (ptrdiff_t)q + p->causal_offset - (ptrdiff_t)c;
            bool before = !p->causal || behind >= 0;
            bool near = !p->window || llabs(behind) < (long long)p->window;
            seen += before && near;
        }
    return seen / (double)(p->queries * p->cols);
}

START_TEST(the_share_of_columns_that_queries_see_is_known)
{
    static const ptrdiff_t offsets[] = {0, 100, -150, 250, 400, -500};
    static const size_t windows[] = {0, 20, 150, 1000};
    unsigned differ = 0;
    for (unsigned i = 0; i < 2 * COUNT(offsets) * COUNT(windows); i++) {
        struct problem p = {.rows = 900, .queries = 300, .cols = 400, .inner = 1};
        p.causal = i % 2;
        p.causal_offset = offsets[i / 2 % COUNT(offsets)];
        p.window = windows[i / 2 / COUNT(offsets)];
        double seen = clsm_columns_seen(&p), counted = share_seen(&p);
        EXPECT(fabs(seen - counted) < 0.01, "case %u: %g, counted %g", i, seen,
               counted);
        differ += counted > 0 && counted < 1;
    }
    ck_assert_uint_gt(differ, COUNT(offsets) * COUNT(windows));
}
END_TEST

/* Their parts are those of the columns alone. */
START_TEST(parts_that_come_ahead_take_as_long_in_a_deterministic_plan)
{
    unsigned shared = 0;
    struct config config;
    for (unsigned i = 0; clsm_config_at(i, &config); i++) {
        struct problem p = packed(CLSM_SOFTMAX, CLSM_F32, 1000, 10000);
        p.strided = true, p.inner = 100;
        if (!variant_of(&config)->ahead || !variant_of(&config)->any_axis ||
            clsm_config_misfit(&config, &p, &h200))
            continue;
        double known = clsm_estimate(&config, &p, &h200);
        p.deterministic = true;
        double always = clsm_estimate(&config, &p, &h200);
        EXPECT(fabs(always - known) < 0.1 * known, "%s: %g s, known rows %g s",
               clsm_config_name(i), always, known);
        shared++;
    }
    ck_assert_uint_gt(shared, 0);
}
END_TEST

Suite *estimate_suite(void)
{
    Suite *suite = suite_create("estimate");
    TCase *t = tcase_create("estimate");
    tcase_add_test(t, the_share_of_columns_that_queries_see_is_known);
    tcase_add_test(t, parts_that_come_ahead_take_as_long_in_a_deterministic_plan);
    suite_add_tcase(suite, t);
    return suite;
}
