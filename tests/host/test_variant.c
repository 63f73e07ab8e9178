/* SPDX-License-Identifier: MIT */
/* Facts about the table of variants: names and back, what is refused, and the floor
 * that every device is served on. */
#include "suites.h"
#include "variant.h"

#include <stdio.h>

#define PLUS_ONE(...) +1
enum { OPS = 0 CLSM_OPERATIONS(PLUS_ONE) };

static unsigned values_of(const struct param *param)
{
    unsigned n = 0;
    while (n < MAX_VALUES && param->values[n])
        n++;
    return n;
}

START_TEST(every_row_is_whole)
{
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        const struct variant *row = &clsm_variants[v];
        ck_assert_str_eq(clsm_variant_name(v), row->name);
        ck_assert_uint_ge(row->cols.min, 1);
        ck_assert_uint_ge(row->cols.max, row->cols.min);
        ck_assert_uint_le(row->cols.max, MAX_COLS);
        ck_assert_uint_ge(row->reads, 1);
        ck_assert_uint_eq(strcspn(row->name, ":=, "), strlen(row->name));
        for (unsigned w = 0; w < v; w++)
            ck_assert_str_ne(clsm_variants[w].name, row->name);
        for (unsigned k = 0; k < MAX_PARAMS; k++)
            ck_assert_int_eq(!!row->params[k].which, values_of(&row->params[k]) > 0);
    }
    ck_assert_ptr_null(clsm_variant_name(clsm_variant_count));
}
END_TEST

START_TEST(every_combination_of_values_comes_once)
{
    unsigned expected = 0, found = 0;
    struct config a, b;
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        unsigned total = 1;
        for (unsigned k = 0; k < MAX_PARAMS && clsm_variants[v].params[k].which; k++)
            total *= values_of(&clsm_variants[v].params[k]);
        expected += total;
    }
    for (; clsm_config_at(found, &a); found++)
        for (unsigned i = 0; i < found; i++) {
            ck_assert(clsm_config_at(i, &b));
            EXPECT(memcmp(&a, &b, sizeof a) != 0, "%u and %u are the same", i, found);
        }
    ck_assert_uint_eq(found, expected);
    ck_assert_ptr_null(clsm_config_name(found));
}
END_TEST

START_TEST(every_name_parses_back_to_its_configuration)
{
    struct config config, parsed;
    bool exact;
    for (unsigned i = 0; clsm_config_at(i, &config); i++) {
        char name[64];
        clsm_config_text(&config, name, sizeof name);
        ck_assert_str_eq(clsm_config_name(i), name);
        ck_assert_int_eq(clsm_config_parse(name, &parsed, &exact), CLSM_OK);
        ck_assert_mem_eq(&parsed, &config, sizeof config);
        ck_assert(exact == (strchr(name, ':') != NULL));
    }
}
END_TEST

START_TEST(a_bare_name_takes_the_first_values)
{
    struct config config;
    bool exact = true;
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        ck_assert_int_eq(clsm_config_parse(clsm_variants[v].name, &config, &exact),
                         CLSM_OK);
        ck_assert(!exact);
        ck_assert_uint_eq(config.variant, v);
        for (unsigned k = 0; k < MAX_PARAMS; k++)
            ck_assert_uint_eq(config.values[k], clsm_variants[v].params[k].values[0]);
    }
}
END_TEST

START_TEST(an_unknown_variant_is_refused_with_the_list)
{
    static const char *const names[] = {"",      "trees", "tre",  "TREE",
                                        " tree", "tree ", "WG=64"};
    struct config config;
    bool exact;
    for (size_t i = 0; i < COUNT(names); i++) {
        REFUSED(clsm_config_parse(names[i], &config, &exact), CLSM_ERR_VARIANT,
                names[i], "expected one of:");
        for (unsigned v = 0; v < clsm_variant_count; v++)
            SAYS(clsm_variants[v].name);
    }
}
END_TEST

/* Written for the first variant with two values to a parameter, whichever it is. */
START_TEST(a_bad_parameter_is_refused_with_the_values_there_are)
{
    static const char *const ends[] = {
        "",     "=",    "=0",      "=63",  "=-64",  "=64x",  "= 64",
        "=+64", "=64,", "=64,X=1", "=64 ", "=0x40", "=64.0", "=99999999999"};
    unsigned v = 0;
    while (values_of(&clsm_variants[v].params[0]) < 2)
        v++;
    const struct param *param = &clsm_variants[v].params[0];
    const char *called = clsm_parameter_name(param->which);
    struct config config;
    bool exact;
    for (size_t i = 0; i < COUNT(ends); i++) {
        char name[64], value[16];
        snprintf(name, sizeof name, "%s:%s%s", clsm_variants[v].name, called, ends[i]);
        REFUSED(clsm_config_parse(name, &config, &exact), CLSM_ERR_VARIANT, name,
                called);
        for (unsigned k = 0; k < values_of(param); k++) {
            snprintf(value, sizeof value, "%u", param->values[k]);
            SAYS(value);
        }
    }
}
END_TEST

START_TEST(an_empty_list_of_parameters_is_refused)
{
    struct config config;
    bool exact;
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        char name[64];
        snprintf(name, sizeof name, "%s:", clsm_variants[v].name);
        REFUSED(clsm_config_parse(name, &config, &exact), CLSM_ERR_VARIANT, name, "");
        snprintf(name, sizeof name, "%s:NOSUCH=1", clsm_variants[v].name);
        REFUSED(clsm_config_parse(name, &config, &exact), CLSM_ERR_VARIANT, name, "");
    }
}
END_TEST

START_TEST(a_work_group_has_the_size_its_name_says)
{
    struct config config;
    for (unsigned i = 0; clsm_config_at(i, &config); i++) {
        const char *wg = strstr(clsm_config_name(i), "WG=");
        unsigned size = 1;
        if (wg)
            ck_assert_int_eq(sscanf(wg, "WG=%u", &size), 1);
        ck_assert_uint_eq(clsm_config_wg(&config), size);
        ck_assert_uint_eq(clsm_config_value(&config, PARAM_NONE, 77), 77);
    }
}
END_TEST

/* As little as OpenCL C 1.2 may have: no lanes, no f64, 1 KiB of local memory. */
static const struct traits floor_of_all = {
    .lanes_std = "CL1.2",
    .compute_units = 1,
    .vector_width = 1,
    .max_wg = 64,
    .local_bytes = 1024,
};

static unsigned fitting(const struct problem *p, const struct traits *t)
{
    struct config config;
    unsigned n = 0;
    for (unsigned i = 0; clsm_config_at(i, &config); i++)
        n += !clsm_config_misfit(&config, p, t);
    return n;
}

/* _i: operation, input and output type, packed or any axis */
START_TEST(the_poorest_device_is_served_for_every_row_length)
{
    static const size_t lengths[] = {1,    2,    3,     31,       64,      65,
                                     1000, 4097, 70000, 1u << 24, 1u << 31};
    clsm_problem given;
    struct problem p;
    for (size_t i = 0; i < COUNT(lengths); i++) {
        clsm_problem_init(&given, (clsm_op)(_i / 18), (clsm_type)(_i % 3), 2,
                          lengths[i]);
        given.y_type = (clsm_type)(_i / 3 % 3);
        given.inner = _i / 9 % 2 ? 5 : 1;
        given.flags = i % 2 ? CLSM_OPEN_COLS | CLSM_OPEN_ROWS : 0;
        ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
        ck_assert_uint_ge(fitting(&p, &floor_of_all), 1);
    }
}
END_TEST

/* Every configuration that fits asks for no more than the device has. */
START_TEST(what_fits_stays_within_the_device)
{
    clsm_problem given;
    struct problem p;
    struct config config;
    clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_F32, 2, 1000);
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    for (size_t wg = 1; wg <= 1024; wg *= 2)
        for (uint64_t local = 0; local <= 16384; local = local ? 2 * local : 64) {
            struct traits t = {.bits = TRAIT_LANES,
                               .lanes = 32,
                               .max_wg = wg,
                               .local_bytes = local,
                               .vector_width = 1};
            for (unsigned i = 0; clsm_config_at(i, &config); i++) {
                if (clsm_config_misfit(&config, &p, &t))
                    continue;
                size_t reals = clsm_variants[config.variant].local_reals;
                EXPECT(clsm_config_wg(&config) <= wg, "%s", clsm_config_name(i));
                EXPECT(clsm_config_wg(&config) * reals * 4 <= local, "%s",
                       clsm_config_name(i));
            }
        }
}
END_TEST

START_TEST(what_needs_a_trait_fits_only_where_it_is)
{
    static const unsigned bits[] = {TRAIT_LANES, TRAIT_SWAP, TRAIT_WAIT, TRAIT_CPU,
                                    TRAIT_FMA};
    struct traits with = floor_of_all;
    clsm_problem given;
    struct problem p;
    clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_F32, 2, 64);
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    with.bits = TRAIT_LANES | TRAIT_SWAP | TRAIT_WAIT | TRAIT_CPU | TRAIT_FMA;
    with.lanes = 32, with.max_wg = 1024, with.local_bytes = 131072;
    with.compute_units = 64;
    struct config config;
    for (unsigned i = 0; clsm_config_at(i, &config); i++) {
        /* not all take all of them */
        static const size_t cols[] = {64, 8, 2, 2000, 20000, 100000};
        size_t n = 0;
        p.strided = clsm_variants[config.variant].any_axis;
        p.inner = p.strided ? 64 : 1;
        do {
            p.cols = p.y.cols = cols[n / 2];
            p.x.type = n % 2 ? CLSM_BF16 : CLSM_F32;
        } while (clsm_config_misfit(&config, &p, &with) && ++n < 2 * COUNT(cols));
        ck_assert_ptr_null(clsm_config_misfit(&config, &p, &with));
        for (size_t k = 0; k < COUNT(bits); k++) {
            struct traits without = with;
            without.bits &= ~bits[k];
            bool needs = clsm_variants[config.variant].needs & bits[k];
            needs |=
                clsm_config_value(&config, PARAM_CLUSTER, 1) > 1; /* lanes that swap */
            if (needs && !(clsm_variants[config.variant].needs & bits[k]))
                continue; /* not each of them */
            ck_assert(needs == (clsm_config_misfit(&config, &p, &without) != NULL));
        }
    }
}
END_TEST

Suite *variant_suite(void)
{
    Suite *suite = suite_create("variant");
    TCase *c = tcase_create("variant");
    tcase_add_test(c, every_row_is_whole);
    tcase_add_test(c, every_combination_of_values_comes_once);
    tcase_add_test(c, every_name_parses_back_to_its_configuration);
    tcase_add_test(c, a_bare_name_takes_the_first_values);
    tcase_add_test(c, an_unknown_variant_is_refused_with_the_list);
    tcase_add_test(c, a_bad_parameter_is_refused_with_the_values_there_are);
    tcase_add_test(c, an_empty_list_of_parameters_is_refused);
    tcase_add_test(c, a_work_group_has_the_size_its_name_says);
    tcase_add_loop_test(c, the_poorest_device_is_served_for_every_row_length, 0,
                        OPS * 18);
    tcase_add_test(c, what_fits_stays_within_the_device);
    tcase_add_test(c, what_needs_a_trait_fits_only_where_it_is);
    suite_add_tcase(suite, c);
    return suite;
}
