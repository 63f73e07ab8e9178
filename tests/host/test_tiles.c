/* SPDX-License-Identifier: MIT */
/* Facts about tiles whose parts wait for one another: the memory that a launch shares
 * has room for what they tell and count. */
#include "choose.h"
#include "devices.h"
#include "shared.h"
#include "suites.h"

/* A launch of as many rows as there may be: every part and group has its record, and
 * every group its word, behind the one that counts tickets. */
START_TEST(groups_of_parts_have_a_word_each_in_any_launch)
{
    static const clsm_type types[] = {CLSM_F32, CLSM_BF16, CLSM_F64};
    struct config config;
    unsigned grouped = 0, all = 0;
    for (unsigned i = 0; clsm_config_at(i, &config); i++) {
        if (!clsm_variants[config.variant].ahead || clsm_config_tile(&config) == 1)
            continue;
        size_t tile = clsm_config_tile(&config);
        for (size_t n = 0; n < COUNT(types); n++)
            for (size_t cols = 1; cols < 200000; cols += cols / 50 + 1) {
                clsm_problem given;
                struct problem p;
                clsm_problem_init(&given, CLSM_SOFTMAX, types[n], 1 << 20, cols);
                given.inner = 128;
                ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
                size_t parts = clsm_config_parts(&config, &p, &gpu);
                size_t groups = clsm_tile_part_groups(&config, &p, &gpu);
                size_t rows =
                    clsm_config_launch_rows(&config, &p, &gpu, SHARED_RECORDS);
                all++;
                if (groups == 0)
                    continue;
                grouped++;
                ck_assert_uint_le(rows * (parts + groups), SHARED_RECORDS);
                ck_assert_uint_lt(rows / tile * groups, SHARED_COUNTS);
            }
    }
    ck_assert_uint_gt(grouped, 0);
    ck_assert_uint_gt(all, grouped);
}
END_TEST

/* What comes to local memory comes in pieces of 8 or 16 bytes. */
START_TEST(no_pack_that_comes_ahead_is_less_than_8_bytes)
{
    struct config config;
    unsigned fit = 0;
    for (unsigned i = 0; clsm_config_at(i, &config); i++) {
        if (!clsm_variants[config.variant].ahead || clsm_config_tile(&config) == 1)
            continue;
        for (unsigned x = 0; x <= CLSM_F64; x++)
            for (unsigned y = 0; y <= CLSM_F64; y++) {
                clsm_problem given;
                struct problem p;
                clsm_problem_init(&given, CLSM_SOFTMAX, (clsm_type)x, 64, 1000);
                given.y_type = (clsm_type)y;
                given.inner = 128;
                ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
                if (clsm_config_misfit(&config, &p, &gpu))
                    continue;
                fit++;
                ck_assert_uint_ge(
                    clsm_config_beside(&config, &p) * clsm_type_bytes(p.x.type), 8);
            }
    }
    ck_assert_uint_gt(fit, 0);
}
END_TEST

Suite *tiles_suite(void)
{
    Suite *suite = suite_create("tiles");
    TCase *t = tcase_create("tiles");
    tcase_add_test(t, groups_of_parts_have_a_word_each_in_any_launch);
    tcase_add_test(t, no_pack_that_comes_ahead_is_less_than_8_bytes);
    suite_add_tcase(suite, t);
    return suite;
}
