/* SPDX-License-Identifier: MIT */
/* Facts about the numbers of a problem: their ranges, and that a number which the type
 * of the computation does not hold is refused. */
#include "problem.h"
#include "suites.h"

#include <float.h>
#include <math.h>

static clsm_problem given;
static struct problem p;

static void set_up(void)
{
    clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_F32, 3, 5);
}

#define BAD(status, argument_and_value, expected)                                      \
    REFUSED(clsm_problem_check(&given, &p), status, argument_and_value, expected)
#define GOOD()                                                                         \
    ck_assert_msg(clsm_problem_check(&given, &p) == CLSM_OK, "%s", clsm_last_message())

START_TEST(one_temperature_is_given_at_a_time)
{
    given.operands = CLSM_BIT(CLSM_TEMPERATURE);
    given.temperature = 0.5;
    BAD(CLSM_ERR_VALUE, "problem.temperature is 0.5", "expected 1 with the operand");
    given.temperature = 0;
    BAD(CLSM_ERR_VALUE, "problem.temperature is 0", "expected 1 with the operand");
    given.temperature = 1;
    given.scale = 3;
    GOOD();
    ck_assert_double_eq(p.scale, 3);
    given.operands = 0;
    given.temperature = 4;
    GOOD();
    ck_assert_double_eq(p.scale, 0.75);
}
END_TEST

START_TEST(a_scale_that_leaves_no_logits_is_refused)
{
    const double scales[] = {0, INFINITY, -INFINITY, NAN, 1e39, -1e39};
    for (size_t i = 0; i < COUNT(scales); i++) {
        given.scale = scales[i];
        BAD(CLSM_ERR_VALUE, "problem.scale / temperature is", "finite and not 0");
    }
    given.x_type = CLSM_F64; /* computed in f64, 1e39 is a number as any other */
    given.scale = 1e39;
    GOOD();
    given.scale = 1e300;
    given.temperature = 1e-300;
    BAD(CLSM_ERR_VALUE, "is 1e+300 / 1e-300", "finite and not 0");
    set_up();
    given.scale = 1e30f;
    given.temperature = 1e-30f;
    BAD(CLSM_ERR_VALUE, "problem.scale / temperature is 1e+30 / 1e-30", "not 0");
    given.scale = -2;
    given.temperature = 1;
    GOOD();
}
END_TEST

/* What is computed in f32 is held in f32, where these are 0. */
START_TEST(a_scale_that_is_0_in_f32_is_refused_there)
{
    given.scale = 1e-60;
    BAD(CLSM_ERR_VALUE, "problem.scale / temperature is 1e-60 / 1", "not 0");
    given.scale = -FLT_MIN / 2; /* 0 on devices without subnormal numbers */
    BAD(CLSM_ERR_VALUE, "problem.scale / temperature is -5.87747e-39 / 1",
        "of magnitude 1.17549e-38 to 3.40282e+38");
    given.scale = -FLT_MIN;
    GOOD();
}
END_TEST

START_TEST(a_softcap_that_is_0_in_f32_is_refused_there)
{
    given.softcap = 1e-60;
    BAD(CLSM_ERR_VALUE, "problem.softcap is 1e-60", "expected 0 or a number from");
}
END_TEST

/* x is divided by it, and multiplied by it again. */
START_TEST(a_softcap_is_normal_and_far_from_overflow)
{
    const double least[] = {FLT_MIN, DBL_MIN}, most[] = {0x1p100, 0x1p1000};
    for (int f64 = 0; f64 < 2; f64++) {
        given.x_type = f64 ? CLSM_F64 : CLSM_F32;
        given.softcap = 0;
        GOOD();
        given.softcap = least[f64];
        GOOD();
        given.softcap = most[f64];
        GOOD();
        given.softcap = least[f64] / 2;
        BAD(CLSM_ERR_VALUE, "problem.softcap is", "expected 0 or a number from");
        given.softcap = most[f64] * 2;
        BAD(CLSM_ERR_VALUE, "problem.softcap is", "expected 0 or a number from");
    }
}
END_TEST

START_TEST(numbers_must_be_finite_and_in_their_range)
{
    clsm_problem before = given;
#define RANGE(field, v, expected)                                                      \
    given.field = v;                                                                   \
    BAD(CLSM_ERR_VALUE, "problem." #field " is", "expected " expected);                \
    given = before;
    RANGE(softcap, -1, "0 or a number from 1.17549e-38 to 1.26765e+30")
    RANGE(softcap, INFINITY, "0 or a number from 1.17549e-38 to 1.26765e+30")
    RANGE(softcap, 1e39, "0 or a number from 1.17549e-38 to 1.26765e+30")
    RANGE(softcap, NAN, "0 or a number from 1.17549e-38 to 1.26765e+30")
    RANGE(temperature, -0.5, "a finite number from 0, of f32's range")
    RANGE(temperature, NAN, "a finite number from 0, of f32's range")
    RANGE(temperature, INFINITY, "a finite number from 0, of f32's range")
    clsm_problem_init(&given, CLSM_CROSS_ENTROPY, CLSM_F32, 3, 5);
    before = given;
    RANGE(label_smoothing, -1e-9, "a number from 0 to 1")
    RANGE(label_smoothing, 1.0001, "a number from 0 to 1")
    RANGE(label_smoothing, NAN, "a number from 0 to 1")
    RANGE(z_loss, -1, "a finite number from 0, of f32's range")
    RANGE(z_loss, INFINITY, "a finite number from 0, of f32's range")
    RANGE(grad_scale, NAN, "a finite number, of f32's range")
    RANGE(grad_scale, -INFINITY, "a finite number, of f32's range")
    RANGE(grad_scale, 1e39, "a finite number, of f32's range")
    given.x_type = CLSM_F64;
    RANGE(grad_scale, -INFINITY, "a finite number")
#undef RANGE
    given.y_type = CLSM_F64;
    given.grad_scale = -1e39;
    GOOD();
    clsm_problem_init(&given, CLSM_CROSS_ENTROPY, CLSM_F32, 3, 5);
    given.label_smoothing = 1;
    GOOD();
}
END_TEST

START_TEST(counts_must_be_in_their_range)
{
    given.op = CLSM_TOPK;
    given.k = 0;
    BAD(CLSM_ERR_VALUE, "problem.k is 0", "expected 1 to 128");
    given.k = 129;
    BAD(CLSM_ERR_VALUE, "problem.k is 129", "expected 1 to 128");
    given.k = 128;
    given.heads = 0;
    BAD(CLSM_ERR_VALUE, "problem.heads is 0", "expected at least 1");
    given.heads = 1;
    GOOD();
}
END_TEST

START_TEST(bad_types_of_operands_are_refused)
{
    given.dy_type = (clsm_type)4;
    BAD(CLSM_ERR_VALUE, "problem.dy_type is 4", "expected 0 to 3");
    set_up();
    given.mask_type = (clsm_mask_type)4;
    BAD(CLSM_ERR_VALUE, "problem.mask_type is 4", "expected 0 to 3");
    set_up();
    given.target_type = (clsm_target_type)-1;
    BAD(CLSM_ERR_VALUE, "problem.target_type is -1", "expected 0 to 1");
}
END_TEST

Suite *numbers_suite(void)
{
    Suite *suite = suite_create("numbers");
    TCase *c = tcase_create("numbers");
    tcase_add_checked_fixture(c, set_up, NULL);
    tcase_add_test(c, one_temperature_is_given_at_a_time);
    tcase_add_test(c, a_scale_that_leaves_no_logits_is_refused);
    tcase_add_test(c, a_scale_that_is_0_in_f32_is_refused_there);
    tcase_add_test(c, a_softcap_that_is_0_in_f32_is_refused_there);
    tcase_add_test(c, a_softcap_is_normal_and_far_from_overflow);
    tcase_add_test(c, numbers_must_be_finite_and_in_their_range);
    tcase_add_test(c, counts_must_be_in_their_range);
    tcase_add_test(c, bad_types_of_operands_are_refused);
    suite_add_tcase(suite, c);
    return suite;
}
