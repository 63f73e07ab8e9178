/* SPDX-License-Identifier: MIT */
/* What a plan refuses: values that do not exist, sizes that do not fit, variants that
 * cannot serve, types that the device does not have. */
#include "rig.h"

#include <stdint.h>

#define SOFTMAX_OF(rows, cols) problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, rows, cols)

/* Spoil a right problem by one assignment to a field of `p`. */
#define REFUSES_PLAN(t, status, says, expected, spoil)                                 \
    do {                                                                               \
        clsm_problem p = SOFTMAX_OF(5, 33);                                            \
        clsm_plan *plan = (clsm_plan *)&p; /* must become NULL */                      \
        spoil;                                                                         \
        clsm_status got = clsm_plan_create((t)->device->session.engine, &p, &plan);    \
        check_refusal(t, got, status, says, expected, plan, #spoil);                   \
    } while (0)

/* A right plan right after. */
static void serves(struct tally *t)
{
    struct rig rig = rig_open(t, 0, CLSM_F32, CLSM_F32);
    struct call c = rig_call(&rig);
    c.given = &c.args;
    rig_serves(&rig, &c, "after refusals");
    rig_close(&rig);
}

START_TEST(plan_wants_its_arguments)
{
    struct tally t = tally_of(_i);
    clsm_engine *engine = t.device->session.engine;
    clsm_problem p = SOFTMAX_OF(5, 33);
    clsm_plan *plan = (clsm_plan *)&p;
    clsm_status got = clsm_plan_create(NULL, &p, &plan);
    check_refusal(&t, got, CLSM_ERR_NULL, "engine", "NULL", plan, "engine");
    plan = (clsm_plan *)&p;
    got = clsm_plan_create(engine, NULL, &plan);
    check_refusal(&t, got, CLSM_ERR_NULL, "problem", "NULL", plan, "problem");
    got = clsm_plan_create(engine, &p, NULL);
    check_refusal(&t, got, CLSM_ERR_NULL, "plan", "NULL", NULL, "plan");
    REFUSES_PLAN(&t, CLSM_ERR_STRUCT, "struct_bytes is 0", "clsm_problem_init",
                 p.struct_bytes = 0);
    REFUSES_PLAN(&t, CLSM_ERR_STRUCT, "struct_bytes is 9", "clsm_problem_init",
                 p.struct_bytes = 9);
    clsm_plan_destroy(NULL);
    serves(&t);
    tally_end(&t);
}
END_TEST

START_TEST(values_that_do_not_exist_are_refused)
{
    struct tally t = tally_of(_i);
    REFUSES_PLAN(&t, CLSM_ERR_VALUE, "op is 99", "expected", p.op = (clsm_op)99);
    REFUSES_PLAN(&t, CLSM_ERR_VALUE, "op is -1", "expected", p.op = (clsm_op)-1);
    REFUSES_PLAN(&t, CLSM_ERR_VALUE, "x_type is 99", "expected",
                 p.x_type = (clsm_type)99);
    REFUSES_PLAN(&t, CLSM_ERR_VALUE, "y_type is -1", "expected",
                 p.y_type = (clsm_type)-1);
    REFUSES_PLAN(&t, CLSM_ERR_VALUE, "nonfinite is 2", "expected",
                 p.nonfinite = (clsm_nonfinite)2);
    REFUSES_PLAN(&t, CLSM_ERR_VALUE, "flags is 0x88", "known bits are 0x1f",
                 p.flags = 0x88);
    serves(&t);
    tally_end(&t);
}
END_TEST

START_TEST(sizes_that_do_not_fit_are_refused)
{
    struct tally t = tally_of(_i);
    REFUSES_PLAN(&t, CLSM_ERR_SHAPE, "cols is 2147483649", "at most 2147483648",
                 p.cols = ((size_t)1 << 31) + 1);
    REFUSES_PLAN(&t, CLSM_ERR_SHAPE, "rows 4611686018427387904", "do not fit",
                 p.rows = (size_t)1 << 62);
    REFUSES_PLAN(&t, CLSM_ERR_SHAPE, "inner 4611686018427387904", "overflow",
                 p.inner = (size_t)1 << 62);
    REFUSES_PLAN(&t, CLSM_ERR_SHAPE, "18446744073709551615", "do not fit",
                 p.y_row_stride = SIZE_MAX);
    REFUSES_PLAN(&t, CLSM_ERR_SHAPE, "x_row_stride is 32", "at least one row's",
                 p.x_row_stride = 32);
    REFUSES_PLAN(&t, CLSM_ERR_SHAPE, "y_row_stride is 32", "at least one row's",
                 p.y_row_stride = 32);
    REFUSES_PLAN(&t, CLSM_ERR_SHAPE, "x_col_stride is 3", "at least inner, 4",
                 (p.inner = 4, p.x_col_stride = 3));
    REFUSES_PLAN(&t, CLSM_ERR_SHAPE, "y_col_stride is 1", "at least inner, 4",
                 (p.inner = 4, p.y_col_stride = 1));
    serves(&t);
    tally_end(&t);
}
END_TEST

START_TEST(variants_that_cannot_serve_are_refused)
{
    struct tally t = tally_of(_i);
    REFUSES_PLAN(&t, CLSM_ERR_VARIANT, "variant is \"fast\"", "expected",
                 p.variant = "fast");
    REFUSES_PLAN(&t, CLSM_ERR_VARIANT, "\"tree:WG=63\"",
                 "tree:WG=", p.variant = "tree:WG=63");
    REFUSES_PLAN(&t, CLSM_ERR_VARIANT, "\"tree:VEC=4\"",
                 "tree:WG=", p.variant = "tree:VEC=4");
    REFUSES_PLAN(&t, CLSM_ERR_VARIANT, "\"tree:WG=64,\"",
                 "tree:WG=", p.variant = "tree:WG=64,");
    REFUSES_PLAN(&t, CLSM_ERR_VARIANT, "\"tree:\"", "tree:WG=", p.variant = "tree:");
    REFUSES_PLAN(&t, CLSM_ERR_VARIANT, "\"wide\"", "packed axis",
                 (p.variant = "wide", p.inner = 2));
    REFUSES_PLAN(&t, CLSM_ERR_VARIANT, "\"tree\"", "packed axis",
                 (p.variant = "tree", p.x_col_stride = 2));
    REFUSES_PLAN(&t, CLSM_ERR_VARIANT, "\"subgroup\"", "cannot serve",
                 (p.variant = "subgroup", p.cols = 100000));
    serves(&t);
    tally_end(&t);
}
END_TEST

START_TEST(f64_needs_the_device_to_have_it)
{
    struct tally t = tally_of(_i);
    REFUSES_PLAN(&t, CLSM_ERR_UNSUPPORTED, "x_type is f64", "expected f32",
                 p.x_type = CLSM_F64);
    REFUSES_PLAN(&t, CLSM_ERR_UNSUPPORTED, "y_type is f64", "expected f32",
                 p.y_type = CLSM_F64);
    serves(&t);
    tally_end(&t);
}
END_TEST

START_TEST(questions_to_a_plan_want_their_structs)
{
    struct tally t = tally_of(_i);
    struct rig rig = rig_open(&t, 0, CLSM_F32, CLSM_F32);
    clsm_plan_info info = {.struct_bytes = sizeof info};
    clsm_args args;
    size_t needed;
#define REFUSED(call, status, says, expected)                                          \
    check_refusal(&t, call, status, says, expected, NULL, #call)
    REFUSED(clsm_plan_get_info(NULL, &info), CLSM_ERR_NULL, "plan", "NULL");
    REFUSED(clsm_plan_get_info(rig.plan, NULL), CLSM_ERR_NULL, "info", "NULL");
    info.struct_bytes = 3;
    REFUSED(clsm_plan_get_info(rig.plan, &info), CLSM_ERR_STRUCT, "struct_bytes is 3",
            "sizeof(clsm_plan_info)");
    REFUSED(clsm_plan_explain(NULL, NULL, 0, &needed), CLSM_ERR_NULL, "plan", "NULL");
    REFUSED(clsm_args_init(NULL, &args), CLSM_ERR_NULL, "plan", "NULL");
    REFUSED(clsm_args_init(rig.plan, NULL), CLSM_ERR_NULL, "args", "NULL");
#undef REFUSED
    rig_close(&rig);
    tally_end(&t);
}
END_TEST

void plan_errors_suite(Suite *suite, int device)
{
    add_test(suite, device, NULL, plan_wants_its_arguments);
    add_test(suite, device, NULL, values_that_do_not_exist_are_refused);
    add_test(suite, device, NULL, sizes_that_do_not_fit_are_refused);
    add_test(suite, device, NULL, variants_that_cannot_serve_are_refused);
    add_test(suite, device, NULL, questions_to_a_plan_want_their_structs);
    if (!devices[device].session.info.has_fp64)
        add_test(suite, device, NULL, f64_needs_the_device_to_have_it);
}
