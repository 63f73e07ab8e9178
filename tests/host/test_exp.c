/* SPDX-License-Identifier: MIT */
/* Facts about cl/exp.cl, compiled here as C: its error against the host's exp() and
 * log1p() over the whole range that softmax asks for, and the values that must be
 * exact. */
#include "exp_in_c.h"
#include "suites.h"

#include <float.h>

/* What cl/x86.cl takes from AVX-512, where subnormal results are 0. */
#define X86_POWER 1
static float fraction(float t)
{
    return isinf(t) ? 0 : t - floorf(t);
}

static float times_power(float v, float t)
{
    if (!isfinite(t))
        return isnan(t) ? t : t > 0 ? INFINITY : 0;
    float product = ldexpf(v, (int)fmaxf(fminf(floorf(t), 999), -999));
    return product < FLT_MIN ? 0 : product;
}

#define X86_TABLE 1
#define X86_ENTRIES(...)                                                               \
    (const uint32_t[])                                                                 \
    {                                                                                  \
        __VA_ARGS__                                                                    \
    }
static uint32_t x86_entry(uint32_t of, const uint32_t *low, const uint32_t *high)
{
    return of % 32 < 16 ? low[of % 16] : high[of % 16];
}

#define FP_FAST_FMAF 1
#include "exp.cl"
#include "exp_based.cl"

float exp_fused(float d)
{
    return exp_nonpositive(d);
}

/* Over all floats the worst are 0.892 ulp with fma() and 1.168 ulp without, where the
 * reduced argument is rounded once more. */
static const struct {
    float (*exp_of)(float);
    double ulps;
} ways[] = {{exp_fused, 1}, {exp_unfused, 1.25}};

/* Error in units of the last place of the true value, which is in the normal range. */
static double ulps_off(float got, double want)
{
    return fabs(got - want) / ldexp(1, ilogb(want) - 23);
}

START_TEST(accurate_from_0_down_to_where_results_are_subnormal)
{
    const uint32_t last = bits_of(-104);
    double worst = 0;
    for (uint32_t bits = bits_of(-0.0f); bits <= last; bits += 251) {
        float d = float_of(bits), got = ways[_i].exp_of(d);
        double want = exp(d);
        if (want >= FLT_MIN) {
            double error = ulps_off(got, want);
            EXPECT(error <= ways[_i].ulps, "exp(%a) is %a, off by %g ulp", d, got,
                   error);
            worst = error > worst ? error : worst;
        } else
            EXPECT(got == 0, "exp(%a) is %a, expected 0", d, got);
    }
    ck_assert_double_gt(worst, 0.5); /* it did look */
}
END_TEST

START_TEST(special_values_are_exact)
{
    float (*const exp_of)(float) = ways[_i].exp_of;
    ck_assert_uint_eq(bits_of(exp_of(0.0f)), bits_of(1));
    ck_assert_uint_eq(bits_of(exp_of(-0.0f)), bits_of(1));
    ck_assert_uint_eq(bits_of(exp_of(-INFINITY)), 0);
    ck_assert_uint_eq(bits_of(exp_of(-FLT_MAX)), 0);
    ck_assert_uint_eq(bits_of(exp_of(-1e30f)), 0);
    ck_assert(isnan(exp_of(NAN)));
    ck_assert(isnan(exp_of(-NAN)));
    ck_assert_uint_eq(bits_of(exp_of(-FLT_TRUE_MIN)), bits_of(1));
    ck_assert_uint_eq(bits_of(exp_of(-FLT_MIN)), bits_of(1));
}
END_TEST

/* Every float around the place where the result leaves the normal range. */
START_TEST(the_step_to_zero_stands_at_the_smallest_normal_number)
{
    uint32_t edge = bits_of((float)log(FLT_MIN));
    for (uint32_t bits = edge - 1000; bits <= edge + 1000; bits++) {
        float d = float_of(bits), got = ways[_i].exp_of(d);
        double want = exp(d);
        bool right = want >= FLT_MIN ? ulps_off(got, want) <= ways[_i].ulps : got == 0;
        EXPECT(right, "exp(%a) is %a, expected %a", d, got, want);
    }
}
END_TEST

/* No result lies above one, and the largest are those nearest to zero. */
START_TEST(results_stay_between_0_and_1)
{
    for (uint32_t bits = bits_of(-0.0f); bits < bits_of(-INFINITY); bits += 10007) {
        float got = ways[_i].exp_of(float_of(bits));
        EXPECT(got >= 0 && got <= 1, "exp(%a) is %a", float_of(bits), got);
    }
}
END_TEST

START_TEST(rough_within_three_millionths)
{
    double worst = 0;
    for (uint32_t bits = bits_of(-0.0f); bits <= bits_of(-87.3f); bits += 13) {
        float d = float_of(bits), got = exp_rough(d);
        double error = fabs(got / exp(d) - 1) + 1.4e-8 * (double)d;
        EXPECT(error <= 2.9e-6, "exp(%a) is %a, off by %g", d, got, error);
        worst = error > worst ? error : worst;
    }
    ck_assert_double_gt(worst, 2e-6);
    ck_assert_uint_eq(bits_of(exp_rough(0.0f)), bits_of(1));
    ck_assert_uint_eq(bits_of(exp_rough(-89.0f)), 0);
    ck_assert_uint_eq(bits_of(exp_rough(-INFINITY)), 0);
    ck_assert(isnan(exp_rough(NAN)) && isnan(exp_rough(-NAN)));
}
END_TEST

START_TEST(clamped_the_same_in_the_normal_range)
{
    for (uint32_t bits = bits_of(-0.0f); bits <= bits_of(-87.3f); bits += 251) {
        float d = float_of(bits), got = exp_clamped(d);
        EXPECT(bits_of(got) == bits_of(exp_fused(d)), "exp(%a) is %a", d, got);
    }
    ck_assert_uint_eq(bits_of(exp_clamped(0.0f)), bits_of(1));
    ck_assert_uint_eq(bits_of(exp_clamped(-89.0f)), 0);
    ck_assert_uint_eq(bits_of(exp_clamped(-INFINITY)), 0);
    ck_assert(isnan(exp_clamped(NAN)) && isnan(exp_clamped(-NAN)));
}
END_TEST

/* So that 2^24 terms that are nothing by themselves add up. */
START_TEST(lifted_as_accurate_below_the_normal_range)
{
    const double lift = ldexp(1, LIFT);
    double worst = 0;
    for (uint32_t bits = bits_of(-0.0f); bits <= bits_of(-104.0f); bits += 251) {
        float d = float_of(bits), got = exp_lifted(d), rough = exp_rough_lifted(d);
        double error = ulps_off(got, exp(d) * lift);
        EXPECT(error <= 1, "2^32 exp(%a) is %a, off by %g ulp", d, got, error);
        worst = error > worst ? error : worst;
        error = fabs(rough / (exp(d) * lift) - 1) + 1.4e-8 * (double)d;
        EXPECT(error <= 2.9e-6, "roughly it is %a, off by %g", rough, error);
    }
    ck_assert_double_gt(worst, 0.5);
    ck_assert(exp_lifted(0.0f) == lift && exp_rough_lifted(0.0f) == lift);
    ck_assert_uint_eq(bits_of(exp_lifted(-111.0f)), 0);
    ck_assert_uint_eq(bits_of(exp_lifted(-INFINITY)), 0);
    ck_assert(isnan(exp_lifted(NAN)) && isnan(exp_rough_lifted(-NAN)));
}
END_TEST

START_TEST(two_factors_give_products_of_what_is_nothing_by_itself)
{
    const double most = FLT_MAX;
    for (float d = 0; d > -104; d -= 0x1p-9f) {
        struct factors f = exp_factors(d);
        double want = 1e8 * exp(d);
        if (want < FLT_MIN)
            break;
        double error = ulps_off(1e8f * f.first * f.second, want);
        EXPECT(error <= 2, "1e8 exp(%a) is off by %g ulp", d, error);
        EXPECT(isfinite((float)(most * f.first)), "FLT_MAX exp(%a) overflows", d);
    }
    ck_assert(exp_factors(0).first == 1 && exp_factors(0).second == 1);
    ck_assert(exp_factors(-INFINITY).first == 0 && isnan(exp_factors(NAN).first));
}
END_TEST

/* Bases of rows whose maximum is here, and what a row may hold besides it. */
static const float tops[] = {0, 1, -3.5f, 87.25f, -1000.3f, 65487, -65440};

START_TEST(relative_to_a_base_as_accurate_however_large_x_is)
{
    float top = tops[_i], from = top + MOST_ABOVE, to = top - 90, x = from;
    struct base b = base_of(top);
    double power = rint(top / log(2)) - BASE_BELOW, worst = 0;
    long step = fabsf(top) > 100 ? 1 : 97;
    for (float next = from; x > to && fabsf(x) < FARTHEST; x = next) {
        for (long i = 0; i < step; i++)
            next = nextafterf(next, -INFINITY);
        long double want = expl((long double)x - (long double)power * logl(2));
        if (want < FLT_MIN)
            break;
        double error = ulps_off(exp_from(x, b), (double)want);
        EXPECT(error <= 1.1, "e^%a in units of 2^%g is off by %g ulp", x, power, error);
        worst = error > worst ? error : worst;
        if (x > -1e-3f && x < 1e-3f && x != 0)
            next = x > 0 ? 0 : -1e-3f; /* there are too many near 0 */
    }
    ck_assert_double_gt(worst, 0.5);
    ck_assert_uint_eq(bits_of(exp_from(-INFINITY, b)), 0);
    ck_assert(isnan(exp_from(NAN, b)));
    ck_assert(isnan(exp_from(-NAN, b)));
    ck_assert_uint_eq(bits_of(exp_from(top - 100, b)), 0);
    ck_assert_float_gt(exp_from(clamp_to_base(top + 1000, b), b), MOST_BASED);
    ck_assert_float_gt(exp_from(clamp_to_base(INFINITY, b), b), MOST_BASED);
    ck_assert(clamp_to_base(top - 1, b) == top - 1 && isnan(clamp_to_base(NAN, b)));
}
END_TEST

START_TEST(lifted_bases_keep_what_is_far_below)
{
    float top = tops[_i], most = top + MOST_ABOVE_LIFTED;
    struct base b = base_below(top, BASE_BELOW_LIFTED, MOST_ABOVE_LIFTED);
    double power = rint(top / log(2)) - BASE_BELOW_LIFTED;
    for (float x = most; x > top - 104 && fabsf(x) < FARTHEST; x -= 0x1p-6f) {
        long double want = expl((long double)x - (long double)power * logl(2));
        double error = ulps_off(exp_from(x, b), (double)want);
        EXPECT(error <= 1.1, "e^%a in units of 2^%g is off by %g ulp", x, power, error);
    }
    ck_assert_uint_eq(bits_of(exp_from(top - 112, b)), 0);
    /* No more than terms from other bases: a gradient's factor stays in range. */
    ck_assert(!(fabsf(most) < FARTHEST) || exp_from(most, b) < 4 * MOST_BASED);
}
END_TEST

START_TEST(rough_relative_to_a_base_within_three_millionths)
{
    float top = tops[_i], to = top - 90;
    struct base b = base_of(top);
    double power = rint(top / log(2)) - BASE_BELOW, worst = 0;
    for (double at = (double)top + MOST_ABOVE; at > to; at -= 1e-5) {
        float x = (float)at;
        double want = exp2((double)x * 0x1.715476p+0f - power);
        if (want < FLT_MIN || fabsf(x) >= FARTHEST)
            continue;
        double error = fabs(exp_from_rough(x, b) / want - 1);
        EXPECT(error <= 2.95e-6, "2^(%a / ln2 - %g) is off by %g", x, power, error);
        worst = error > worst ? error : worst;
    }
    ck_assert_double_gt(worst, 2e-6);
    ck_assert_uint_eq(bits_of(exp_from_rough(-INFINITY, b)), 0);
    ck_assert(isnan(exp_from_rough(NAN, b)) && isnan(exp_from_rough(-NAN, b)));
    ck_assert_uint_eq(bits_of(exp_from_rough(top - 100, b)), 0);
    ck_assert_float_gt(exp_from_rough(clamp_to_base(INFINITY, b), b), MOST_BASED);
}
END_TEST

START_TEST(scaled_by_an_instruction_nearly_as_accurate)
{
    float top = tops[_i], to = top - 90;
    struct base b = base_of(top);
    double power = rint(top / log(2)) - BASE_BELOW, worst = 0;
    for (double at = (double)top + MOST_ABOVE; at > to; at -= 1e-5) {
        float x = (float)at;
        double t = (double)x * 0x1.715476p+0f - power, want = exp2(t);
        if (want < FLT_MIN || fabsf(x) >= FARTHEST)
            continue;
        double error = fabs(exp_from_scaled(x, b) / want - 1);
        EXPECT(error <= 2.8e-6 + fabs(t) * 0x1p-24 * log(2), "2^%g is off by %g", t,
               error);
        worst = error > worst ? error : worst;
    }
    ck_assert_double_gt(worst, 2e-6);
    ck_assert_uint_eq(bits_of(exp_from_scaled(-INFINITY, b)), 0);
    ck_assert(isnan(exp_from_scaled(NAN, b)) && isnan(exp_from_scaled(-NAN, b)));
    ck_assert_uint_eq(bits_of(exp_from_scaled(top - 100, b)), 0);
    ck_assert(isinf(exp_from_scaled(top + 1000, b)) &&
              isinf(exp_from_scaled(INFINITY, b)));
}
END_TEST

static void check_summed(float top, float (*added)(float, struct base, float),
                         double most)
{
    const double step = 0x1.62e430p-1, unit = 0x1p-24;
    float to = top - 90;
    struct base b = base_of(top);
    double power = rint(top / log(2)) - BASE_BELOW, worst = 0;
    for (double at = (double)top + MOST_ABOVE; at > to; at -= 1e-5) {
        float x = (float)at;
        double n = rint((double)x / log(2));
        double want = ldexp(exp((double)x - n * step), (int)(n - power));
        if (want < FLT_MIN || fabsf(x) >= FARTHEST)
            continue;
        double error = fabs(added(x, b, 0) / want - 1) / unit;
        EXPECT(error <= most, "e^%a in units of 2^%g is off by %g", x, power, error);
        worst = error > worst ? error : worst;
    }
    ck_assert_double_gt(worst, 1.5);
    ck_assert_uint_eq(bits_of(added(-INFINITY, b, 0)), 0);
    ck_assert(isnan(added(NAN, b, 0)) && isnan(added(-NAN, b, 0)));
    ck_assert_uint_eq(bits_of(added(top - 100, b, 0)), 0);
    ck_assert_float_gt(added(clamp_to_base(INFINITY, b), b, 0), MOST_BASED);
    ck_assert_float_eq(added(top, b, 3), added(top, b, 0) + 3);
}

START_TEST(summed_relative_to_a_base_within_three_or_four_units)
{
    check_summed(tops[_i], exp_added, 2.9);
    check_summed(tops[_i], exp_added_by_steps, 3.9);
}
END_TEST

/* In units of 2^-24 of log(1 + r). */
static double log_error(float r)
{
    double want = log1p(r), got = log1p_short(r);
    return want == 0 ? fabs(got) : fabs(got / want - 1) * 0x1p+24;
}

START_TEST(logarithms_beside_1_within_two_and_a_half_units)
{
    double worst = 0;
    for (uint32_t bits = 0; bits < bits_of(0x1p+126f); bits += 251) {
        float r = float_of(bits), below = r <= 1 ? -r : 0;
        double error = fmax(log_error(r), below > -1 ? log_error(below) : 0);
        EXPECT(error <= 2.5, "log(1 + %a) or of - that is off by %g", r, error);
        worst = error > worst ? error : worst;
    }
    ck_assert_double_gt(worst, 2);
    ck_assert(log1p_short(0) == 0 && log1p_short(-1) == -INFINITY);
    ck_assert(isnan(log1p_short(NAN)) && isnan(log1p_short(-NAN)));
}
END_TEST

Suite *exp_suite(void)
{
    Suite *suite = suite_create("exp");
    TCase *c = tcase_create("exp");
    const int both = (int)COUNT(ways);
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, accurate_from_0_down_to_where_results_are_subnormal, 0,
                        both);
    tcase_add_loop_test(c, special_values_are_exact, 0, both);
    tcase_add_loop_test(c, the_step_to_zero_stands_at_the_smallest_normal_number, 0,
                        both);
    tcase_add_loop_test(c, results_stay_between_0_and_1, 0, both);
    tcase_add_loop_test(c, relative_to_a_base_as_accurate_however_large_x_is, 0,
                        (int)COUNT(tops));
    tcase_add_test(c, lifted_as_accurate_below_the_normal_range);
    tcase_add_test(c, two_factors_give_products_of_what_is_nothing_by_itself);
    tcase_add_test(c, rough_within_three_millionths);
    tcase_add_test(c, clamped_the_same_in_the_normal_range);
    tcase_add_loop_test(c, lifted_bases_keep_what_is_far_below, 0, (int)COUNT(tops));
    tcase_add_loop_test(c, rough_relative_to_a_base_within_three_millionths, 0,
                        (int)COUNT(tops));
    tcase_add_loop_test(c, scaled_by_an_instruction_nearly_as_accurate, 0,
                        (int)COUNT(tops));
    tcase_add_loop_test(c, summed_relative_to_a_base_within_three_or_four_units, 0,
                        (int)COUNT(tops));
    tcase_add_test(c, logarithms_beside_1_within_two_and_a_half_units);
    suite_add_tcase(suite, c);
    return suite;
}
