/* SPDX-License-Identifier: MIT */
/* Facts about mappings that hold rows in registers: what fits, and where the estimate
 * prefers them. */
#include "packed.h"

#include <math.h>

static const struct traits cpu_without_fma = {
    .bits = TRAIT_CPU | TRAIT_F64,
    .lanes_std = "CL1.2",
    .compute_units = 16,
    .vector_width = 8,
    .max_wg = 4096,
    .local_bytes = 524288,
};

static const clsm_type types[] = {CLSM_F32, CLSM_F16, CLSM_BF16, CLSM_F64};

START_TEST(the_tables_new_fields_go_together)
{
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        const struct variant *row = &clsm_variants[v];
        bool shares = row->geometry == ROW_PER_GROUPS;
        ck_assert(!row->packs || row->reads == 1); /* what is held is read once */
        ck_assert(!row->packs || row->cols.max < MAX_COLS);
        ck_assert(!shares || row->one_state);
        ck_assert(row->launches == 0 ||
                  (row->launches > 1 && row->launches < 4 && shares));
        ck_assert(!(row->needs & TRAIT_WAIT) || shares);
    }
}
END_TEST

/* Elements of all packs of all workers of all parts: no fewer than there are in whole
 * packs, and with one pack less for each worker they would be fewer. */
START_TEST(packs_hold_the_row_and_no_worker_has_one_too_many)
{
    struct config config;
    for (unsigned i = 0; clsm_config_at(i, &config); i++)
        for (size_t k = 0; k < COUNT(types) && variant_of(&config)->packs; k++)
            for (size_t cols = 1; cols <= variant_of(&config)->cols.max;
                 cols += 1 + cols / 9) {
                struct problem p = packed(CLSM_SOFTMAX, types[k], 5, cols);
                size_t pack = 16 / clsm_type_bytes(types[k]),
                       whole = cols / pack * pack;
                size_t packs = clsm_config_packs(&config, &p, &gpu);
                size_t step = clsm_config_workers(&config, &gpu) *
                              clsm_config_parts(&config, &p, &gpu) * pack;
                EXPECT(packs >= 1 && packs * step >= whole, "%s: %zu of %zu columns",
                       clsm_config_name(i), packs * step, cols);
                EXPECT(packs == 1 || (packs - 1) * step < whole, "%s: %zu packs",
                       clsm_config_name(i), packs);
            }
}
END_TEST

/* A row that fits leaves all shorter ones fitting, and one that does not, says why. */
START_TEST(rows_fit_up_to_a_length_and_then_say_why_not)
{
    struct config config;
    for (unsigned i = 0; clsm_config_at(i, &config); i++)
        for (size_t k = 0; k < COUNT(types) && variant_of(&config)->packs; k++) {
            const char *misfit = NULL;
            for (size_t cols = 1; cols <= 1 << 23; cols += 1 + cols / 9) {
                struct problem p = packed(CLSM_SOFTMAX, types[k], 5, cols);
                const char *now = clsm_config_misfit(&config, &p, &gpu);
                if (now && strstr(now, "single"))
                    continue; /* for longer rows */
                EXPECT(!misfit || now, "%s: %zu columns fit", clsm_config_name(i),
                       cols);
                EXPECT(now || clsm_config_held_words(&config, &p, &gpu) > 0, "%s holds",
                       clsm_config_name(i));
                misfit = now;
            }
            EXPECT(misfit && (strstr(misfit, "registers") || strstr(misfit, "length") ||
                              strstr(misfit, "parts")),
                   "%s: %s", clsm_config_name(i), misfit ? misfit : "everything fits");
        }
}
END_TEST

START_TEST(forms_and_gradients_take_more_words)
{
    struct config config;
    for (unsigned i = 0; clsm_config_at(i, &config); i++) {
        struct problem p = packed(CLSM_SOFTMAX, CLSM_F16, 5, 1000), scaled = p;
        struct problem q = packed(CLSM_SOFTMAX_BACKWARD, CLSM_F16, 5, 1000);
        scaled.scale = 2;
        unsigned words = clsm_config_held_words(&config, &p, &gpu);
        ck_assert_uint_ge(clsm_config_held_words(&config, &scaled, &gpu), words);
        ck_assert_uint_ge(clsm_config_held_words(&config, &q, &gpu), words);
        ck_assert(!words == (!variant_of(&config)->packs &&
                             !clsm_config_value(&config, PARAM_PACKS, 0)));
    }
}
END_TEST

/* On a unit of a GPU; but each worker has a row. */
START_TEST(blocks_of_rows_leave_room_for_others)
{
    static const clsm_op ops[] = {CLSM_SOFTMAX, CLSM_SOFTMAX_BACKWARD};
    struct config config;
    for (unsigned i = 0; clsm_config_at(i, &config); i++) {
        if (strcmp(variant_of(&config)->name, "staged") != 0)
            continue;
        size_t sets =
            clsm_config_wg(&config) / clsm_config_value(&config, PARAM_CLUSTER, 1);
        for (size_t k = 0; k < 8 * 250; k++) {
            clsm_type type = types[k / 2 % 4];
            struct problem p = packed(ops[k % 2], type, 1 << 24, 1 + k / 8);
            if (clsm_config_misfit(&config, &p, &gpu))
                continue;
            size_t rows = clsm_config_rows_per_group(&config, &p, &gpu);
            size_t bytes = rows * p.cols * clsm_type_bytes(type) * (1 + k % 2);
            EXPECT(rows == sets || bytes <= 5120, "%zu rows of %zu columns", rows,
                   p.cols);
        }
    }
}
END_TEST

START_TEST(usual_rows_on_a_gpu_with_lanes_are_held)
{
    static const size_t rows[] = {4096, 16384, 65536};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t k = 0; k < 3; k++)
            for (size_t cols = 128; cols <= 16384; cols += 1 + cols / 7) {
                struct problem p = packed(CLSM_SOFTMAX, types[k], rows[i], cols);
                const struct variant *v = chosen(&p, &gpu);
                EXPECT(v->geometry == ROWS_PER_GROUP ||
                           clsm_config_held_words(&c.ranked[0].config, &p, &gpu) > 0,
                       "%zu x %zu of %s: %s", rows[i], cols, clsm_type_name(types[k]),
                       v->name);
            }
}
END_TEST

/* Estimate and records together, whatever is held elsewhere. */
START_TEST(a_cpu_takes_a_loop_a_core_by_its_records)
{
    for (size_t k = 0; k < COUNT(types); k++)
        for (size_t cols = 1; cols <= 70000; cols += 1 + cols / 9) {
            struct problem p = packed(CLSM_SOFTMAX, types[k], 4096, cols);
            EXPECT(chosen(&p, &cpu_without_fma)->geometry == ROW_RUN_PER_ITEM,
                   "cols %zu", cols);
            EXPECT(strstr(c.reason, "measured fastest"), "cols %zu: %s", cols,
                   c.reason);
        }
}
END_TEST

START_TEST(over_all_row_lengths_something_fits_and_has_an_estimate)
{
    static const size_t rows[] = {0, 1, 100, (size_t)1 << 20};
    for (unsigned op = 0; op < CLSM_OP_COUNT; op++)
        for (size_t k = 0; k < COUNT(types) * COUNT(rows); k++)
            for (size_t cols = 1; cols <= MAX_COLS; cols += 1 + cols / 3) {
                struct problem p = packed((clsm_op)op, types[k % COUNT(types)],
                                          rows[k / COUNT(types)], cols);
                chosen(&p, k % 2 ? &gpu : &cpu_without_fma);
                for (unsigned i = 0; i < c.fit; i++)
                    EXPECT(isfinite(c.ranked[i].seconds) && c.ranked[i].seconds > 0,
                           "%s, cols %zu: no estimate",
                           variant_of(&c.ranked[i].config)->name, cols);
            }
}
END_TEST

Suite *held_suite(void)
{
    Suite *suite = suite_create("held");
    TCase *t = tcase_create("held");
    tcase_add_test(t, the_tables_new_fields_go_together);
    tcase_add_test(t, packs_hold_the_row_and_no_worker_has_one_too_many);
    tcase_add_test(t, rows_fit_up_to_a_length_and_then_say_why_not);
    tcase_add_test(t, forms_and_gradients_take_more_words);
    tcase_add_test(t, blocks_of_rows_leave_room_for_others);
    tcase_add_test(t, usual_rows_on_a_gpu_with_lanes_are_held);
    tcase_add_test(t, a_cpu_takes_a_loop_a_core_by_its_records);
    tcase_add_test(t, over_all_row_lengths_something_fits_and_has_an_estimate);
    suite_add_tcase(suite, t);
    return suite;
}
