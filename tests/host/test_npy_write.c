/* SPDX-License-Identifier: MIT */
/* Facts about reading labels and about writing .npy files: whole or not at all, and
 * over whatever was there before. */
#define _XOPEN_SOURCE 700 /* mkdtemp() */

#include "npy_fixture.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static bool write_array(const char *path, const struct npy *a)
{
    struct staged staged;
    return npy_stage(path, a, &staged, error, sizeof error) &&
           npy_commit(&staged, error, sizeof error);
}

static bool writes(int type, size_t n, const void *data)
{
    const struct npy out = {1, {n}, n, type, (void *)data};

    return write_array(file, &out);
}

START_TEST(labels_of_any_integer_dtype_are_widened)
{
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

START_TEST(no_labels_are_labels_too)
{
    int64_t *labels;
    size_t n;

    put(1, DICT("<i8", "False", "(0,)"), "", 0);
    ck_assert(npy_read_labels(file, &labels, &n, error, sizeof error));
    ck_assert_uint_eq(n, 0);
    ck_assert_ptr_nonnull(labels);
    free(labels);
}
END_TEST

START_TEST(what_are_no_labels_is_refused)
{
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

START_TEST(what_is_written_is_read_back)
{
    static const clsm_type types[] = {CLSM_F32, CLSM_F16, CLSM_BF16, CLSM_F64};
    const struct npy out = {3, {1, 2, 1}, 2, types[_i], "0123456789abcde"};

    ck_assert_msg(write_array(file, &out), "%s", error);
    ck_assert_msg(reads(out.type == CLSM_BF16), "%s", error);
    ck_assert_int_eq(a.type, out.type);
    holds(3, out.shape, out.data, (size_t[]){8, 4, 4, 16}[_i]);
    ck_assert_int_eq(entries(false), 1);
}
END_TEST

START_TEST(integers_are_written_as_such)
{
    static const struct {
        int type;
        size_t bytes;
        const char *descr; /* without the byte order of more than one byte */
    } rows[] = {{NPY_U8, 1, "'|u1'"},
                {NPY_BOOL, 1, "'|b1'"},
                {NPY_I32, 4, "i4'"},
                {NPY_I64, 8, "i8'"},
                {NPY_U32, 4, "u4'"}};
    char bytes[200] = "";
    FILE *in;

    ck_assert_uint_eq(npy_type_bytes(rows[_i].type), rows[_i].bytes);
    ck_assert_msg(writes(rows[_i].type, 1, "01234567"), "%s", error);
    in = fopen(file, "rb");
    ck_assert_uint_eq(fread(bytes, 1, sizeof bytes, in), 128 + rows[_i].bytes);
    fclose(in);
    ck_assert_ptr_nonnull(strstr(bytes + 10, rows[_i].descr));
    ck_assert_mem_eq(bytes + 128, "01234567", rows[_i].bytes);
}
END_TEST

START_TEST(the_header_is_numpys_padded_to_64_bytes)
{
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

START_TEST(an_empty_array_is_written)
{
    ck_assert(writes(CLSM_F64, 0, NULL));
    ck_assert_msg(reads(false), "%s", error);
    holds(1, (size_t[]){0}, "", 0);
}
END_TEST

static unsigned mode_of(const char *path)
{
    struct stat st;

    ck_assert_int_eq(lstat(path, &st), 0);
    return (unsigned)st.st_mode & 0777;
}

START_TEST(a_new_file_follows_the_umask_and_an_old_one_keeps_its_mode)
{
    const mode_t before = umask(027);
    bool wrote = writes(CLSM_F16, 1, "ab");
    const mode_t after = umask(before);
    ck_assert(wrote);
    ck_assert_uint_eq(mode_of(file), 0640);
    ck_assert_uint_eq(after, 027);
    chmod(file, 0604);
    ck_assert(writes(CLSM_F16, 1, "ab"));
    ck_assert_uint_eq(mode_of(file), 0604);
}
END_TEST

/* Writes by way of a link, which stays. */
static void write_linked(void)
{
    const struct npy out = {1, {1}, 1, CLSM_F16, "cd"};
    char link[sizeof file + 8];

    snprintf(link, sizeof link, "%s.link", file);
    ck_assert_int_eq(symlink("a.npy", link), 0);
    ck_assert(write_array(link, &out));
    ck_assert(reads(false));
    holds(1, out.shape, "cd", 2);
    ck_assert_int_eq(entries(false), 2);
}

START_TEST(a_symbolic_link_stays_and_its_file_is_replaced)
{
    ck_assert(writes(CLSM_F16, 1, "ab"));
    write_linked();
}
END_TEST

START_TEST(a_link_that_leads_nowhere_stays_and_leads_to_the_file)
{
    write_linked();
}
END_TEST

START_TEST(another_s_unfinished_file_stays_and_another_name_is_found)
{
    char other[sizeof file + 32];

    snprintf(other, sizeof other, "%s.%ld-0", file, (long)getpid());
    FILE *f = fopen(other, "w");
    ck_assert_ptr_nonnull(f);
    fclose(f);
    ck_assert(writes(CLSM_F16, 1, "ab"));
    ck_assert_int_eq(entries(false), 2);
}
END_TEST

START_TEST(a_failed_write_leaves_the_old_file_and_no_other)
{
    static const char data[4096];

    ck_assert(writes(CLSM_F16, 1, "ab"));
    struct rlimit before;
    void (*on_excess)(int) = signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, before.rlim_max});
    bool wrote = writes(CLSM_F16, sizeof data / 2, data);
    setrlimit(RLIMIT_FSIZE, &before); /* this process goes on to other tests */
    signal(SIGXFSZ, on_excess);
    refused(wrote, "cannot be written: File too large");
    ck_assert(reads(false));
    holds(1, (size_t[]){1}, "ab", 2);
    ck_assert_int_eq(entries(false), 1);
}
END_TEST

START_TEST(a_staged_array_appears_when_committed)
{
    const struct npy out = {1, {1}, 1, CLSM_F16, "cd"};
    struct staged staged;

    ck_assert(writes(CLSM_F16, 1, "ab"));
    ck_assert(npy_stage(file, &out, &staged, error, sizeof error));
    ck_assert_int_eq(entries(false), 2);
    staged_discard(&staged);
    ck_assert_int_eq(entries(false), 1);
    ck_assert(reads(false));
    holds(1, out.shape, "ab", 2);
    ck_assert(npy_stage(file, &out, &staged, error, sizeof error));
    ck_assert(npy_commit(&staged, error, sizeof error));
    ck_assert_int_eq(entries(false), 1);
    ck_assert(reads(false));
    holds(1, out.shape, "cd", 2);
}
END_TEST

START_TEST(an_impossible_target_is_told)
{
    ck_assert_int_eq(mkdir(file, 0777), 0);
    refused(writes(CLSM_F16, 1, "ab"), "Is a directory");
    rmdir(file);
    strcat(file, "/b.npy");
    refused(writes(CLSM_F16, 1, "ab"), "cannot be written: No such file");
    ck_assert_int_eq(entries(false), 0);
}
END_TEST

START_TEST(an_array_at_odds_with_itself_is_refused)
{
    static const struct npy odd[] = {
        {0, {0}, 1, CLSM_F32, "abcd"},
        {9, {0}, 0, CLSM_F32, "abcd"},
        {1, {2}, 1, CLSM_F32, "abcd"},
        {1, {1}, 1, 4, "abcd"},
        {2, {SIZE_MAX, 2}, SIZE_MAX - 1, CLSM_F32, "abcd"},
    };

    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        refused(write_array(file, odd + i), "do not fit together");
    ck_assert_int_eq(entries(false), 0);
}
END_TEST

START_TEST(a_device_is_written_directly)
{
    strcpy(file, "/dev/null");
    ck_assert_msg(writes(CLSM_F32, 1, "abcd"), "%s", error);
    strcpy(file, "/dev/full");
    if (access(file, W_OK) == 0)
        refused(writes(CLSM_F32, 1, "abcd"), "No space left");
}
END_TEST

/** Longer than what a pipe holds, so that reads come in pieces. */
START_TEST(a_fifo_carries_an_array)
{
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

Suite *npy_write_suite(void)
{
    Suite *suite = suite_create("npy_write");
    TCase *c = tcase_create("npy_write");
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_add_test(c, labels_of_any_integer_dtype_are_widened);
    tcase_add_test(c, no_labels_are_labels_too);
    tcase_add_test(c, what_are_no_labels_is_refused);
    tcase_add_loop_test(c, what_is_written_is_read_back, 0, 4);
    tcase_add_loop_test(c, integers_are_written_as_such, 0, 5);
    tcase_add_test(c, the_header_is_numpys_padded_to_64_bytes);
    tcase_add_test(c, an_empty_array_is_written);
    tcase_add_test(c, a_new_file_follows_the_umask_and_an_old_one_keeps_its_mode);
    tcase_add_test(c, a_symbolic_link_stays_and_its_file_is_replaced);
    tcase_add_test(c, a_link_that_leads_nowhere_stays_and_leads_to_the_file);
    tcase_add_test(c, another_s_unfinished_file_stays_and_another_name_is_found);
    tcase_add_test(c, a_failed_write_leaves_the_old_file_and_no_other);
    tcase_add_test(c, a_staged_array_appears_when_committed);
    tcase_add_test(c, an_impossible_target_is_told);
    tcase_add_test(c, an_array_at_odds_with_itself_is_refused);
    tcase_add_test(c, a_device_is_written_directly);
    tcase_add_test(c, a_fifo_carries_an_array);
    suite_add_tcase(suite, c);
    return suite;
}
