/* SPDX-License-Identifier: MIT */
/* Facts about cl/exp.cl, compiled here as C: its error against the host's exp() over
 * the whole range that softmax asks for, and the values that must be exact. */
#include "exp_in_c.h"
#include "suites.h"

#define FP_FAST_FMAF 1
#include "exp.cl"

#include <float.h>

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
    suite_add_tcase(suite, c);
    return suite;
}
