/* SPDX-License-Identifier: MIT */
/* What the estimates count, held against counting one by one. */
#include "estimate.h"
#include "suites.h"

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

Suite *estimate_suite(void)
{
    Suite *suite = suite_create("estimate");
    TCase *t = tcase_create("estimate");
    tcase_add_test(t, the_share_of_columns_that_queries_see_is_known);
    suite_add_tcase(suite, t);
    return suite;
}
