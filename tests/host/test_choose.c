/* SPDX-License-Identifier: MIT */
/* Facts about choosing, on made-up devices: what is chosen always fits, the ranking is
 * total, and the reason is said. Which one is fastest is for the bench to say. */
#include "choose.h"
#include "devices.h"
#include "suites.h"

#include <math.h>
#include <stdio.h>

static const struct traits small_gpu = {
    .lanes_std = "CL1.2",
    .compute_units = 4,
    .vector_width = 4,
    .max_wg = 256,
    .local_bytes = 16384,
};

static const struct traits *const devices[] = {&gpu, &small_gpu, &cpu};

static struct choice c;

static struct problem packed(size_t rows, size_t cols, unsigned flags)
{
    clsm_problem given;
    struct problem p;
    clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_F32, rows, cols);
    given.flags = flags;
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    return p;
}

/* The parts of a choice that must hold for any problem and device. */
static void is_sound(const struct problem *p, const struct traits *t)
{
    EXPECT(c.fit >= 1 && c.fit <= c.count, "%u of %u fit", c.fit, c.count);
    EXPECT(*c.reason, "cols %zu: no reason", p->cols);
    for (unsigned i = 0; i < c.count; i++) {
        const struct candidate *one = &c.ranked[i];
        EXPECT(!one->misfit == (i < c.fit), "rank %u: fits come first", i);
        EXPECT(!one->misfit == !clsm_config_misfit(&one->config, p, t), "rank %u", i);
        EXPECT(i >= c.fit || isfinite(one->seconds), "rank %u: no estimate", i);
        EXPECT(i < 2 || i >= c.fit || c.ranked[i - 1].seconds <= one->seconds,
               "rank %u is faster than the one before it", i);
    }
}

START_TEST(over_all_row_lengths_the_chosen_one_fits)
{
    static const size_t rows[] = {1, 33, 4096, (size_t)1 << 22};
    const struct traits *t = devices[_i];
    for (size_t k = 0; k < COUNT(rows); k++)
        for (size_t cols = 1; cols <= 70000; cols += cols < 4200 ? 1 : 61) {
            struct problem p = packed(rows[k], cols, 0);
            EXPECT(clsm_choose(&p, t, NULL, &c) == CLSM_OK, "cols %zu: %s", cols,
                   clsm_last_message());
            is_sound(&p, t);
        }
}
END_TEST

START_TEST(the_longest_rows_and_the_emptiest_problems_are_served)
{
    static const size_t shapes[][2] = {
        {1, MAX_COLS}, {1u << 20, MAX_COLS}, {0, 7}, {7, 0}, {0, 0}};
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (size_t d = 0; d < COUNT(devices); d++) {
            struct problem p = packed(shapes[i][0], shapes[i][1], 0);
            ck_assert_int_eq(clsm_choose(&p, devices[d], NULL, &c), CLSM_OK);
            is_sound(&p, devices[d]);
        }
}
END_TEST

/* A dimension after the axis may be empty, as any other. */
START_TEST(problems_without_inner_elements_are_served)
{
    for (unsigned op = 0; op < CLSM_OP_COUNT; op++)
        for (size_t rows = 0; rows < 4; rows++)
            for (size_t d = 0; d < COUNT(devices); d++) {
                clsm_problem given;
                struct problem p;
                clsm_problem_init(&given, (clsm_op)op, CLSM_F32, rows, 5);
                given.inner = 0;
                ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
                ck_assert_int_eq(clsm_choose(&p, devices[d], NULL, &c), CLSM_OK);
                is_sound(&p, devices[d]);
            }
}
END_TEST

START_TEST(every_configuration_is_ranked_once)
{
    struct problem p = packed(64, 1000, 0);
    struct config config;
    unsigned n = 0;
    ck_assert_int_eq(clsm_choose(&p, &gpu, NULL, &c), CLSM_OK);
    for (; clsm_config_at(n, &config); n++) {
        unsigned times = 0;
        for (unsigned i = 0; i < c.count; i++)
            times += memcmp(&c.ranked[i].config, &config, sizeof config) == 0;
        ck_assert_uint_eq(times, 1);
    }
    ck_assert_uint_eq(n, c.count);
    ck_assert_uint_le(n, MAX_CANDIDATES);
}
END_TEST

/* Where estimates are equal the table's order decides, not the sorting routine. */
START_TEST(equals_stand_in_the_tables_order)
{
    for (size_t d = 0; d < COUNT(devices); d++)
        for (size_t cols = 1; cols <= 65536; cols *= 2) {
            struct problem p = packed(512, cols, 0);
            ck_assert_int_eq(clsm_choose(&p, devices[d], NULL, &c), CLSM_OK);
            for (unsigned i = 2; i < c.fit; i++) {
                const struct candidate *a = &c.ranked[i - 1], *b = a + 1;
                EXPECT(a->seconds < b->seconds ||
                           a->config.variant <= b->config.variant,
                       "cols %zu: rank %u", cols, i);
            }
        }
}
END_TEST

static void same_choice(const struct problem *p, const struct problem *q,
                        const struct traits *t)
{
    static struct choice other;
    EXPECT(clsm_choose(p, t, NULL, &c) == CLSM_OK, "%s", clsm_last_message());
    EXPECT(clsm_choose(q, t, NULL, &other) == CLSM_OK, "%s", clsm_last_message());
    for (unsigned i = 0; i < c.count; i++)
        EXPECT(memcmp(&c.ranked[i].config, &other.ranked[i].config,
                      sizeof(struct config)) == 0,
               "cols %zu: rows %zu and %zu differ", p->cols, p->rows, q->rows);
}

START_TEST(deterministic_plans_ignore_the_rows)
{
    static const size_t rows[] = {1, 2, 100, 10000, (size_t)1 << 24};
    for (size_t d = 0; d < COUNT(devices); d++)
        for (size_t cols = 1; cols <= 65536; cols = cols * 3 + 1)
            for (size_t i = 0; i < COUNT(rows); i++) {
                struct problem p = packed(rows[i], cols, CLSM_DETERMINISTIC);
                struct problem q = packed(77, cols, CLSM_DETERMINISTIC);
                same_choice(&p, &q, devices[d]);
            }
}
END_TEST

START_TEST(an_open_plan_is_chosen_for_the_rows_that_it_hints_at)
{
    static const size_t rows[] = {1, 100, (size_t)1 << 20};
    for (size_t d = 0; d < COUNT(devices); d++)
        for (size_t cols = 300; cols <= 65536; cols *= 3) /* longer than exact ones */
            for (size_t i = 0; i < COUNT(rows); i++) {
                struct problem p = packed(rows[i], cols, CLSM_OPEN_ROWS);
                struct problem q = packed(rows[i], cols, 0);
                same_choice(&p, &q, devices[d]);
            }
}
END_TEST

START_TEST(an_asked_for_variant_is_the_only_one_ranked)
{
    static const size_t cols[] = {1000, 100, 2, 100000}; /* not all take all of them */
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        const struct traits *t = clsm_variants[v].needs & TRAIT_CPU ? &cpu : &gpu;
        struct problem p;
        size_t i = 0;
        do
            p = packed(64, cols[i], 0), p.inner = clsm_variants[v].any_axis ? 4 : 1;
        while (clsm_choose(&p, t, clsm_variants[v].name, &c) != CLSM_OK &&
               ++i < COUNT(cols));
        ck_assert_uint_lt(i, COUNT(cols));
        is_sound(&p, t);
        for (unsigned i = 0; i < c.count; i++)
            ck_assert_uint_eq(c.ranked[i].config.variant, v);
        ck_assert_ptr_nonnull(strstr(c.reason, clsm_variants[v].name));
    }
}
END_TEST

START_TEST(an_asked_for_configuration_is_taken_as_it_is)
{
    struct problem p = packed(64, 1000, 0);
    struct config config;
    for (unsigned i = 0; clsm_config_at(i, &config); i++) {
        char name[64];
        snprintf(name, sizeof name, "%s", clsm_config_name(i));
        const char *misfit = clsm_config_misfit(&config, &p, &gpu);
        if (misfit) { /* too few workers to hold the row */
            REFUSED(clsm_choose(&p, &gpu, name, &c), CLSM_ERR_VARIANT, name, misfit);
            continue;
        }
        ck_assert_int_eq(clsm_choose(&p, &gpu, name, &c), CLSM_OK);
        if (strchr(name, ':'))
            ck_assert_uint_eq(c.count, 1);
        ck_assert_uint_eq(c.ranked[0].config.variant, config.variant);
    }
}
END_TEST

START_TEST(a_wish_that_cannot_be_met_is_refused_with_the_reason)
{
    struct problem p = packed(64, 1000, 0);
    REFUSED(clsm_choose(&p, &gpu, "nosuch", &c), CLSM_ERR_VARIANT, "\"nosuch\"",
            "expected one of:");
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        struct config config = {.variant = v};
        for (unsigned k = 0; k < MAX_PARAMS; k++)
            config.values[k] = clsm_variants[v].params[k].values[0];
        const char *misfit = clsm_config_misfit(&config, &p, &small_gpu);
        if (misfit)
            REFUSED(clsm_choose(&p, &small_gpu, clsm_variants[v].name, &c),
                    CLSM_ERR_VARIANT, clsm_variants[v].name, misfit);
    }
}
END_TEST

START_TEST(a_device_that_nothing_fits_is_told_so)
{
    struct problem p = packed(64, 1000, 0);
    p.strided = true;
    const struct traits nothing = {
        .lanes_std = "CL1.2", .compute_units = 1, .vector_width = 1};
    REFUSED(clsm_choose(&p, &nothing, NULL, &c), CLSM_ERR_UNSUPPORTED,
            "no variant can serve here", "");
}
END_TEST

START_TEST(strided_problems_go_to_what_takes_any_axis)
{
    clsm_problem given;
    struct problem p;
    for (int by_inner = 0; by_inner < 2; by_inner++)
        for (size_t d = 0; d < COUNT(devices); d++) {
            clsm_problem_init(&given, CLSM_LOG_SOFTMAX, CLSM_F16, 64, 1000);
            given.inner = by_inner ? 7 : 1;
            given.x_col_stride = by_inner ? 0 : 2;
            ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
            ck_assert_int_eq(clsm_choose(&p, devices[d], NULL, &c), CLSM_OK);
            is_sound(&p, devices[d]);
            ck_assert(clsm_variants[c.ranked[0].config.variant].any_axis);
        }
}
END_TEST

START_TEST(middle_axes_on_a_gpu_go_to_tiles)
{
    static const size_t shapes[][3] = {
        {256, 1024, 64}, {64, 4096, 128}, {4096, 100, 32}, {16, 50257, 32}};
    static const clsm_type types[] = {CLSM_F32, CLSM_BF16};
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (size_t k = 0; k < COUNT(types); k++) {
            clsm_problem given;
            struct problem p;
            clsm_problem_init(&given, CLSM_SOFTMAX, types[k], shapes[i][0],
                              shapes[i][1]);
            given.inner = shapes[i][2];
            ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
            ck_assert_int_eq(clsm_choose(&p, &gpu, NULL, &c), CLSM_OK);
            is_sound(&p, &gpu);
            EXPECT(clsm_config_tile(&c.ranked[0].config) > 1, "cols %zu", p.cols);
        }
}
END_TEST

/* Those over the classes of an image's pixels; softmax of 21 and 48 and log-softmax of
 * 48 are faster by tiles, by 1%. */
START_TEST(short_middle_axes_go_to_what_has_neighbours_side_by_side)
{
    static const size_t cols[] = {2, 10, 21, 48};
    static const clsm_op ops[] = {CLSM_SOFTMAX, CLSM_LOG_SOFTMAX, CLSM_LOG_SUM_EXP,
                                  CLSM_CROSS_ENTROPY, CLSM_CROSS_ENTROPY_LOSS};
    for (size_t i = 0; i < COUNT(cols) * COUNT(ops); i++) {
        clsm_problem given;
        struct problem p;
        clsm_op op = ops[i % COUNT(ops)];
        clsm_problem_init(&given, op, CLSM_F32, 8, cols[i / COUNT(ops)]);
        given.inner = 65536;
        ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
        ck_assert_int_eq(clsm_choose(&p, &gpu, NULL, &c), CLSM_OK);
        is_sound(&p, &gpu);
        bool tiles = (op == CLSM_SOFTMAX && p.cols > 10) ||
                     (op == CLSM_LOG_SOFTMAX && p.cols > 21);
        EXPECT(clsm_variants[c.ranked[0].config.variant].geometry ==
                   (tiles ? ROW_PER_GROUP : ROWS_PER_ITEM),
               "%s of %zu columns", clsm_op_name(op), p.cols);
        ck_assert_int_eq(clsm_choose(&p, &cpu, NULL, &c), CLSM_OK);
        is_sound(&p, &cpu);
        EXPECT(clsm_variants[c.ranked[0].config.variant].row_per_lane,
               "%s of %zu columns", clsm_op_name(op), p.cols);
    }
}
END_TEST

START_TEST(a_middle_axis_that_is_no_multiple_is_taken_one_by_one)
{
    clsm_problem given;
    struct problem p;
    clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_F16, 64, 10);
    given.inner = 13 * 13;
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    ck_assert_int_eq(clsm_choose(&p, &gpu, NULL, &c), CLSM_OK);
    is_sound(&p, &gpu);
    ck_assert_uint_eq(clsm_config_beside(&c.ranked[0].config, &p), 1);
}
END_TEST

Suite *choose_suite(void)
{
    Suite *suite = suite_create("choose");
    TCase *t = tcase_create("choose");
    tcase_add_loop_test(t, over_all_row_lengths_the_chosen_one_fits, 0,
                        (int)COUNT(devices));
    tcase_add_test(t, the_longest_rows_and_the_emptiest_problems_are_served);
    tcase_add_test(t, problems_without_inner_elements_are_served);
    tcase_add_test(t, every_configuration_is_ranked_once);
    tcase_add_test(t, equals_stand_in_the_tables_order);
    tcase_add_test(t, deterministic_plans_ignore_the_rows);
    tcase_add_test(t, an_open_plan_is_chosen_for_the_rows_that_it_hints_at);
    tcase_add_test(t, an_asked_for_variant_is_the_only_one_ranked);
    tcase_add_test(t, an_asked_for_configuration_is_taken_as_it_is);
    tcase_add_test(t, a_wish_that_cannot_be_met_is_refused_with_the_reason);
    tcase_add_test(t, a_device_that_nothing_fits_is_told_so);
    tcase_add_test(t, strided_problems_go_to_what_takes_any_axis);
    tcase_add_test(t, middle_axes_on_a_gpu_go_to_tiles);
    tcase_add_test(t, short_middle_axes_go_to_what_has_neighbours_side_by_side);
    tcase_add_test(t, a_middle_axis_that_is_no_multiple_is_taken_one_by_one);
    suite_add_tcase(suite, t);
    return suite;
}
