/* SPDX-License-Identifier: MIT */
/* Runs the suites that its arguments name, or all, on every device and reports in TAP.
 * No device at all is a skip; a device that was asked for and is not there, a failure.
 */
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    void (*add)(Suite *suite, int device);
} suites[] = {
#define ROW(name) {#name, name##_suite},
    SUITES(ROW)
#undef ROW
};

START_TEST(device_opens)
{
    const struct device *device = &devices[_i];
    ck_assert_msg(device->session.engine != NULL, "%s", device->failure);
}
END_TEST

static bool wanted(const char *name, char **names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return n == 0;
}

/* A suite that does not exist must not look like one that passed. */
static bool all_exist(char **names, int n)
{
    for (int k = 0; k < n; k++) {
        size_t i = 0;
        while (i < COUNT(suites) && strcmp(suites[i].name, names[k]) != 0)
            i++;
        if (i == COUNT(suites)) {
            fprintf(stderr, "no suite \"%s\"; there are:", names[k]);
            for (i = 0; i < COUNT(suites); i++)
                fprintf(stderr, " %s", suites[i].name);
            fprintf(stderr, "\n");
            return false;
        }
    }
    return true;
}

static SRunner *collect(char **names, int n)
{
    SRunner *runner = srunner_create(NULL);
    Suite *first = suite_create("devices");
    srunner_add_suite(runner, first);
    for (int d = 0; d < device_count; d++)
        add_test(first, d, NULL, device_opens);
    for (size_t i = 0; i < COUNT(suites); i++) {
        if (!wanted(suites[i].name, names, n))
            continue;
        Suite *suite = suite_create(suites[i].name);
        for (int d = 0; d < device_count; d++)
            if (devices[d].session.engine)
                suites[i].add(suite, d);
        srunner_add_suite(runner, suite);
    }
    return runner;
}

int main(int argc, char **argv)
{
    if (!all_exist(argv + 1, argc - 1))
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0); /* a crash must not take the last lines along */
    unsetenv("CLSM_VARIANT");
    unsetenv("CLSM_DEVICE");
    const char *failure = devices_open();
    if (failure) {
        printf("Bail out! %s\n", failure);
        return 1;
    }
    if (!device_count) {
        printf("1..0 # SKIP no OpenCL device\n");
        return 0;
    }
    SRunner *runner = collect(argv + 1, argc - 1);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    devices_close();
    return failed != 0;
}
