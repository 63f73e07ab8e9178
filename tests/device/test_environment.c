/* SPDX-License-Identifier: MIT */
/* What the environment asks for is done, or refused with a word on where it came from.
 */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void forget(void)
{
    unsetenv("CLSM_VARIANT");
    unsetenv("CLSM_DEVICE");
}

/* A plan under CLSM_VARIANT = wish, with the problem's own wish beside it. */
static void expect_variant(struct tally *t, const char *wish, const char *own,
                           const char *expected)
{
    clsm_plan_info info = {.struct_bytes = sizeof info};
    clsm_plan *plan = NULL;
    clsm_problem p = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, 5, 33);
    p.variant = own;
    setenv("CLSM_VARIANT", wish, 1);
    if (tally_ok(t, clsm_plan_create(t->device->session.engine, &p, &plan), wish) &&
        tally_ok(t, clsm_plan_get_info(plan, &info), "info"))
        tally_fact(t, !strncmp(info.variant, expected, strlen(expected)),
                   "CLSM_VARIANT=%s beside %s gave %s", wish, own ? own : "NULL",
                   info.variant);
    clsm_plan_destroy(plan);
}

START_TEST(variant_of_the_environment_is_taken)
{
    struct tally t = tally_of(_i);
    expect_variant(&t, "item", NULL, "item:");
    expect_variant(&t, "tree", NULL, "tree:");
    expect_variant(&t, "wide:VEC=4", NULL, "wide:VEC=4");
    expect_variant(&t, "item", "tree", "tree:");
    tally_end(&t);
}
END_TEST

START_TEST(variant_of_the_environment_is_checked)
{
    struct tally t = tally_of(_i);
    clsm_problem p = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, 5, 33);
    clsm_plan *plan = (clsm_plan *)&p;
    setenv("CLSM_VARIANT", "fastest", 1);
    clsm_status got = clsm_plan_create(t.device->session.engine, &p, &plan);
    check_refusal(&t, got, CLSM_ERR_VARIANT, "\"fastest\"", "expected", plan,
                  "fastest");
    check_refusal(&t, got, CLSM_ERR_VARIANT, "CLSM_VARIANT", "", plan, "its source");
    setenv("CLSM_VARIANT", "", 1);
    tally_ok(&t, clsm_plan_create(t.device->session.engine, &p, &plan), "empty");
    clsm_plan_destroy(plan);
    tally_end(&t);
}
END_TEST

START_TEST(subgroups_of_the_environment_are_checked)
{
    struct tally t = tally_of(_i);
    const struct session *s = &t.device->session;
    clsm_device_info info = {.struct_bytes = sizeof info};
    clsm_engine *engine = (clsm_engine *)&info;
    const char *before = getenv("CLSM_SUBGROUPS");
    char kept[16] = "";
    snprintf(kept, sizeof kept, "%s", before ? before : "");
    setenv("CLSM_SUBGROUPS", "on", 1);
    clsm_status got = clsm_engine_create(s->context, s->info.device, &engine);
    check_refusal(&t, got, CLSM_ERR_VALUE, "CLSM_SUBGROUPS is \"on\"",
                  "expected off, local or auto", engine, "subgroups on");
    got = clsm_device_find(NULL, &info);
    check_refusal(&t, got, CLSM_ERR_VALUE, "CLSM_SUBGROUPS is \"on\"", "expected", NULL,
                  "devices for subgroups on");
    setenv("CLSM_SUBGROUPS", kept, 1);
    tally_end(&t);
}
END_TEST

START_TEST(device_of_the_environment_is_taken)
{
    struct tally t = tally_of(_i);
    unsigned own = t.device->session.info.index;
    clsm_device_info info = {.struct_bytes = sizeof info};
    char index[16];
    snprintf(index, sizeof index, "%u", own);
    setenv("CLSM_DEVICE", index, 1);
    if (tally_ok(&t, clsm_device_find(NULL, &info), "by index"))
        tally_fact(&t, info.index == own, "asked for %u, got %u", own, info.index);
    setenv("CLSM_DEVICE", t.device->session.info.name, 1);
    if (tally_ok(&t, clsm_device_find(NULL, &info), "by name"))
        tally_fact(&t, !strcmp(info.name, t.device->session.info.name), "got %s",
                   info.name);
    setenv("CLSM_DEVICE", "no-such-device", 1);
    if (tally_ok(&t, clsm_device_find(index, &info), "the argument goes first"))
        tally_fact(&t, info.index == own, "asked for %u, got %u", own, info.index);
    clsm_status got = clsm_device_find(NULL, &info);
    check_refusal(&t, got, CLSM_ERR_NO_DEVICE, "\"no-such-device\" (from CLSM_DEVICE)",
                  "expected an index", NULL, "no-such-device");
    tally_end(&t);
}
END_TEST

void environment_suite(Suite *suite, int device)
{
    add_fixed_test(suite, device, variant_of_the_environment_is_taken, NULL, forget);
    add_fixed_test(suite, device, variant_of_the_environment_is_checked, NULL, forget);
    add_fixed_test(suite, device, device_of_the_environment_is_taken, NULL, forget);
    add_test(suite, device, NULL, subgroups_of_the_environment_are_checked);
}
