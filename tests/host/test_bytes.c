/* SPDX-License-Identifier: MIT */
/* Facts about the bytes that a call moves: what is broadcast counts once, what does not
 * come not at all. */
#include "problem.h"
#include "suites.h"

#include <stdint.h>

static clsm_problem given;

static void set_up(void)
{
    clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_F32, 7, 5);
}

static uint64_t bytes(void)
{
    struct problem p;
    ck_assert_msg(clsm_problem_check(&given, &p) == CLSM_OK, "%s", clsm_last_message());
    return clsm_problem_bytes(&p);
}

START_TEST(each_element_counts_once_however_often_it_is_broadcast)
{
    const uint64_t both = 2 * 8 * 5 * 4;
    given.rows = 8, given.queries = 2, given.heads = 2;
    ck_assert_uint_eq(bytes(), both);
    given.operands = CLSM_BIT(CLSM_LSE) | CLSM_BIT(CLSM_SINKS);
    ck_assert_uint_eq(bytes(), both + 8 * 4 + 2 * 4);
    given.operands = 0;
    given.mask_type = CLSM_MASK_F16;
    ck_assert_uint_eq(bytes(), both + 5 * 2);
    given.mask_stride.row = 5;
    ck_assert_uint_eq(bytes(), both + 2 * 5 * 2);
    given.mask_stride.batch = 10;
    ck_assert_uint_eq(bytes(), both + 2 * 2 * 5 * 2);
    given.mask_stride.head = 20;
    ck_assert_uint_eq(bytes(), both + 2 * 2 * 2 * 5 * 2);
    given.mask_stride.col = 0;
    ck_assert_uint_eq(bytes(), both + 2 * 2 * 2 * 2);
    clsm_problem_init(&given, CLSM_TOPK, CLSM_F16, 8, 50);
    given.k = 3;
    ck_assert_uint_eq(bytes(), 8 * 50 * 2 + 8 * 3 * (2 + 4));
    clsm_problem_init(&given, CLSM_SOFTMAX_BACKWARD, CLSM_F16, 8, 50);
    given.dy_type = CLSM_F32;
    ck_assert_uint_eq(bytes(), 8 * 50 * (2 + 2 + 4));
    clsm_problem_init(&given, CLSM_STATISTICS, CLSM_F16, 8, 50);
    ck_assert_uint_eq(bytes(), 8 * 50 * 2 + 2 * 8 * 4);
}
END_TEST

START_TEST(heads_and_queries_that_do_not_come_are_not_counted)
{
    given.rows = 3, given.queries = 4, given.heads = 6;
    given.mask_type = CLSM_MASK_BOOL;
    given.mask_stride = (clsm_mask_stride){.head = 20, .row = 5, .col = 1};
    ck_assert_uint_eq(bytes(), 2 * 3 * 5 * 4 + 15);
}
END_TEST

START_TEST(no_rows_move_no_bytes)
{
    given.rows = 0;
    given.mask_type = CLSM_MASK_F32;
    given.operands = CLSM_BIT(CLSM_LSE) | CLSM_BIT(CLSM_SINKS);
    ck_assert_uint_eq(bytes(), 0);
}
END_TEST

Suite *bytes_suite(void)
{
    Suite *suite = suite_create("bytes");
    TCase *c = tcase_create("bytes");
    tcase_add_checked_fixture(c, set_up, NULL);
    tcase_add_test(c, each_element_counts_once_however_often_it_is_broadcast);
    tcase_add_test(c, heads_and_queries_that_do_not_come_are_not_counted);
    tcase_add_test(c, no_rows_move_no_bytes);
    suite_add_tcase(suite, c);
    return suite;
}
