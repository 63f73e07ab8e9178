/* SPDX-License-Identifier: MIT */
/* Facts about reading .npy files, of every header that NumPy may write and of many that
 * it would not. */
#define _XOPEN_SOURCE 700 /* mkdtemp() */

#include "npy_fixture.h"

#include <sys/stat.h>

static const struct {
    const char *header;
    bool as_bf16;
    clsm_type type;
    size_t bytes;
} one_element[] = {
    {DICT("<f2", "False", "(1,)"), false, CLSM_F16, 2},
    {DICT("<f4", "False", "(1,)"), false, CLSM_F32, 4},
    {DICT("<f8", "False", "(1,)"), false, CLSM_F64, 8},
    {DICT("<u2", "False", "(1,)"), true, CLSM_BF16, 2},
    {DICT("<i2", "False", "(1,)"), true, CLSM_BF16, 2},
    {DICT("<V2", "False", "(1,)"), true, CLSM_BF16, 2},
};

START_TEST(either_byte_order_becomes_the_hosts)
{
    const unsigned char up[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const uint16_t one = 1;
    size_t bytes = one_element[_i].bytes;
    char header[96];

    for (int big = 0; big < 2; big++) {
        bool swapped = *(const char *)&one == !!big;
        strcpy(header, one_element[_i].header);
        *strchr(header, '<') = big ? '>' : '<';
        put(1, header, up, bytes);
        ck_assert_msg(reads(one_element[_i].as_bf16), "%s", error);
        ck_assert_int_eq(a.type, one_element[_i].type);
        for (size_t i = 0; i < bytes; i++)
            ck_assert_int_eq(((unsigned char *)a.data)[i], swapped ? bytes - i : i + 1);
    }
}
END_TEST

START_TEST(native_order_marks_leave_the_bytes)
{
    put(1, DICT("=f4", "False", "(1,)"), "abcd", 4);
    ck_assert(reads(false));
    holds(1, (size_t[]){1}, "abcd", 4);
    put(1, DICT("|V2", "False", "(2,)"), "abcd", 4);
    ck_assert(reads(true));
    holds(1, (size_t[]){2}, "abcd", 4);
}
END_TEST

START_TEST(formats_1_2_and_3_are_read)
{
    for (int version = 1; version <= 3; version++) {
        put(version, DICT("=f2", "False", "(2, 1)") "   \n", "abcd", 4);
        ck_assert_msg(reads(false), "%s", error);
        holds(2, (size_t[]){2, 1}, "abcd", 4);
    }
    put(4, DICT("=f2", "False", "(2, 1)"), "abcd", 4);
    refused(reads(false), "version 4.0, expected 1.0, 2.0 or 3.0");
}
END_TEST

START_TEST(a_header_may_be_any_spelling_of_the_dict)
{
    static const char *const headers[] = {
        "{\"shape\":(2,1),\"descr\":\"=f2\",\"fortran_order\":False}",
        " { 'fortran_order' : False , 'shape' : ( 2L , 1L , ) , 'descr' : '=f2', }\n\n",
        "{'fortran_order':\tFalse,\n'descr':\"=f2\",'shape':(2,1),}",
    };

    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        put(1, headers[i], "abcd", 4);
        ck_assert_msg(reads(false), "%s", error);
        holds(2, (size_t[]){2, 1}, "abcd", 4);
    }
}
END_TEST

START_TEST(a_malformed_header_is_refused)
{
    static const char *const headers[] = {
        "",
        "{",
        "{}",
        "{'",
        "{'descr'",
        "{'descr':",
        "{'descr': [",
        "{'descr': '=f2",
        "{,'descr': '=f2', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '=f2',, 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '=f2' 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '=f2', 'fortran_order': 0, 'shape': (2,)}",
        "{'descr': '=f2', 'fortran_order': F alse, 'shape': (2,)}",
        "{'descr': '=f2', 'fortran_order': False, 'shape': (2)}",
        "{'descr': '=f2', 'fortran_order': False, 'shape': [2]}",
        "{'descr': '=f2', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '=f2', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '=f2', 'fortran_order': False, 'shape': (2 1)}",
        "{'descr': '=f2', 'fortran_order': False, 'shape': (2,), 'more': (2,)}",
        "{'descr': '=f2', 'descr': '=f2', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '=f2', 'fortran_order': False}",
        DICT("=f2", "False", "(2,)") "x",
    };

    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        put(1, headers[i], "abcd", 4);
        refused(reads(false), "malformed header");
    }
}
END_TEST

START_TEST(a_header_past_the_end_is_refused)
{
    for (int version = 1; version <= 2; version++) {
        put(version, DICT("=f2", "False", "(2,)"), "", 0);
        ck_assert_int_eq(truncate(file, version == 1 ? 40 : 11), 0);
        refused(reads(false), version == 1
                                  ? "is 40 bytes long, expected at least the 67"
                                  : "is 11 bytes long, expected at least");
    }
}
END_TEST

START_TEST(truncated_file_is_refused_with_both_lengths)
{
    put(1, DICT("<f4", "False", "(3, 2)"), "0123456789012345678901", 22);
    refused(reads(false), "22 bytes of data, expected 24 for shape (3, 2) of <f4");
}
END_TEST

START_TEST(overlong_file_is_refused_with_both_lengths)
{
    put(1, DICT("<f4", "False", "(1,)"), "01234", 5);
    refused(reads(false), "5 bytes of data, expected 4 for shape (1,) of <f4");
}
END_TEST

START_TEST(a_shape_past_size_t_is_refused)
{
    static const char *const headers[] = {
        DICT("<f4", "False", "(4611686018427387904,)"),
        DICT("<f4", "False", "(4294967296, 4294967296)"),
        DICT("<f4", "False", "(99999999999999999999999999,)"),
        DICT("<f4", "False", "(0, 4294967296, 4294967296)"),
    };

    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        put(1, headers[i], "", 0);
        refused(reads(false), "expected one whose bytes fit size_t");
    }
}
END_TEST

START_TEST(one_to_eight_dimensions_are_read)
{
    put(1, DICT("=f2", "False", "(1, 1, 2, 1, 1, 1, 1, 1)"), "abcd", 4);
    ck_assert_msg(reads(false), "%s", error);
    holds(8, (size_t[]){1, 1, 2, 1, 1, 1, 1, 1}, "abcd", 4);
    put(1, DICT("=f2", "False", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), "ab", 2);
    refused(reads(false), "9 dimensions, expected 1 to 8");
    put(1, DICT("=f2", "False", "()"), "ab", 2);
    refused(reads(false), "shape (), a single number, expected 1 to 8 dimensions");
}
END_TEST

START_TEST(an_empty_array_is_read)
{
    put(1, DICT("<f8", "True", "(3, 0, 2)"), "", 0);
    ck_assert_msg(reads(false), "%s", error);
    holds(3, (size_t[]){3, 0, 2}, "", 0);
    ck_assert_uint_eq(a.count, 0);
}
END_TEST

START_TEST(fortran_order_becomes_c_order)
{
    put(1, DICT("|V2", "True", "(2, 3)"),
        "00"
        "10"
        "01"
        "11"
        "02"
        "12",
        12);
    ck_assert_msg(reads(true), "%s", error);
    holds(2, (size_t[]){2, 3}, "000102101112", 12);
    put(1, DICT("=f2", "True", "(3,)"), "abcdef", 6);
    ck_assert(reads(false));
    holds(1, (size_t[]){3}, "abcdef", 6);
}
END_TEST

START_TEST(bf16_is_taken_only_when_said)
{
    put(1, DICT("<u2", "False", "(1,)"), "ab", 2);
    refused(reads(false), "dtype <u2 (unsigned integer), expected 'f2', 'f4' or 'f8'");
    put(1, DICT("<f2", "False", "(1,)"), "ab", 2);
    refused(reads(true), "dtype <f2 (float), expected the raw bits of bf16");
}
END_TEST

static const struct {
    const char *header;
    enum npy_want want;
    int type; /* -1: refused */
    size_t bytes;
} operands[] = {
    {DICT("|b1", "False", "(1,)"), NPY_MASK, NPY_BOOL, 1},
    {DICT("|u1", "False", "(1,)"), NPY_MASK, NPY_U8, 1},
    {DICT("=f2", "False", "(1,)"), NPY_MASK, CLSM_F16, 2},
    {DICT("=f4", "False", "(1,)"), NPY_MASK, CLSM_F32, 4},
    {DICT("=f8", "False", "(1,)"), NPY_MASK, -1, 8},
    {DICT("|i1", "False", "(1,)"), NPY_MASK, -1, 1},
    {DICT("=i4", "False", "(1,)"), NPY_TARGETS, NPY_I32, 4},
    {DICT("=i8", "False", "(1,)"), NPY_TARGETS, NPY_I64, 8},
    {DICT("=u4", "False", "(1,)"), NPY_TARGETS, -1, 4},
    {DICT("=f4", "False", "(1,)"), NPY_TARGETS, -1, 4},
    {DICT("=f4", "False", "(1,)"), NPY_FLOATS_OR_BF16, CLSM_F32, 4},
    {DICT("=u2", "False", "(1,)"), NPY_FLOATS_OR_BF16, CLSM_BF16, 2},
    {DICT("=i4", "False", "(1,)"), NPY_FLOATS_OR_BF16, -1, 4},
};

START_TEST(each_want_has_its_dtypes)
{
    put(1, operands[_i].header, "01234567", operands[_i].bytes);
    if (operands[_i].type < 0) {
        refused(reads_as(operands[_i].want), "expected");
        return;
    }
    ck_assert_msg(reads_as(operands[_i].want), "%s", error);
    ck_assert_int_eq(a.type, operands[_i].type);
    holds(1, (size_t[]){1}, "01234567", operands[_i].bytes);
}
END_TEST

START_TEST(other_dtypes_are_refused_by_name)
{
    static const char *const dtypes[][2] = {
        {DICT("|O", "False", "(1,)"), "|O (object)"},
        {DICT("|b1", "False", "(1,)"), "|b1 (bool)"},
        {DICT("<c8", "False", "(1,)"), "<c8 (complex)"},
        {DICT("<f16", "False", "(1,)"), "<f16 (float)"},
        {DICT("<U3", "False", "(1,)"), "<U3 (text)"},
        {DICT("<M8[ns]", "False", "(1,)"), "<M8[ns] (date)"},
        {DICT("", "False", "(1,)"), "(unknown)"},
        {DICT("<\033[31m", "False", "(1,)"), "<?[31m (unknown)"},
        {"{'descr': [('x', '<f4'), ('y', '<f4', (2,))], 'fortran_order': False, "
         "'shape': (1,)}",
         "[('x', '<f4'), ('y', '<f4', (2,))] (structured)"},
        {"{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (1,)}",
         "('<f4', (2,)) (structured)"},
    };

    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        put(1, dtypes[i][0], "01234567", 8);
        refused(reads(false), dtypes[i][1]);
    }
}
END_TEST

START_TEST(what_is_no_npy_file_is_refused)
{
    FILE *out;

    refused(reads(false), "No such file");
    ck_assert_int_eq(mkdir(file, 0777), 0);
    refused(reads(false), "Is a directory");
    rmdir(file);
    out = fopen(file, "wb");
    fputs("\x93NUMP", out);
    fclose(out);
    refused(reads(false), "is 5 bytes long, expected an .npy file");
    out = fopen(file, "wb");
    fputs("PK\003\004 and so on", out);
    fclose(out);
    refused(reads(false), "starts with bytes 50 4b 03 04 20 61, expected 93 4e 55 4d");
}
END_TEST

START_TEST(a_short_error_buffer_is_not_overrun)
{
    char small[4] = "abc";

    ck_assert(!npy_read(file, NPY_FLOATS, &a, small, 2));
    ck_assert_str_eq(small, "/");
    ck_assert_int_eq(small[2], 'c');
    ck_assert(!npy_read(file, NPY_FLOATS, &a, NULL, 0));
    npy_free(NULL);
}
END_TEST

Suite *npy_suite(void)
{
    Suite *suite = suite_create("npy");
    TCase *c = tcase_create("npy");
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_add_loop_test(c, either_byte_order_becomes_the_hosts, 0,
                        (int)COUNT(one_element));
    tcase_add_test(c, native_order_marks_leave_the_bytes);
    tcase_add_test(c, formats_1_2_and_3_are_read);
    tcase_add_test(c, a_header_may_be_any_spelling_of_the_dict);
    tcase_add_test(c, a_malformed_header_is_refused);
    tcase_add_test(c, a_header_past_the_end_is_refused);
    tcase_add_test(c, truncated_file_is_refused_with_both_lengths);
    tcase_add_test(c, overlong_file_is_refused_with_both_lengths);
    tcase_add_test(c, a_shape_past_size_t_is_refused);
    tcase_add_test(c, one_to_eight_dimensions_are_read);
    tcase_add_test(c, an_empty_array_is_read);
    tcase_add_test(c, fortran_order_becomes_c_order);
    tcase_add_test(c, bf16_is_taken_only_when_said);
    tcase_add_loop_test(c, each_want_has_its_dtypes, 0, (int)COUNT(operands));
    tcase_add_test(c, other_dtypes_are_refused_by_name);
    tcase_add_test(c, what_is_no_npy_file_is_refused);
    tcase_add_test(c, a_short_error_buffer_is_not_overrun);
    suite_add_tcase(suite, c);
    return suite;
}
