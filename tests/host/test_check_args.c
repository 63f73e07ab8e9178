/* SPDX-License-Identifier: MIT */
/* Facts about clsm_check_args(): of every operation and type it takes the rounded
 * reference, and finds any one number of any output that is off. */
#include "convert.h"
#include "sample.h"
#include "suites.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { COLS = 33 };

static struct sample s;
static clsm_report report;

static void set_up(void)
{
    s = (struct sample){0};
    report = (clsm_report){.struct_bytes = sizeof report};
}

static void tear_down(void)
{
    sample_free(&s);
}

static void make(clsm_op op, clsm_type type)
{
    clsm_problem problem;
    sample_everything(&problem, op, type, COLS);
    sample_make(&s, &problem);
    sample_run(&s);
    sample_round(&s);
}

static bool passes(void)
{
    EXPECT(clsm_check_args(&s.given, &s.got, &report) == CLSM_OK, "%s",
           clsm_last_message());
    ck_assert_int_eq(report.pass, report.failed == 0);
    return report.pass;
}

/* Type and memory of an output of `got`, which is packed here. */
static clsm_type type_of(clsm_operand o)
{
    return o == CLSM_Y ? s.p.y.type : clsm_problem_is_f64(&s.p) ? CLSM_F64 : CLSM_F32;
}

static void *memory_of(clsm_operand o)
{
    return o == CLSM_Y ? s.got.y : s.got.operand[o];
}

/* Outputs that are numbers with an error. */
static bool is_compared(clsm_operand o)
{
    return o == CLSM_Y ? s.p.y.cols > 0
                       : o >= CLSM_MAX && o <= CLSM_LOSS && clsm_has(&s.p, o);
}

/* _i: operation and type */
START_TEST(the_rounded_reference_passes)
{
    make((clsm_op)(_i / 4), (clsm_type)(_i % 4));
    ck_assert_msg(passes(), "%s of %s: %g, expected %g", clsm_op_name(s.p.op),
                  clsm_operand_name(report.worst_operand), report.got, report.expected);
    uint64_t numbers = 0;
    for (clsm_operand o = CLSM_Y; o < CLSM_OPERAND_COUNT; o++)
        if (o == CLSM_Y || (clsm_has(&s.p, o) && clsm_operand_is_written(o)))
            numbers += sample_count(&s, o);
    ck_assert_uint_eq(report.checked, numbers);
    ck_assert_double_le(report.worst, 1);
}
END_TEST

/* The number of largest magnitude, whose error no cancellation explains. */
static size_t largest(clsm_operand o)
{
    const double *v = sample_out(&s, o);
    size_t at = SIZE_MAX;
    for (size_t i = 0; i < sample_count(&s, o); i++)
        if (isfinite(v[i]) && (at == SIZE_MAX || fabs(v[i]) > fabs(v[at])))
            at = i;
    ck_assert_uint_ne(at, SIZE_MAX);
    return at;
}

/* Relative errors of a few bounds; a bound is some ten units, or an ulp of 16 bits. */
static double few_bounds(clsm_type type)
{
    return type == CLSM_F64   ? 0x1p-44
           : type == CLSM_F32 ? 0x1p-15
           : type == CLSM_F16 ? 0x1p-8
                              : 0x1p-5;
}

START_TEST(one_number_of_any_output_that_is_off_is_found)
{
    make((clsm_op)(_i / 4), (clsm_type)(_i % 4));
    for (clsm_operand o = CLSM_Y; o < CLSM_OPERAND_COUNT; o++) {
        if (!is_compared(o))
            continue;
        size_t at = largest(o), one = o == CLSM_Y ? s.p.y.cols : 1;
        for (int side = -1; side <= 1; side += 2) {
            double v = clsm_element_get(type_of(o), memory_of(o), at);
            clsm_element_set(type_of(o), memory_of(o), at,
                             v * (1 + side * few_bounds(type_of(o))));
            EXPECT(!passes(), "%s: %s %g passes, expected %g", clsm_op_name(s.p.op),
                   clsm_operand_name(o), v * (1 + side * few_bounds(type_of(o))), v);
            EXPECT(report.max_abs >= fabs(v) * few_bounds(type_of(o)) / 2,
                   "%s: %g off in %s", clsm_op_name(s.p.op), report.max_abs,
                   clsm_operand_name(o));
            EXPECT(report.failed == 1 && report.worst_operand == o &&
                       report.worst_row == at / one && report.worst_col == at % one,
                   "%s: found in %s at (%zu, %zu)", clsm_op_name(s.p.op),
                   clsm_operand_name(report.worst_operand), report.worst_row,
                   report.worst_col);
            clsm_element_set(type_of(o), memory_of(o), at, NAN);
            EXPECT(!passes(), "NaN passes in %s", clsm_operand_name(o));
            clsm_element_set(type_of(o), memory_of(o), at, v);
        }
    }
    ck_assert(passes());
}
END_TEST

START_TEST(outputs_that_are_not_brought_are_not_compared)
{
    make((clsm_op)_i, CLSM_F32);
    uint64_t all = 0;
    ck_assert(passes());
    all = report.checked;
    for (clsm_operand o = CLSM_DY; o < CLSM_OPERAND_COUNT; o++) {
        if (!clsm_has(&s.p, o) || !clsm_operand_is_written(o))
            continue;
        void *kept = s.got.operand[o];
        s.got.operand[o] = NULL;
        ck_assert(passes());
        ck_assert_uint_eq(report.checked, all - sample_count(&s, o));
        s.got.operand[o] = kept;
    }
}
END_TEST

START_TEST(an_input_that_is_missing_is_named)
{
    make((clsm_op)_i, CLSM_F16);
    char name[64];
    for (clsm_operand o = CLSM_DY; o < CLSM_OPERAND_COUNT; o++) {
        if (!s.in.operand[o])
            continue;
        void *kept = s.in.operand[o];
        s.in.operand[o] = s.got.operand[o] = NULL;
        snprintf(name, sizeof name, "operand %s is NULL", clsm_operand_name(o));
        REFUSED(clsm_check_args(&s.given, &s.got, &report), CLSM_ERR_NULL, name, "");
        REFUSED(clsm_reference_args(&s.given, &s.in, &s.out), CLSM_ERR_NULL, name, "");
        s.in.operand[o] = s.got.operand[o] = kept;
    }
    s.got.x = NULL;
    REFUSED(clsm_check_args(&s.given, &s.got, &report), CLSM_ERR_NULL, "x is NULL", "");
    s.got.x = s.in.x;
    void *y = s.got.y;
    s.got.y = NULL;
    if (s.p.y.cols)
        REFUSED(clsm_check_args(&s.given, &s.got, &report), CLSM_ERR_NULL, "y is NULL",
                "");
    else
        ck_assert(passes());
    s.got.y = y;
}
END_TEST

START_TEST(rows_without_columns_need_no_y)
{
    clsm_problem problem;
    float loss[2] = {-1, -1};
    int32_t targets[2] = {0, 0};
    clsm_problem_init(&problem, CLSM_CROSS_ENTROPY, CLSM_F32, 2, 0);
    clsm_host_args args = {.struct_bytes = sizeof args};
    args.operand[CLSM_TARGETS] = targets;
    args.operand[CLSM_LOSS] = loss;
    ck_assert_int_eq(clsm_check_args(&problem, &args, &report), CLSM_OK);
}
END_TEST

START_TEST(structs_that_were_not_filled_are_refused)
{
    make(CLSM_SOFTMAX, CLSM_F32);
    s.got.struct_bytes = 0;
    REFUSED(clsm_check_args(&s.given, &s.got, &report), CLSM_ERR_STRUCT,
            "struct_bytes is 0", "sizeof(clsm_host_args)");
    REFUSED(clsm_reference_args(&s.given, &s.got, &s.out), CLSM_ERR_STRUCT,
            "struct_bytes is 0", "sizeof(clsm_host_args)");
    REFUSED(clsm_reference_args(&s.given, &s.in, &s.got), CLSM_ERR_STRUCT,
            "struct_bytes is 0", "sizeof(clsm_host_args)");
    REFUSED(clsm_check_args(&s.given, NULL, &report), CLSM_ERR_NULL, "args is NULL",
            "");
    REFUSED(clsm_reference_args(&s.given, NULL, &s.out), CLSM_ERR_NULL, "in is NULL",
            "");
    REFUSED(clsm_reference_args(&s.given, &s.in, NULL), CLSM_ERR_NULL, "out is NULL",
            "");
}
END_TEST

START_TEST(bad_targets_must_be_counted_exactly)
{
    make(CLSM_CROSS_ENTROPY, CLSM_F32);
    uint32_t *bad = s.got.operand[CLSM_BAD_TARGETS];
    ck_assert_uint_eq(*bad, 1);
    for (int off = -1; off <= 1; off += 2) {
        *bad = (uint32_t)(1 + off);
        ck_assert(!passes());
        ck_assert_int_eq(report.worst_operand, CLSM_BAD_TARGETS);
        ck_assert_double_eq(report.expected, 1);
        ck_assert_double_eq(report.got, 1 + off);
    }
}
END_TEST

Suite *check_args_suite(void)
{
    Suite *suite = suite_create("check_args");
    TCase *c = tcase_create("check_args");
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_add_loop_test(c, the_rounded_reference_passes, 0, 4 * OPS);
    tcase_add_loop_test(c, one_number_of_any_output_that_is_off_is_found, 0, 4 * OPS);
    tcase_add_loop_test(c, outputs_that_are_not_brought_are_not_compared, 0, OPS);
    tcase_add_loop_test(c, an_input_that_is_missing_is_named, 0, OPS);
    tcase_add_test(c, rows_without_columns_need_no_y);
    tcase_add_test(c, structs_that_were_not_filled_are_refused);
    tcase_add_test(c, bad_targets_must_be_counted_exactly);
    suite_add_tcase(suite, c);
    return suite;
}
