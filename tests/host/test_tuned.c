/* SPDX-License-Identifier: MIT */
/* Facts about the shipped records: each names a configuration there is and is found for
 * some problem, and only for problems of its kind, type and shape. */
#include "suites.h"
#include "tuned.h"

#include <string.h>

static const struct tuned shipped[] = {
#include "tuned.def"
};

static const clsm_type types[] = {CLSM_F32, CLSM_F16, CLSM_BF16, CLSM_F64};

/* A device that has what a record needs, and no more. */
static struct traits device_of(const struct tuned *r)
{
    return (struct traits){.bits = r->needs, .lanes = 32, .compute_units = 1};
}

static bool same(const struct tuned *a, const struct tuned *b)
{
    return a && a->kind == b->kind && a->element_bytes == b->element_bytes &&
           a->rows_min == b->rows_min && a->cols_min == b->cols_min &&
           a->cols_max == b->cols_max && a->rows_max == b->rows_max &&
           a->k_min == b->k_min && a->k_max == b->k_max && a->multiple == b->multiple &&
           a->needs == b->needs && a->lacks == b->lacks &&
           strcmp(a->config, b->config) == 0;
}

/* The record for a problem, NULL if there is no such problem. */
static const struct tuned *record_of(unsigned op, clsm_type type, size_t k, size_t rows,
                                     size_t cols, const struct traits *t)
{
    clsm_problem given;
    struct problem p;
    clsm_problem_init(&given, (clsm_op)op, type, rows, cols);
    if ((clsm_op)op == CLSM_TOPK)
        given.k = k;
    return clsm_problem_check(&given, &p) == CLSM_OK ? clsm_tuned_find(&p, t) : NULL;
}

enum { MANY_ROWS = 1 << 26 };

/* At the first or the last of its row lengths, with its fewest or its most rows. */
static bool is_found(const struct tuned *r)
{
    const struct traits t = device_of(r);
    const size_t cols[] = {r->cols_min, r->cols_max, r->cols_min, r->cols_max};
    const size_t lists[] = {r->k_min, r->k_max};
    const size_t few = r->rows_min ? r->rows_min : 1;
    const size_t many = r->rows_max < MANY_ROWS ? r->rows_max : MANY_ROWS;
    for (unsigned op = 0; op < CLSM_OP_COUNT; op++)
        for (size_t i = 0; i < COUNT(types) * COUNT(lists) * COUNT(cols); i++)
            if (same(record_of(op, types[i % COUNT(types)],
                               lists[i / COUNT(types) % COUNT(lists)],
                               i / COUNT(types) / COUNT(lists) < 2 ? few : many,
                               cols[i / COUNT(types) / COUNT(lists)], &t),
                     r))
                return true;
    return false;
}

START_TEST(every_record_names_a_configuration_and_is_found)
{
    struct config config;
    bool exact;
    for (size_t i = 0; i < COUNT(shipped); i++) {
        const struct tuned *r = &shipped[i];
        EXPECT(clsm_config_parse(r->config, &config, &exact) == CLSM_OK && exact,
               "record %zu: \"%s\"", i, r->config);
        EXPECT(r->cols_min && r->cols_min <= r->cols_max, "record %zu: cols", i);
        EXPECT(r->rows_min <= r->rows_max, "record %zu: rows", i);
        EXPECT(r->k_min && r->k_min <= r->k_max, "record %zu: k", i);
        EXPECT(is_found(r), "record %zu, %s for %zu to %zu columns, is never found", i,
               r->config, r->cols_min, r->cols_max);
    }
}
END_TEST

START_TEST(a_record_serves_its_element_size_rows_and_columns_only)
{
    for (size_t i = 0; i < COUNT(shipped); i++) {
        const struct traits t = device_of(&shipped[i]);
        for (unsigned op = 0; op < CLSM_OP_COUNT; op++)
            for (size_t type = 0; type < COUNT(types); type++)
                for (size_t cols = 1; cols < (size_t)1 << 20; cols = cols * 3 + 1) {
                    const size_t k = (clsm_op)op == CLSM_TOPK ? 1 + cols % 7 : 1;
                    const struct tuned *r =
                        record_of(op, types[type], k, 2000, cols, &t);
                    if (!r)
                        continue;
                    EXPECT(r->element_bytes == ANY_BYTES ||
                               r->element_bytes == clsm_type_bytes(types[type]),
                           "%s for %s", r->config, clsm_type_name(types[type]));
                    EXPECT(t.bits & TRAIT_CPU || types[type] != CLSM_F64,
                           "%s for f64, of which none was measured on a GPU",
                           r->config);
                    EXPECT(cols >= r->cols_min && cols <= r->cols_max, "%zu", cols);
                    EXPECT(r->rows_min <= 2000 && r->rows_max >= 2000,
                           "rows %zu to %zu", r->rows_min, r->rows_max);
                    EXPECT(cols % r->multiple == 0, "%zu", cols);
                    EXPECT(k >= r->k_min && k <= r->k_max, "k %zu", k);
                }
    }
}
END_TEST

Suite *tuned_suite(void)
{
    Suite *suite = suite_create("tuned");
    TCase *t = tcase_create("tuned");
    tcase_add_test(t, every_record_names_a_configuration_and_is_found);
    tcase_add_test(t, a_record_serves_its_element_size_rows_and_columns_only);
    suite_add_tcase(suite, t);
    return suite;
}
