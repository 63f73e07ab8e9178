/* SPDX-License-Identifier: MIT */
/* Facts about files that are written beside their targets, where that is no plain way.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp() */
#define _DEFAULT_SOURCE   /* seteuid() */

#include "../../tools/staged.h"
#include "suites.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], file[400];

static void set_up(void)
{
    strcpy(folder, "/tmp/clsm_staged_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/a", folder);
}

static unsigned clear(void)
{
    DIR *dir = opendir(folder);
    unsigned n = 0;
    for (struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.') {
            n++;
            unlinkat(dirfd(dir), e->d_name, 0);
        }
    closedir(dir);
    return n;
}

static void tear_down(void)
{
    chmod(folder, 0700);
    clear();
    rmdir(folder);
}

static bool put_text(int fd, const void *what)
{
    return staged_put(fd, what, strlen(what));
}

static bool writes(const char *text)
{
    struct staged s;
    return staged_begin(file, put_text, text, &s) && staged_commit(&s);
}

static bool holds(const char *text)
{
    char got[16] = "";
    FILE *f = fopen(file, "r");
    size_t n = f ? fread(got, 1, sizeof got - 1, f) : 0;
    if (f)
        fclose(f);
    return n == strlen(text) && strcmp(got, text) == 0;
}

static bool put_a_half(int fd, const void *what)
{
    return staged_put(fd, "ha", 2) && raise(*(const int *)what) == 0;
}

static const int endings[] = {SIGINT, SIGTERM, SIGHUP};

START_TEST(a_signal_that_ends_the_process_leaves_the_old_file_and_no_other)
{
    int status = 0;
    signal(endings[_i], SIG_DFL); /* whatever ran this test */
    ck_assert(writes("old"));
    pid_t child = fork();
    if (!child) {
        struct staged s;
        staged_begin(file, put_a_half, &endings[_i], &s);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == endings[_i]);
    ck_assert(holds("old"));
    ck_assert_uint_eq(clear(), 1);
}
END_TEST

START_TEST(a_signal_that_is_ignored_stays_ignored)
{
    int status = 1;
    pid_t child = fork();
    if (!child) {
        struct staged s;
        signal(SIGHUP, SIG_IGN);
        bool good = staged_begin(file, put_a_half, &(int){SIGHUP}, &s);
        _exit(!(good && staged_commit(&s)));
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert(holds("ha"));
}
END_TEST

/* By a user who is not root, for whom permissions count. */
static bool writes_as_user(const char *text)
{
    int status = 1;
    if (geteuid() == 0)
        ck_assert(chown(folder, 65534, 65534) == 0);
    pid_t child = fork();
    if (!child)
        _exit(geteuid() == 0 && seteuid(65534) != 0 ? 2 : !writes(text));
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) < 2);
    return WEXITSTATUS(status) == 0;
}

START_TEST(a_file_that_must_not_be_written_stays)
{
    ck_assert(writes("old"));
    chmod(file, 0444);
    ck_assert(!writes_as_user("new"));
    ck_assert(holds("old"));
    ck_assert_uint_eq(clear(), 1);
}
END_TEST

START_TEST(a_file_without_room_beside_it_is_written)
{
    ck_assert(writes("old"));
    chmod(file, 0666);
    chmod(folder, 0555);
    ck_assert(writes_as_user("new"));
    ck_assert(holds("new"));
    strcat(file, "b");
    ck_assert(!writes_as_user("new"));
}
END_TEST

START_TEST(the_longest_name_is_written)
{
    size_t length = strlen(folder) + 1;
    memset(file + length, 'n', NAME_MAX);
    file[length + NAME_MAX] = 0;
    ck_assert(writes("new"));
    ck_assert(holds("new"));
    ck_assert(writes("newer"));
    ck_assert(holds("newer"));
    ck_assert_uint_eq(clear(), 1);
}
END_TEST

START_TEST(paths_to_one_file_are_one)
{
    char other[sizeof file + 16], link[sizeof file + 16];
    snprintf(other, sizeof other, "%s/./a", folder);
    snprintf(link, sizeof link, "%s.link", file);
    ck_assert(staged_are_one(file, other)); /* not there yet */
    ck_assert(!staged_are_one(file, link));
    ck_assert(writes("old"));
    ck_assert(staged_are_one(file, other));
    ck_assert(!staged_are_one(file, link));
    ck_assert_int_eq(symlink("a", link), 0);
    ck_assert(staged_are_one(file, link));
    ck_assert(!staged_are_one("/dev/null", "/dev/null"));
}
END_TEST

Suite *staged_suite(void)
{
    Suite *suite = suite_create("staged");
    TCase *c = tcase_create("staged");
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_add_loop_test(c,
                        a_signal_that_ends_the_process_leaves_the_old_file_and_no_other,
                        0, COUNT(endings));
    tcase_add_test(c, a_signal_that_is_ignored_stays_ignored);
    tcase_add_test(c, a_file_that_must_not_be_written_stays);
    tcase_add_test(c, a_file_without_room_beside_it_is_written);
    tcase_add_test(c, the_longest_name_is_written);
    tcase_add_test(c, paths_to_one_file_are_one);
    suite_add_tcase(suite, c);
    return suite;
}
