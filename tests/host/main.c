/* SPDX-License-Identifier: MIT */
/*
 * Runs every suite that needs no device in this one process and reports in TAP. Without
 * forking a crash ends the run, which the harness sees as a plan that was not kept.
 */
#include "suites.h"

int main(void)
{
    SRunner *runner = srunner_create(NULL);
#define ADD(name) srunner_add_suite(runner, name##_suite());
    SUITES(ADD)
#undef ADD
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
