/* SPDX-License-Identifier: MIT */
/*
 * Facts about converting elements. The 16-bit formats are decoded here once more from
 * their definition, and rounding is checked at, below and above every tie between two
 * neighbours.
 */
#include "convert.h"
#include "suites.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

/* The two 16-bit types: fraction bits, exponent bias, pattern of +infinity. */
static const struct format {
    clsm_type type;
    int fraction, bias;
    uint16_t infinity;
} formats[] = {{CLSM_F16, 10, 15, 0x7c00}, {CLSM_BF16, 7, 127, 0x7f80}};

/* A finite pattern's value from the format's definition. */
static double value_of(const struct format *f, uint16_t bits)
{
    int exponent = (bits & 0x7fff) >> f->fraction;
    int fraction = bits & ((1 << f->fraction) - 1);
    int implied = exponent ? 1 << f->fraction : 0;
    double magnitude =
        (implied + fraction) * exp2((exponent ? exponent : 1) - f->bias - f->fraction);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static uint16_t rounded(const struct format *f, double v)
{
    uint16_t bits;
    clsm_element_set(f->type, &bits, 0, v);
    return bits;
}

START_TEST(every_16_bit_pattern_has_its_value_and_comes_back)
{
    const struct format *f = &formats[_i];
    for (unsigned u = 0; u < 65536; u++) {
        uint16_t bits = (uint16_t)u, magnitude = bits & 0x7fff;
        double v = clsm_element_get(f->type, &bits, 0);
        bool right = magnitude < f->infinity    ? v == value_of(f, bits)
                     : magnitude == f->infinity ? isinf(v)
                                                : isnan(v);
        EXPECT(right && !!signbit(v) == bits >> 15, "0x%04x read as %a", bits, v);
        uint16_t back = rounded(f, v);
        if (isnan(v)) /* which NaN may change, its sign not */
            right = (back & 0x7fff) > f->infinity && back >> 15 == bits >> 15;
        else
            right = back == bits;
        EXPECT(right, "0x%04x came back as 0x%04x", bits, back);
    }
}
END_TEST

/* The type rounds v to the pattern `want`. */
static void rounds(const struct format *f, double v, unsigned want)
{
    uint16_t got = rounded(f, v);
    EXPECT(got == want, "%a rounded to 0x%04x, expected 0x%04x", v, got, want);
}

/* Between the largest finite number and infinity the tie stands where the next number
 * would, were there one more exponent. */
static double next_value(const struct format *f, uint16_t bits)
{
    double largest = value_of(f, (uint16_t)(f->infinity - 1));
    return bits + 1 < f->infinity ? value_of(f, (uint16_t)(bits + 1))
                                  : 2 * largest - value_of(f, f->infinity - 2);
}

START_TEST(every_tie_goes_to_the_even_neighbour)
{
    const struct format *f = &formats[_i];
    for (uint16_t low = 0; low < f->infinity; low++) {
        double tie = (value_of(f, low) + next_value(f, low)) / 2;
        uint16_t high = (uint16_t)(low + 1), even = low & 1 ? high : low;
        rounds(f, tie, even);
        rounds(f, nextafter(tie, 0), low);
        rounds(f, nextafter(tie, INFINITY), high);
        rounds(f, -tie, even | 0x8000u);
    }
}
END_TEST

/* Slightly above a tie: through f32 it falls onto the tie and then down to even. */
START_TEST(f64_is_not_rounded_twice)
{
    const struct format *f = &formats[_i];
    for (uint16_t low = 2; low < f->infinity - 2; low += 2) {
        double tie = (value_of(f, low) + next_value(f, low)) / 2;
        double above = tie * (1 + ldexp(1, -40));
        rounds(f, (float)above, low);
        rounds(f, above, low + 1u);
    }
}
END_TEST

START_TEST(what_is_too_large_becomes_infinity)
{
    const struct format *f = &formats[_i];
    const double large[] = {1e39, FLT_MAX * 2.0, DBL_MAX, INFINITY};
    for (size_t i = 0; i < COUNT(large); i++) {
        rounds(f, large[i], f->infinity);
        rounds(f, -large[i], f->infinity | 0x8000);
    }
    rounds(&formats[0], 65519.999, 0x7bff);
    rounds(&formats[0], 65520, 0x7c00);
}
END_TEST

START_TEST(what_is_too_small_becomes_a_signed_zero)
{
    const struct format *f = &formats[_i];
    double least = value_of(f, 1);
    rounds(f, least / 2, 0);
    rounds(f, -least / 2, 0x8000);
    rounds(f, DBL_TRUE_MIN, 0);
    rounds(f, -0.0, 0x8000);
    rounds(f, least * 0.75, 1);
}
END_TEST

START_TEST(f64_to_f32_is_rounded_to_nearest_even)
{
    const double from[] = {1 + ldexp(1, -24), 1 + ldexp(3, -24), 1e39, -1e-60, 1e-45};
    const float to[] = {1, 1 + ldexpf(1, -22), INFINITY, -0.0f, 1e-45f};
    float got[COUNT(from)];
    ck_assert_int_eq(clsm_convert(CLSM_F64, from, CLSM_F32, got, COUNT(from)), CLSM_OK);
    ck_assert_mem_eq(got, to, sizeof got);
}
END_TEST

/* What every type holds survives each pair of types. */
START_TEST(any_pair_of_types_converts)
{
    const double values[] = {0, -0.0, 1, -2.5, 0.0078125, 49152, INFINITY, -INFINITY};
    enum { N = COUNT(values) };
    for (int from = 0; from < 4; from++)
        for (int to = 0; to < 4; to++) {
            double a[N], b[N], back[N];
            ck_assert_int_eq(clsm_convert(CLSM_F64, values, (clsm_type)from, a, N), 0);
            ck_assert_int_eq(clsm_convert((clsm_type)from, a, (clsm_type)to, b, N), 0);
            ck_assert_int_eq(clsm_convert((clsm_type)to, b, CLSM_F64, back, N), 0);
            ck_assert_mem_eq(back, values, sizeof back);
        }
}
END_TEST

START_TEST(nan_stays_nan_in_any_pair_of_types)
{
    const double nan = NAN;
    for (int from = 0; from < 4; from++)
        for (int to = 0; to < 4; to++) {
            double a, b;
            clsm_element_set((clsm_type)from, &a, 0, nan);
            ck_assert_int_eq(clsm_convert((clsm_type)from, &a, (clsm_type)to, &b, 1),
                             CLSM_OK);
            ck_assert(isnan(clsm_element_get((clsm_type)to, &b, 0)));
        }
}
END_TEST

START_TEST(the_same_type_is_copied_bit_for_bit)
{
    const uint16_t from[] = {0x7c01, 0xfe55, 0x8000, 0x0001};
    uint16_t to[COUNT(from)];
    ck_assert_int_eq(clsm_convert(CLSM_F16, from, CLSM_F16, to, COUNT(from)), CLSM_OK);
    ck_assert_mem_eq(to, from, sizeof to);
}
END_TEST

START_TEST(bad_arguments_are_refused)
{
    float x = 0;
    REFUSED(clsm_convert((clsm_type)9, &x, CLSM_F32, &x, 1), CLSM_ERR_VALUE, "9", "");
    REFUSED(clsm_convert(CLSM_F32, &x, (clsm_type)-3, &x, 1), CLSM_ERR_VALUE, "-3", "");
    REFUSED(clsm_convert(CLSM_F32, NULL, CLSM_F16, &x, 1), CLSM_ERR_NULL, "src", "");
    REFUSED(clsm_convert(CLSM_F32, &x, CLSM_F16, NULL, 1), CLSM_ERR_NULL, "dst", "");
    ck_assert_int_eq(clsm_convert(CLSM_F32, NULL, CLSM_F16, NULL, 0), CLSM_OK);
}
END_TEST

START_TEST(limits_are_those_of_the_formats)
{
    ck_assert_double_eq(clsm_element_max(CLSM_F16), 65504);
    ck_assert_double_eq(clsm_element_max(CLSM_BF16), value_of(&formats[1], 0x7f7f));
    ck_assert_double_eq(clsm_element_max(CLSM_F32), FLT_MAX);
    ck_assert_double_eq(clsm_element_max(CLSM_F64), DBL_MAX);
    ck_assert_double_eq(clsm_element_min_normal(CLSM_F16), 0x1p-14);
    ck_assert_double_eq(clsm_element_min_normal(CLSM_BF16), FLT_MIN);
    ck_assert_double_eq(clsm_element_min_normal(CLSM_F32), FLT_MIN);
    ck_assert_double_eq(clsm_element_min_normal(CLSM_F64), DBL_MIN);
}
END_TEST

START_TEST(an_ulp_is_the_gap_to_the_next_larger_magnitude)
{
    for (uint16_t bits = 0; bits < formats[_i].infinity - 1; bits++) {
        const struct format *f = &formats[_i];
        double v = value_of(f, bits), gap = value_of(f, (uint16_t)(bits + 1)) - v;
        EXPECT(clsm_element_ulp(f->type, v) == gap, "at %a not %a", v, gap);
        EXPECT(clsm_element_ulp(f->type, -v) == gap, "at %a not %a", -v, gap);
    }
    ck_assert_double_eq(clsm_element_ulp(CLSM_F32, 1), FLT_EPSILON);
    ck_assert_double_eq(clsm_element_ulp(CLSM_F64, 1.5), DBL_EPSILON);
    ck_assert_double_eq(clsm_element_ulp(CLSM_F32, 0), 0x1p-149);
}
END_TEST

Suite *convert_suite(void)
{
    Suite *suite = suite_create("convert");
    TCase *c = tcase_create("convert");
    const int both = (int)COUNT(formats);
    tcase_add_loop_test(c, every_16_bit_pattern_has_its_value_and_comes_back, 0, both);
    tcase_add_loop_test(c, every_tie_goes_to_the_even_neighbour, 0, both);
    tcase_add_loop_test(c, f64_is_not_rounded_twice, 0, both);
    tcase_add_loop_test(c, what_is_too_large_becomes_infinity, 0, both);
    tcase_add_loop_test(c, what_is_too_small_becomes_a_signed_zero, 0, both);
    tcase_add_test(c, f64_to_f32_is_rounded_to_nearest_even);
    tcase_add_test(c, any_pair_of_types_converts);
    tcase_add_test(c, nan_stays_nan_in_any_pair_of_types);
    tcase_add_test(c, the_same_type_is_copied_bit_for_bit);
    tcase_add_test(c, bad_arguments_are_refused);
    tcase_add_test(c, limits_are_those_of_the_formats);
    tcase_add_loop_test(c, an_ulp_is_the_gap_to_the_next_larger_magnitude, 0, both);
    suite_add_tcase(suite, c);
    return suite;
}
