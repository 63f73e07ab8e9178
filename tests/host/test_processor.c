/* SPDX-License-Identifier: MIT */
/* Facts about what this machine's processor can do, against what Linux says of it. */
#include "processor.h"
#include "suites.h"

#include <stdio.h>

/* The rest of the first line of /proc/cpuinfo that begins so; NULL without one. */
static char *line_of(const char *key, char *text, int bytes)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char *found = NULL;
    while (f && !found && fgets(text, bytes, f))
        if (strncmp(text, key, strlen(key)) == 0 && (found = strstr(text, ": ")))
            found[strcspn(found, "\n")] = 0;
    if (f)
        fclose(f);
    return found ? found + 2 : NULL;
}

START_TEST(conversions_to_bf16_are_where_linux_says_so)
{
    char flags[8192], model[256], device[300];
    const char *all = line_of("flags", flags, sizeof flags);
    const char *name = line_of("model name", model, sizeof model);
    if (!all || !name)
        return; /* another system or processor */
    snprintf(device, sizeof device, "pthread-haswell-%s", name);
    bool has = strstr(all, " avx512_bf16 ") != NULL;
    ck_assert_int_eq(clsm_processor_has_bf16(device), has);
}
END_TEST

START_TEST(another_machines_processor_is_not_asked)
{
    ck_assert(!clsm_processor_has_bf16("pthread-znver4-Some Other Processor"));
    ck_assert(!clsm_processor_has_bf16(""));
}
END_TEST

Suite *processor_suite(void)
{
    Suite *suite = suite_create("processor");
    TCase *c = tcase_create("processor");
    tcase_add_test(c, conversions_to_bf16_are_where_linux_says_so);
    tcase_add_test(c, another_machines_processor_is_not_asked);
    suite_add_tcase(suite, c);
    return suite;
}
