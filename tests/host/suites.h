/* SPDX-License-Identifier: MIT */
/* The suites that need no device, each from one file test_<name>.c, and what they
 * share. */
#ifndef CLSM_TEST_HOST_SUITES_H
#define CLSM_TEST_HOST_SUITES_H

#include "clsoftmax.h"

#include <check.h>
#include <stdbool.h>
#include <string.h>

#define SUITES(X)                                                                      \
    X(status)                                                                          \
    X(problem)                                                                         \
    X(problem_at)                                                                      \
    X(operands)                                                                        \
    X(numbers)                                                                         \
    X(layout)                                                                          \
    X(bytes)                                                                           \
    X(convert)                                                                         \
    X(reference)                                                                       \
    X(gradients)                                                                       \
    X(losses)                                                                          \
    X(forms)                                                                           \
    X(statistics)                                                                      \
    X(topk)                                                                            \
    X(policy)                                                                          \
    X(rows)                                                                            \
    X(check_args)                                                                      \
    X(check_indices)                                                                   \
    X(check)                                                                           \
    X(check_special)                                                                   \
    X(variant)                                                                         \
    X(choose)                                                                          \
    X(choose_cpu)                                                                      \
    X(choose_gpu)                                                                      \
    X(choose_configs)                                                                  \
    X(estimate)                                                                        \
    X(held)                                                                            \
    X(parts)                                                                           \
    X(tiles)                                                                           \
    X(registers)                                                                       \
    X(tuned)                                                                           \
    X(usage)                                                                           \
    X(program)                                                                         \
    X(processor)                                                                       \
    X(exp)                                                                             \
    X(cache)                                                                           \
    X(cache_folder)                                                                    \
    X(npy)                                                                             \
    X(npy_write)                                                                       \
    X(staged)

#define DECLARE(name) Suite *name##_suite(void);
SUITES(DECLARE)
#undef DECLARE

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The calling thread's message has these words in it. */
#define SAYS(words)                                                                    \
    ck_assert_msg(strstr(clsm_last_message(), words) != NULL, "no \"%s\" in: %s",      \
                  words, clsm_last_message())

/* The call fails with this status, and the message names argument, value and what was
 * expected. */
#define REFUSED(call, status, argument_and_value, expected)                            \
    do {                                                                               \
        ck_assert_int_eq(call, status);                                                \
        SAYS(argument_and_value);                                                      \
        SAYS(expected);                                                                \
    } while (0)

/* As ck_assert_msg(), for long loops: Check keeps a record of each of its own. */
#define EXPECT(condition, ...)                                                         \
    do {                                                                               \
        if (!(condition))                                                              \
            ck_abort_msg(__VA_ARGS__);                                                 \
    } while (0)

#endif
