/* SPDX-License-Identifier: MIT */
/* The suites that need a device, each from one file test_<name>.c, and the devices they
 * run on. Each suite adds its tests for one device at a time. */
#ifndef CLSM_TEST_DEVICE_SUITES_H
#define CLSM_TEST_DEVICE_SUITES_H

#include "../../tools/trial.h"
#include "engine.h"
#include "variant.h"

#include <check.h>

#define SUITES(X)                                                                      \
    X(edges)                                                                           \
    X(forms)                                                                           \
    X(extremes)                                                                        \
    X(family)                                                                          \
    X(slices)                                                                          \
    X(layouts)                                                                         \
    X(packs)                                                                           \
    X(candidates)                                                                      \
    X(switches)                                                                        \
    X(random)                                                                          \
    X(long_rows)                                                                       \
    X(large)                                                                           \
    X(plan_errors)                                                                     \
    X(enqueue_errors)                                                                  \
    X(operand_errors)                                                                  \
    X(context_errors)                                                                  \
    X(events)                                                                          \
    X(open_plans)                                                                      \
    X(deterministic)                                                                   \
    X(shared_rows)                                                                     \
    X(turns)                                                                           \
    X(explain)                                                                         \
    X(disk_cache)                                                                      \
    X(environment)

#define DECLARE(name) void name##_suite(Suite *suite, int device);
SUITES(DECLARE)
#undef DECLARE

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* One device under test. */
struct device {
    struct session session; /* empty if it did not open */
    char label[96];         /* "device 0 (name)", in every test's name */
    char failure[256];      /* why it did not open */
};

enum { MAX_DEVICES = 32 };

extern struct device devices[MAX_DEVICES];
extern int device_count;

/* Open the devices to test. NULL if that went well, or why this run has failed. */
const char *devices_open(void);
void devices_close(void);

/* Add a test that runs once with _i = index, named for the device and, if not NULL, a
 * part. Indices start with the device: index % MAX_DEVICES is it. */
void add_test(Suite *suite, int index, const char *part, const TTest *test);

/* The same with what goes before and after it, also if it fails; either may be NULL. */
void add_fixed_test(Suite *suite, int index, const TTest *test, void (*set_up)(void),
                    void (*tear_down)(void));

/* What a device cannot do is said in the output, never passed over in silence. */
void note(const struct device *device, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Is the environment's switch set? */
bool asked_for(const char *name);

/* A packed problem of two types. */
clsm_problem problem_of(clsm_op op, clsm_type x, clsm_type y, size_t rows, size_t cols);

/* Can this device do it at all? A note says so if not. */
bool can_do(const struct device *device, const clsm_problem *problem);

/* Can the configuration serve the problem on this device? */
bool config_serves(const struct device *device, const struct config *config,
                   const clsm_problem *problem);

/* Has the variant a configuration that can? */
bool can_serve(const struct device *device, unsigned variant,
               const clsm_problem *problem);

/* Does the configuration run on the device, be it for long rows only? */
bool runs_here(const struct device *device, const struct config *config);

/* The variant's place among those that run on the device. */
unsigned rank_of(const struct device *device, unsigned variant);

/* Are lanes emulated in local memory (CLSM_SUBGROUPS=local)? Such a run comes after
 * one without lanes, and has to prove only what uses them. */
bool lanes_are_local(const struct device *device);

/* Has such a run anything new in the configuration? In any other, all is new. */
bool is_new_here(const struct device *device, const struct config *config);

/* Is the variant itself new there, since without lanes it does not run, or not with
 * more than one worker? */
bool is_new_variant_here(const struct device *device, unsigned variant);

#endif
