/* SPDX-License-Identifier: MIT */
/* Facts about mappings that share rows among work-groups: in how many parts and
 * launches, and what these leave for one another. */
#include "lanes.h"
#include "packed.h"
#include "shared.h"

#include <stdio.h>
#include <stdlib.h>

/* Fewer rows, more parts; a deterministic plan's do not depend on the rows. */
START_TEST(parts_keep_the_device_busy_and_deterministic_ones_are_always_the_same)
{
    struct config config;
    for (unsigned i = 0; clsm_config_at(i, &config); i++)
        for (size_t cols = 1; cols <= MAX_COLS / 3; cols = cols * 3 + 1) {
            struct problem p = packed(CLSM_SOFTMAX, CLSM_F32, 1, cols);
            size_t most = clsm_config_parts(&config, &p, &gpu), before = most;
            bool shares = variant_of(&config)->geometry == ROW_PER_GROUPS;
            bool waits = !variant_of(&config)->launches;
            bool bounded = shares && !waits; /* else as many as there are */
            for (p.rows = 1; p.rows <= 1 << 20; p.rows *= 2) {
                size_t parts = clsm_config_parts(&config, &p, &gpu);
                EXPECT(parts >= 1 && parts <= before, "%zu parts", parts);
                EXPECT(shares || parts == 1, "%s shares rows", clsm_config_name(i));
                EXPECT(!bounded || parts <= MOST_PARTS, "%zu parts", parts);
                before = parts;
                p.deterministic = true;
                EXPECT(clsm_config_parts(&config, &p, &gpu) == most, "%zu", p.rows);
                p.deterministic = false;
            }
        }
}
END_TEST

/* Top-k by candidates, which lanes that swap values find, and by lists, a temperature
 * for each row, temperature 0, smoothing. Candidates go with the state. */
START_TEST(rows_are_shared_only_where_a_maximum_and_a_sum_are_all)
{
    struct problem topk = packed(CLSM_TOPK, CLSM_F32, 1, 1 << 20), most = topk;
    struct problem hot = packed(CLSM_SOFTMAX, CLSM_F32, 1, 1 << 20), each = hot;
    struct problem smooth = packed(CLSM_CROSS_ENTROPY, CLSM_F32, 1, 1 << 20);
    struct traits apart = gpu;
    apart.bits &= ~(unsigned)TRAIT_SWAP;
    most.k = CLSM_MAX_K;
    hot.one_hot = true;
    each.operands |= CLSM_BIT(CLSM_TEMPERATURE);
    smooth.label_smoothing = 0.1;
    const struct problem *const all[] = {&topk, &most, &hot, &each, &smooth};
    const struct traits *const devices[] = {&gpu, &apart};
    struct config config;
    for (size_t k = 0; k < COUNT(all) * COUNT(devices); k++) {
        const struct problem *p = all[k / COUNT(devices)];
        const struct traits *device = devices[k % COUNT(devices)];
        bool kept = clsm_problem_y(p) == CLSM_Y_K && device == &gpu;
        const struct variant *v = chosen(p, device);
        EXPECT(!v->one_state || (kept && v->candidates), "problem %zu", k);
        for (unsigned i = 0; clsm_config_at(i, &config); i++) {
            const char *misfit = clsm_config_misfit(&config, p, device);
            v = variant_of(&config);
            EXPECT(misfit || !v->one_state || (kept && v->candidates), "%s",
                   clsm_config_name(i));
        }
    }
    struct problem plain = packed(CLSM_SOFTMAX, CLSM_F32, 1, 1 << 20);
    ck_assert_int_eq(chosen(&plain, &gpu)->geometry, ROW_PER_GROUPS);
}
END_TEST

/* Each part has a record for its state and one for each of its largest, which a
 * work-group can take all at once. */
START_TEST(parts_leave_their_largest_where_there_is_room)
{
    static const size_t places[] = {1, 8, 50, CLSM_MAX_K}, cols[] = {20000, 1 << 20};
    unsigned fit = 0;
    struct config config;
    for (size_t n = 0; n < COUNT(places) * COUNT(cols); n++)
        for (unsigned i = 0; clsm_config_at(i, &config); i++) {
            struct problem p =
                packed(CLSM_TOPK, CLSM_F32, 1 << 20, cols[n % COUNT(cols)]);
            p.k = places[n / COUNT(cols)];
            if (!variant_of(&config)->candidates ||
                variant_of(&config)->geometry != ROW_PER_GROUPS ||
                clsm_config_misfit(&config, &p, &gpu))
                continue;
            size_t parts = clsm_config_parts(&config, &p, &gpu);
            size_t rows = clsm_config_launch_rows(&config, &p, &gpu, SHARED_RECORDS);
            size_t each = parts * p.k / clsm_config_wg(&config);
            EXPECT(rows && rows * parts * (1 + p.k) <= SHARED_RECORDS && each <= 8,
                   "%zu of %zu: %s", p.k, p.cols, clsm_config_name(i));
            fit++;
        }
    ck_assert_uint_gt(fit, 20);
}
END_TEST

/* As many numbers as `row` apart from one row's mask to the next. */
static bool settles(size_t rows, size_t cols, clsm_mask_type type, size_t row)
{
    clsm_problem given;
    struct problem p;
    clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_F32, rows, cols);
    given.operands = CLSM_BIT(CLSM_MASK);
    given.mask_type = type;
    given.mask_stride.row = row;
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    struct traits t = gpu; /* whose units have more than a work-group may have */
    t.bits |= TRAIT_PTX;
    return chosen(&p, &t)->settled;
}

START_TEST(work_groups_settle_where_many_long_rows_add_one_mask)
{
    for (size_t cols = 12000; cols <= 262144; cols += cols / 3) {
        EXPECT(settles(2000, cols, CLSM_MASK_F32, 0), "%zu columns", cols);
        EXPECT(!settles(2000, cols, CLSM_MASK_F32, cols), "%zu columns", cols);
        EXPECT(!settles(2000, cols, CLSM_MASK_BOOL, 0), "%zu columns", cols);
    }
    for (size_t cols = 8; cols <= 8192; cols *= 2)
        EXPECT(!settles(2000, cols, CLSM_MASK_F32, 0), "%zu columns", cols);
    for (size_t cols = 8; cols <= (size_t)1 << 23; cols += 1 + cols / 3) {
        struct problem p = packed(CLSM_SOFTMAX, CLSM_F32, 2000, cols);
        EXPECT(!chosen(&p, &gpu)->settled, "%zu columns", cols);
    }
}
END_TEST

/* More of them on a unit than NVIDIA's compiler would leave room for. */
START_TEST(who_cannot_wait_shares_rows_in_several_launches)
{
    struct traits t = gpu;
    t.bits &= ~(unsigned)TRAIT_WAIT;
    struct problem p = packed(CLSM_SOFTMAX, CLSM_F32, 1, 1 << 20);
    const struct variant *v = chosen(&p, &t);
    ck_assert_int_eq(v->geometry, ROW_PER_GROUPS);
    ck_assert_uint_eq(v->launches, 3);
}
END_TEST

/* Of which there are records for each launch. */
START_TEST(nobody_has_more_parts_than_records)
{
    struct traits t = h200;
    struct config config;
    unsigned waiting = 0;
    t.compute_units = 1 << 20;
    for (unsigned i = 0; clsm_config_at(i, &config); i++)
        for (size_t cols = 1000; cols <= (size_t)1 << 22; cols *= 4) {
            struct problem p = packed(CLSM_SOFTMAX, CLSM_F32, 1, cols);
            p.strided = variant_of(&config)->any_axis;
            p.inner = p.strided ? 64 : 1;
            if (variant_of(&config)->geometry != ROW_PER_GROUPS ||
                variant_of(&config)->launches || clsm_config_misfit(&config, &p, &t))
                continue;
            size_t parts = clsm_config_parts(&config, &p, &t);
            EXPECT(parts <= MOST_PARTS, "%s, %zu columns: %zu", clsm_config_name(i),
                   cols, parts);
            waiting++;
        }
    ck_assert_uint_gt(waiting, 0);
}
END_TEST

/* One set of lanes agrees on what it sees while the others go on. */
START_TEST(nobody_waits_where_lanes_are_those_of_local_memory)
{
    static const char *const wishes[] = {"local", "off"};
    const char *before = getenv("CLSM_SUBGROUPS");
    char kept[16] = "";
    snprintf(kept, sizeof kept, "%s", before ? before : "");
    struct problem p = packed(CLSM_SOFTMAX, CLSM_F32, 1, 1 << 20);
    struct config config;
    for (size_t w = 0; w < COUNT(wishes); w++) {
        struct traits t = h200;
        setenv("CLSM_SUBGROUPS", wishes[w], 1);
        ck_assert_int_eq(clsm_lanes_override(&t), CLSM_OK);
        ck_assert_int_eq(!(t.bits & TRAIT_LANES), w);
        for (unsigned i = 0; clsm_config_at(i, &config); i++)
            EXPECT(!(variant_of(&config)->needs & TRAIT_WAIT) ||
                       clsm_config_misfit(&config, &p, &t),
                   "%s, CLSM_SUBGROUPS=%s", clsm_config_name(i), wishes[w]);
    }
    setenv("CLSM_SUBGROUPS", kept, 1);
}
END_TEST

START_TEST(a_row_has_the_launches_that_it_needs)
{
    static const clsm_op ops[] = {CLSM_SOFTMAX, CLSM_LOG_SUM_EXP, CLSM_FINISH_SOFTMAX,
                                  CLSM_FINISH_LOG_SOFTMAX};
    struct config config;
    for (unsigned i = 0; clsm_config_at(i, &config); i++)
        for (size_t o = 0; o < COUNT(ops); o++) {
            struct problem p = packed(ops[o], CLSM_F32, 1, 1 << 20);
            unsigned most = variant_of(&config)->launches;
            unsigned read = most == 3 && ops[o] == CLSM_LOG_SUM_EXP ? 2 : most;
            ck_assert_uint_eq(clsm_config_launches(&config, &p),
                              most && o < 2 ? read : 1);
        }
}
END_TEST

Suite *parts_suite(void)
{
    Suite *suite = suite_create("parts");
    TCase *t = tcase_create("parts");
    tcase_add_test(
        t, parts_keep_the_device_busy_and_deterministic_ones_are_always_the_same);
    tcase_add_test(t, rows_are_shared_only_where_a_maximum_and_a_sum_are_all);
    tcase_add_test(t, parts_leave_their_largest_where_there_is_room);
    tcase_add_test(t, work_groups_settle_where_many_long_rows_add_one_mask);
    tcase_add_test(t, who_cannot_wait_shares_rows_in_several_launches);
    tcase_add_test(t, nobody_has_more_parts_than_records);
    tcase_add_test(t, nobody_waits_where_lanes_are_those_of_local_memory);
    tcase_add_test(t, a_row_has_the_launches_that_it_needs);
    suite_add_tcase(suite, t);
    return suite;
}
