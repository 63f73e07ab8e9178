/* SPDX-License-Identifier: MIT */
/* Facts about which operands, forms and policies go with which operation, and that all
 * others are refused with a message. */
#include "problem.h"
#include "suites.h"

#include <stdio.h>

static clsm_problem given;
static struct problem p;

static void problem_of(clsm_op op)
{
    clsm_problem_init(&given, op, CLSM_F32, 3, 5);
}

static void set_up(void)
{
    problem_of(CLSM_SOFTMAX);
}

#define BAD(status, argument_and_value, expected)                                      \
    REFUSED(clsm_problem_check(&given, &p), status, argument_and_value, expected)
#define GOOD()                                                                         \
    ck_assert_msg(clsm_problem_check(&given, &p) == CLSM_OK, "%s", clsm_last_message())

static const clsm_op ops[] = {
#define ROW(NAME, ...) CLSM_##NAME,
    CLSM_OPERATIONS(ROW)
#undef ROW
};

static unsigned takes(clsm_op op)
{
    clsm_op_info info = {.struct_bytes = sizeof info};
    ck_assert_int_eq(clsm_op_get_info(op, &info), CLSM_OK);
    return info.needs | info.may;
}

START_TEST(an_operation_takes_its_operands_and_no_others)
{
    clsm_op op = ops[_i];
    char operand[64];
    for (clsm_operand o = CLSM_DY; o < CLSM_OPERAND_COUNT; o++) {
        problem_of(op);
        given.operands = CLSM_BIT(o);
        given.mask_type = o == CLSM_MASK ? CLSM_MASK_F16 : CLSM_MASK_NONE;
        snprintf(operand, sizeof operand, "operand %s is none of",
                 clsm_operand_name(o));
        if (!(takes(op) & CLSM_BIT(o))) {
            BAD(CLSM_ERR_VALUE, operand, clsm_op_name(op));
            continue;
        }
        GOOD();
        ck_assert(clsm_has(&p, o));
        ck_assert_uint_eq(p.operands, CLSM_BIT(o) | clsm_op_needs(op));
    }
}
END_TEST

/* Bits above the last operand are the table's own. */
START_TEST(a_bit_that_is_no_operand_is_refused)
{
    for (unsigned bit = CLSM_OPERAND_COUNT; bit < 32; bit++) {
        problem_of(ops[_i]);
        given.operands = 1u << bit;
        ck_assert_msg(clsm_problem_check(&given, &p) == CLSM_ERR_VALUE,
                      "%s takes bit %u", clsm_op_name(ops[_i]), bit);
        SAYS("operand ? is none of");
    }
}
END_TEST

START_TEST(a_mask_is_what_its_type_says)
{
    given.operands = CLSM_BIT(CLSM_MASK);
    BAD(CLSM_ERR_VALUE, "problem.mask_type is none", "expected f32, f16 or bool");
    given.operands = 0;
    given.mask_type = CLSM_MASK_BOOL; /* is enough */
    GOOD();
    ck_assert(clsm_has(&p, CLSM_MASK));
    problem_of(CLSM_SOFTMAX_BACKWARD);
    given.mask_type = CLSM_MASK_BOOL;
    BAD(CLSM_ERR_VALUE, "operand mask is none of", "softmax_backward");
}
END_TEST

/* Fields for those operations only of which `takes` is true. */
#define FIELD(field, v, takes)                                                         \
    do {                                                                               \
        problem_of(ops[_i]);                                                           \
        given.field = v;                                                               \
        if (takes)                                                                     \
            GOOD();                                                                    \
        else                                                                           \
            BAD(CLSM_ERR_VALUE, #field " does not go with", clsm_op_name(ops[_i]));    \
    } while (0)

START_TEST(forms_are_for_operations_with_logits_of_their_own)
{
    bool logits = takes(ops[_i]) & CLSM_FORM_BITS;
    FIELD(scale, 2, logits);
    FIELD(temperature, 2, logits);
    FIELD(softcap, 2, logits);
    FIELD(window, 2, logits);
    problem_of(ops[_i]);
    given.flags = CLSM_CAUSAL;
    if (logits)
        GOOD();
    else
        BAD(CLSM_ERR_VALUE, "CLSM_CAUSAL does not go with", clsm_op_name(ops[_i]));
}
END_TEST

START_TEST(numbers_of_losses_gradients_and_lists_are_for_them_alone)
{
    clsm_op op = ops[_i];
    bool loss = op == CLSM_CROSS_ENTROPY || op == CLSM_CROSS_ENTROPY_LOSS,
         gradient = op == CLSM_SOFTMAX_BACKWARD || op == CLSM_LOG_SOFTMAX_BACKWARD ||
                    op == CLSM_CROSS_ENTROPY;
    FIELD(k, 2, op == CLSM_TOPK);
    FIELD(target_type, CLSM_TARGET_I64, loss);
    FIELD(ignore_index, 3, loss);
    FIELD(label_smoothing, 0.5, loss);
    FIELD(z_loss, 0.5, loss);
    FIELD(grad_scale, 0.5, gradient);
}
END_TEST

START_TEST(fields_that_are_not_used_say_what_they_are_and_should_be)
{
    given.z_loss = 0.25;
    BAD(CLSM_ERR_VALUE, "z_loss does not go with softmax", "it is 0.25, expected 0");
    problem_of(CLSM_SOFTMAX);
    given.k = 9;
    BAD(CLSM_ERR_VALUE, "k does not go with softmax", "it is 9, expected 1");
    problem_of(CLSM_SOFTMAX);
    given.label_smoothing = NAN;
    BAD(CLSM_ERR_VALUE, "label_smoothing does not go with", "it is nan, expected 0");
}
END_TEST

START_TEST(an_offset_needs_something_that_is_counted_from_it)
{
    if (!(takes(ops[_i]) & CLSM_FORM_BITS)) {
        FIELD(causal_offset, 1, false);
        return;
    }
    problem_of(ops[_i]);
    given.causal_offset = -4;
    BAD(CLSM_ERR_VALUE, "problem.causal_offset is -4",
        "expected 0 without CLSM_CAUSAL");
    given.flags = CLSM_CAUSAL;
    GOOD();
    given.flags = 0;
    given.window = 3;
    GOOD();
    given.window = 0;
    given.operands = CLSM_BIT(CLSM_SLOPES);
    GOOD();
}
END_TEST

START_TEST(temperature_0_needs_the_whole_row)
{
    problem_of(ops[_i]);
    given.temperature = 0;
    if (takes(ops[_i]) & CLSM_BIT(CLSM_TEMPERATURE)) {
        GOOD();
        ck_assert(p.one_hot && p.scale == 1);
    } else if (takes(ops[_i]) & CLSM_FORM_BITS) {
        BAD(CLSM_ERR_VALUE, "problem.temperature is 0", clsm_op_name(ops[_i]));
    } else {
        BAD(CLSM_ERR_VALUE, "temperature does not go with", clsm_op_name(ops[_i]));
    }
}
END_TEST

START_TEST(an_operation_with_one_policy_has_it_or_refuses_the_other)
{
    unsigned all = takes(ops[_i]);
    problem_of(ops[_i]);
    given.nonfinite = CLSM_NONFINITE_LIMIT;
    if (all & CLSM_ONLY_DEFAULT) {
        BAD(CLSM_ERR_VALUE, "problem.nonfinite is the limit", clsm_op_name(ops[_i]));
        return;
    }
    GOOD();
    given.nonfinite = CLSM_NONFINITE_DEFAULT;
    GOOD();
    ck_assert_int_eq(p.nonfinite, all & CLSM_ONLY_LIMIT ? CLSM_NONFINITE_LIMIT
                                                        : CLSM_NONFINITE_DEFAULT);
}
END_TEST

Suite *operands_suite(void)
{
    Suite *suite = suite_create("operands");
    TCase *c = tcase_create("operands");
    const int all = (int)COUNT(ops);
    tcase_add_checked_fixture(c, set_up, NULL);
    tcase_add_loop_test(c, an_operation_takes_its_operands_and_no_others, 0, all);
    tcase_add_loop_test(c, a_bit_that_is_no_operand_is_refused, 0, all);
    tcase_add_test(c, a_mask_is_what_its_type_says);
    tcase_add_loop_test(c, forms_are_for_operations_with_logits_of_their_own, 0, all);
    tcase_add_loop_test(c, numbers_of_losses_gradients_and_lists_are_for_them_alone, 0,
                        all);
    tcase_add_test(c, fields_that_are_not_used_say_what_they_are_and_should_be);
    tcase_add_loop_test(c, an_offset_needs_something_that_is_counted_from_it, 0, all);
    tcase_add_loop_test(c, temperature_0_needs_the_whole_row, 0, all);
    tcase_add_loop_test(c, an_operation_with_one_policy_has_it_or_refuses_the_other, 0,
                        all);
    suite_add_tcase(suite, c);
    return suite;
}
