/* SPDX-License-Identifier: MIT */
/*
 * Facts about tools/npy.h. Files are made byte by byte in a temporary folder, so that
 * what NumPy may write is covered without NumPy.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp() */

#include "../../tools/npy.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *npy_suite(void);

#define DICT(descr, order, shape)                                                      \
    "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }"

static char folder[64], file[96], error[400];
static struct npy a;

static void set_up(void) {
    strcpy(folder, "/tmp/clsm_npy_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/a.npy", folder);
}

/** Files in the folder; with `clear`, remove them. */
static int entries(bool clear) {
    DIR *dir = opendir(folder);
    int n = 0;

    for (struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.') {
            n++;
            if (clear)
                unlinkat(dirfd(dir), e->d_name, 0);
        }
    closedir(dir);
    return n;
}

static void tear_down(void) {
    npy_free(&a);
    entries(true);
    rmdir(folder);
}

static void put(int version, const char *header, const void *data, size_t bytes) {
    size_t n = strlen(header);
    FILE *out = fopen(file, "wb");

    fprintf(out, "\x93NUMPY%c%c%c%c", version, 0, (int)(n & 255), (int)(n >> 8));
    if (version > 1)
        fprintf(out, "%c%c", 0, 0);
    fwrite(header, 1, n, out);
    fwrite(data, 1, bytes, out);
    fclose(out);
}

static bool reads(bool as_bf16) {
    npy_free(&a);
    return npy_read(file, as_bf16, &a, error, sizeof error);
}

/** The last call failed, and its sentence names the file and says `what`. */
static void refused(bool ok, const char *what) {
    ck_assert(!ok);
    ck_assert_msg(strstr(error, file) == error, "no path in: %s", error);
    ck_assert_msg(strstr(error, what) != NULL, "no '%s' in: %s", what, error);
    ck_assert_ptr_null(a.data);
}

static bool writes(clsm_type type, size_t n, const void *data) {
    const struct npy out = {1, {n}, n, type, (void *)data};

    return npy_write(file, &out, error, sizeof error);
}

static void holds(int dims, const size_t *shape, const void *data, size_t bytes) {
    ck_assert_int_eq(a.dims, dims);
    ck_assert_mem_eq(a.shape, shape, (size_t)dims * sizeof *shape);
    ck_assert_mem_eq(a.data, data, bytes);
}

/* ----------------------------------------------------------------------- reading -- */

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

START_TEST(either_byte_order_becomes_the_hosts) {
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

START_TEST(native_order_marks_leave_the_bytes) {
    put(1, DICT("=f4", "False", "(1,)"), "abcd", 4);
    ck_assert(reads(false));
    holds(1, (size_t[]){1}, "abcd", 4);
    put(1, DICT("|V2", "False", "(2,)"), "abcd", 4);
    ck_assert(reads(true));
    holds(1, (size_t[]){2}, "abcd", 4);
}
END_TEST

START_TEST(formats_1_2_and_3_are_read) {
    for (int version = 1; version <= 3; version++) {
        put(version, DICT("=f2", "False", "(2, 1)") "   \n", "abcd", 4);
        ck_assert_msg(reads(false), "%s", error);
        holds(2, (size_t[]){2, 1}, "abcd", 4);
    }
    put(4, DICT("=f2", "False", "(2, 1)"), "abcd", 4);
    refused(reads(false), "version 4.0, expected 1.0, 2.0 or 3.0");
}
END_TEST

START_TEST(a_header_may_be_any_spelling_of_the_dict) {
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

START_TEST(a_malformed_header_is_refused) {
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

START_TEST(a_header_past_the_end_is_refused) {
    for (int version = 1; version <= 2; version++) {
        put(version, DICT("=f2", "False", "(2,)"), "", 0);
        ck_assert_int_eq(truncate(file, version == 1 ? 40 : 11), 0);
        refused(reads(false), version == 1
                                  ? "is 40 bytes long, expected at least the 67"
                                  : "is 11 bytes long, expected at least");
    }
}
END_TEST

START_TEST(truncated_file_is_refused_with_both_lengths) {
    put(1, DICT("<f4", "False", "(3, 2)"), "0123456789012345678901", 22);
    refused(reads(false), "22 bytes of data, expected 24 for shape (3, 2) of <f4");
}
END_TEST

START_TEST(overlong_file_is_refused_with_both_lengths) {
    put(1, DICT("<f4", "False", "(1,)"), "01234", 5);
    refused(reads(false), "5 bytes of data, expected 4 for shape (1,) of <f4");
}
END_TEST

START_TEST(a_shape_past_size_t_is_refused) {
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

START_TEST(one_to_eight_dimensions_are_read) {
    put(1, DICT("=f2", "False", "(1, 1, 2, 1, 1, 1, 1, 1)"), "abcd", 4);
    ck_assert_msg(reads(false), "%s", error);
    holds(8, (size_t[]){1, 1, 2, 1, 1, 1, 1, 1}, "abcd", 4);
    put(1, DICT("=f2", "False", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), "ab", 2);
    refused(reads(false), "9 dimensions, expected 1 to 8");
    put(1, DICT("=f2", "False", "()"), "ab", 2);
    refused(reads(false), "shape (), a single number, expected 1 to 8 dimensions");
}
END_TEST

START_TEST(an_empty_array_is_read) {
    put(1, DICT("<f8", "True", "(3, 0, 2)"), "", 0);
    ck_assert_msg(reads(false), "%s", error);
    holds(3, (size_t[]){3, 0, 2}, "", 0);
    ck_assert_uint_eq(a.count, 0);
}
END_TEST

START_TEST(fortran_order_becomes_c_order) {
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

START_TEST(bf16_is_taken_only_when_said) {
    put(1, DICT("<u2", "False", "(1,)"), "ab", 2);
    refused(reads(false), "dtype <u2 (unsigned integer), expected 'f2', 'f4' or 'f8'");
    put(1, DICT("<f2", "False", "(1,)"), "ab", 2);
    refused(reads(true), "dtype <f2 (float), expected the raw bits of bf16");
}
END_TEST

START_TEST(other_dtypes_are_refused_by_name) {
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

START_TEST(what_is_no_npy_file_is_refused) {
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

START_TEST(a_short_error_buffer_is_not_overrun) {
    char small[4] = "abc";

    ck_assert(!npy_read(file, false, &a, small, 2));
    ck_assert_str_eq(small, "/");
    ck_assert_int_eq(small[2], 'c');
    ck_assert(!npy_read(file, false, &a, NULL, 0));
    npy_free(NULL);
}
END_TEST

/* ------------------------------------------------------------------------ labels -- */

START_TEST(labels_of_any_integer_dtype_are_widened) {
    static const struct {
        const char *header;
        const char *data;
        int64_t first, second;
    } rows[] = {
        {DICT("|i1", "False", "(2,)"), "\x05\xfe", 5, -2},
        {DICT("|u1", "True", "(2,)"), "\x05\xfe", 5, 254},
        {DICT("<i2", "False", "(2,)"), "\5\1\xfe\xff", 261, -2},
        {DICT(">i2", "False", "(2,)"), "\1\5\xff\xfe", 261, -2},
        {DICT("<u2", "False", "(2,)"), "\5\1\xfe\xff", 261, 65534},
        {DICT("<i4", "False", "(2,)"), "\5\1\0\0\xfe\xff\xff\xff", 261, -2},
        {DICT(">u4", "False", "(2,)"), "\0\0\1\5\xff\xff\xff\xfe", 261, 4294967294},
        {DICT("<i8", "False", "(2,)"), "\5\1\0\0\0\0\0\0\0\0\0\0\0\0\0\x80", 261,
         INT64_MIN},
        {DICT(">u8", "False", "(2,)"),
         "\0\0\0\0\0\0\1\5\x7f\xff\xff\xff\xff\xff\xff\xff", 261, INT64_MAX},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t *labels;
        size_t n;
        put(1, rows[i].header, rows[i].data, 2 * (size_t)(rows[i].header[13] - '0'));
        ck_assert_msg(npy_read_labels(file, &labels, &n, error, sizeof error), "%s",
                      error);
        ck_assert_uint_eq(n, 2);
        ck_assert_int_eq(labels[0], rows[i].first);
        ck_assert_int_eq(labels[1], rows[i].second);
        free(labels);
    }
}
END_TEST

START_TEST(no_labels_are_labels_too) {
    int64_t *labels;
    size_t n;

    put(1, DICT("<i8", "False", "(0,)"), "", 0);
    ck_assert(npy_read_labels(file, &labels, &n, error, sizeof error));
    ck_assert_uint_eq(n, 0);
    ck_assert_ptr_nonnull(labels);
    free(labels);
}
END_TEST

START_TEST(what_are_no_labels_is_refused) {
    static const char *const rows[][2] = {
        {DICT("<f8", "False", "(1,)"), "dtype <f8 (float), expected integers"},
        {DICT("|b1", "False", "(8,)"), "dtype |b1 (bool), expected integers"},
        {DICT("<i2", "False", "(2, 2)"), "2 dimensions, expected labels in one"},
        {DICT("<u8", "False", "(1,)"), "2^63 or more at index 0"},
        {DICT("<i4", "False", "(3,)"), "8 bytes of data, expected 12"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t *labels = &(int64_t){0};
        size_t n = 1;
        put(1, rows[i][0], "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
        refused(npy_read_labels(file, &labels, &n, error, sizeof error), rows[i][1]);
        ck_assert_ptr_null(labels);
        ck_assert_uint_eq(n, 0);
    }
}
END_TEST

/* ----------------------------------------------------------------------- writing -- */

START_TEST(what_is_written_is_read_back) {
    static const clsm_type types[] = {CLSM_F32, CLSM_F16, CLSM_BF16, CLSM_F64};
    const struct npy out = {3, {1, 2, 1}, 2, types[_i], "0123456789abcde"};

    ck_assert_msg(npy_write(file, &out, error, sizeof error), "%s", error);
    ck_assert_msg(reads(out.type == CLSM_BF16), "%s", error);
    ck_assert_int_eq(a.type, out.type);
    holds(3, out.shape, out.data, (size_t[]){8, 4, 4, 16}[_i]);
    ck_assert_int_eq(entries(false), 1);
}
END_TEST

START_TEST(the_header_is_numpys_padded_to_64_bytes) {
    const uint16_t one = 1;
    char bytes[200] = "", expected[200];
    FILE *in;

    ck_assert(writes(CLSM_BF16, 1, "ab"));
    in = fopen(file, "rb");
    ck_assert_uint_eq(fread(bytes, 1, sizeof bytes, in), 130);
    fclose(in);
    snprintf(expected, sizeof expected, "%-117s\nab",
             *(const char *)&one ? DICT("<u2", "False", "(1,)")
                                 : DICT(">u2", "False", "(1,)"));
    ck_assert_mem_eq(bytes, "\x93NUMPY\x01\x00v\x00", 10); /* 'v': 118, to byte 128 */
    ck_assert_mem_eq(bytes + 10, expected, 120);
}
END_TEST

START_TEST(an_empty_array_is_written) {
    ck_assert(writes(CLSM_F64, 0, NULL));
    ck_assert_msg(reads(false), "%s", error);
    holds(1, (size_t[]){0}, "", 0);
}
END_TEST

static unsigned mode_of(const char *path) {
    struct stat st;

    ck_assert_int_eq(lstat(path, &st), 0);
    return (unsigned)st.st_mode & 0777;
}

START_TEST(a_new_file_follows_the_umask_and_an_old_one_keeps_its_mode) {
    umask(027);
    ck_assert(writes(CLSM_F16, 1, "ab"));
    ck_assert_uint_eq(mode_of(file), 0640);
    chmod(file, 0604);
    ck_assert(writes(CLSM_F16, 1, "ab"));
    ck_assert_uint_eq(mode_of(file), 0604);
    ck_assert_uint_eq(umask(022), 027);
}
END_TEST

START_TEST(a_symbolic_link_stays_and_its_file_is_replaced) {
    char link[sizeof file + 8];

    ck_assert(writes(CLSM_F16, 1, "ab"));
    snprintf(link, sizeof link, "%s.link", file);
    ck_assert_int_eq(symlink("a.npy", link), 0);
    const struct npy out = {1, {1}, 1, CLSM_F16, "cd"};
    ck_assert(npy_write(link, &out, error, sizeof error));
    ck_assert(reads(false));
    holds(1, out.shape, "cd", 2);
    ck_assert_int_eq(entries(false), 2);
}
END_TEST

START_TEST(a_failed_write_leaves_the_old_file_and_no_other) {
    static const char data[4096];

    ck_assert(writes(CLSM_F16, 1, "ab"));
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000});
    refused(writes(CLSM_F16, sizeof data / 2, data),
            "cannot be written: File too large");
    ck_assert(reads(false));
    holds(1, (size_t[]){1}, "ab", 2);
    ck_assert_int_eq(entries(false), 1);
}
END_TEST

START_TEST(an_impossible_target_is_told) {
    ck_assert_int_eq(mkdir(file, 0777), 0);
    refused(writes(CLSM_F16, 1, "ab"), "Is a directory");
    rmdir(file);
    strcat(file, "/b.npy");
    refused(writes(CLSM_F16, 1, "ab"), "cannot be written: No such file");
    ck_assert_int_eq(entries(false), 0);
}
END_TEST

START_TEST(an_array_at_odds_with_itself_is_refused) {
    static const struct npy odd[] = {
        {0, {0}, 1, CLSM_F32, "abcd"},
        {9, {0}, 0, CLSM_F32, "abcd"},
        {1, {2}, 1, CLSM_F32, "abcd"},
        {1, {1}, 1, (clsm_type)4, "abcd"},
        {2, {SIZE_MAX, 2}, SIZE_MAX - 1, CLSM_F32, "abcd"},
    };

    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        refused(npy_write(file, odd + i, error, sizeof error), "do not fit together");
    ck_assert_int_eq(entries(false), 0);
}
END_TEST

START_TEST(a_device_is_written_directly) {
    strcpy(file, "/dev/null");
    ck_assert_msg(writes(CLSM_F32, 1, "abcd"), "%s", error);
    strcpy(file, "/dev/full");
    if (access(file, W_OK) == 0)
        refused(writes(CLSM_F32, 1, "abcd"), "No space left");
}
END_TEST

/** Longer than what a pipe holds, so that reads come in pieces. */
START_TEST(a_fifo_carries_an_array) {
    static char data[200002];
    const size_t n = sizeof data / 2;
    int status;
    pid_t child;

    memset(data, 'x', sizeof data);
    ck_assert_int_eq(mkfifo(file, 0666), 0);
    child = fork();
    if (child == 0)
        _exit(!writes(CLSM_F16, n, data));
    ck_assert_msg(reads(false), "%s", error);
    holds(1, &n, data, sizeof data);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(entries(false), 1);
}
END_TEST

Suite *npy_suite(void) {
    Suite *suite = suite_create("npy");
    TCase *c = tcase_create("npy");

    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_add_loop_test(c, either_byte_order_becomes_the_hosts, 0,
                        sizeof one_element / sizeof *one_element);
    tcase_add_loop_test(c, what_is_written_is_read_back, 0, 4);
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
    tcase_add_test(c, other_dtypes_are_refused_by_name);
    tcase_add_test(c, what_is_no_npy_file_is_refused);
    tcase_add_test(c, a_short_error_buffer_is_not_overrun);
    tcase_add_test(c, labels_of_any_integer_dtype_are_widened);
    tcase_add_test(c, no_labels_are_labels_too);
    tcase_add_test(c, what_are_no_labels_is_refused);
    tcase_add_test(c, the_header_is_numpys_padded_to_64_bytes);
    tcase_add_test(c, an_empty_array_is_written);
    tcase_add_test(c, a_new_file_follows_the_umask_and_an_old_one_keeps_its_mode);
    tcase_add_test(c, a_symbolic_link_stays_and_its_file_is_replaced);
    tcase_add_test(c, a_failed_write_leaves_the_old_file_and_no_other);
    tcase_add_test(c, an_impossible_target_is_told);
    tcase_add_test(c, an_array_at_odds_with_itself_is_refused);
    tcase_add_test(c, a_device_is_written_directly);
    tcase_add_test(c, a_fifo_carries_an_array);
    suite_add_tcase(suite, c);
    return suite;
}
