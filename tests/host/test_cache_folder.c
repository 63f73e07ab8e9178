/* SPDX-License-Identifier: MIT */
/* Facts about the disk cache's folder: where it is, which one is trusted, and what its
 * size limit removes. */
#define _XOPEN_SOURCE 700 /* strdup() */

#include "cache_folder.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A binary of most of a MiB, so that CLSM_CACHE_MIB=2 holds two and not three. */
static char large[900000];

static unsigned mode_of(const char *path)
{
    struct stat s;
    ck_assert_int_eq(lstat(path, &s), 0);
    return s.st_mode & 0777;
}

START_TEST(the_folder_is_made_for_us_alone)
{
    mode_t before = umask(0);
    ck_assert_int_eq(rmdir(cache_folder), 0);
    ck_assert(cache_reopen());
    umask(before);
    ck_assert_uint_eq(mode_of(cache_folder), 0700);
}
END_TEST

START_TEST(its_parents_are_made_for_us_alone)
{
    char parent[96], deep[160];
    snprintf(parent, sizeof parent, "%s/a", cache_base);
    snprintf(deep, sizeof deep, "%s/b//c/", parent);
    setenv("CLSM_CACHE_DIR", deep, 1);
    ck_assert(cache_reopen());
    ck_assert_uint_eq(mode_of(parent), 0700);
    ck_assert_uint_eq(mode_of(deep), 0700);
}
END_TEST

START_TEST(xdg_cache_home_and_home_come_after_our_own_variable)
{
    char *home = getenv("HOME"), *xdg = getenv("XDG_CACHE_HOME"), path[160];
    char *old_home = home ? strdup(home) : NULL, *old_xdg = xdg ? strdup(xdg) : NULL;
    setenv("HOME", cache_base, 1);
    setenv("XDG_CACHE_HOME", cache_base, 1);
    unsetenv("CLSM_CACHE_DIR");
    bool by_xdg = cache_reopen();
    setenv("XDG_CACHE_HOME", "relative/is/ignored", 1);
    bool by_home = cache_reopen();
    old_home ? setenv("HOME", old_home, 1) : unsetenv("HOME");
    old_xdg ? setenv("XDG_CACHE_HOME", old_xdg, 1) : unsetenv("XDG_CACHE_HOME");
    free(old_home);
    free(old_xdg);
    ck_assert(by_xdg && by_home);
    snprintf(path, sizeof path, "%s/clsoftmax", cache_base);
    ck_assert_uint_eq(mode_of(path), 0700);
    snprintf(path, sizeof path, "%s/.cache/clsoftmax", cache_base);
    ck_assert_uint_eq(mode_of(path), 0700);
}
END_TEST

START_TEST(it_can_be_turned_off)
{
    cache_put("key", "binary", 6);
    setenv("CLSM_CACHE", "off", 1);
    ck_assert(!cache_reopen());
    cache_put("other", "binary", 6);
    ck_assert(!cache_has("key", "binary", 6));
    ck_assert_uint_eq(cache_entries(), 1);
    unsetenv("CLSM_CACHE");
    ck_assert(cache_reopen());
    ck_assert(cache_has("key", "binary", 6));
}
END_TEST

START_TEST(a_folder_that_others_may_enter_is_not_used)
{
    static const mode_t modes[] = {0755, 0750, 0710, 0701, 0702, 0720, 0777};
    cache_put("key", "binary", 6);
    for (size_t i = 0; i < COUNT(modes); i++) {
        ck_assert_int_eq(chmod(cache_folder, modes[i]), 0);
        ck_assert(!cache_reopen());
        ck_assert(!cache_has("key", "binary", 6));
        cache_put("other", "binary", 6);
    }
    ck_assert_int_eq(chmod(cache_folder, 0700), 0);
    ck_assert(cache_reopen());
    ck_assert_uint_eq(cache_entries(), 1);
}
END_TEST

START_TEST(a_link_in_the_place_of_the_folder_is_not_followed)
{
    char aside[96];
    snprintf(aside, sizeof aside, "%s/aside", cache_base);
    ck_assert_int_eq(rename(cache_folder, aside), 0);
    ck_assert_int_eq(symlink(aside, cache_folder), 0);
    ck_assert(!cache_reopen());
    cache_put("key", "binary", 6);
    ck_assert_uint_eq(cache_entries(), 0);
    const char *const ends[] = {"/", "/.", "//./"};
    for (size_t i = 0; i < COUNT(ends); i++) { /* behind which a link is no link */
        char path[120];
        snprintf(path, sizeof path, "%s%s", cache_folder, ends[i]);
        setenv("CLSM_CACHE_DIR", path, 1);
        ck_assert(!cache_reopen());
    }
}
END_TEST

START_TEST(a_place_that_cannot_be_written_is_no_error)
{
    static const char *const places[] = {"/dev/null", "/dev/null/below",
                                         "/proc/self/below"};
    for (size_t i = 0; i < COUNT(places); i++) {
        setenv("CLSM_CACHE_DIR", places[i], 1);
        ck_assert(!cache_reopen());
        cache_put("key", "binary", 6);
        ck_assert(!cache_has("key", "binary", 6));
    }
    setenv("CLSM_CACHE_DIR", cache_folder, 1);
    ck_assert_int_eq(chmod(cache_folder, 0500), 0);
    cache_reopen();
    cache_put("key", "binary", 6); /* root may */
    ck_assert(cache_has("key", "binary", 6) == (geteuid() == 0));
    ck_assert_int_eq(chmod(cache_folder, 0700), 0);
}
END_TEST

START_TEST(a_folder_that_vanishes_is_no_error)
{
    ck_assert_int_eq(rmdir(cache_folder), 0);
    cache_put("key", "binary", 6);
    ck_assert(!cache_has("key", "binary", 6));
}
END_TEST

static void put_aged(const char *key, int seconds)
{
    cache_put(key, large, sizeof large);
    cache_age(seconds);
}

START_TEST(the_size_limit_removes_the_oldest_first)
{
    setenv("CLSM_CACHE_MIB", "2", 1);
    ck_assert(cache_reopen());
    put_aged("old", 200);
    put_aged("older", 300);
    cache_put("new", large, sizeof large);
    ck_assert(cache_has("new", large, sizeof large));
    ck_assert(cache_has("old", large, sizeof large));
    ck_assert(!cache_has("older", large, sizeof large));
}
END_TEST

/* 5000 entries of a KiB, of which 2 MiB hold 2047 and a new one. */
START_TEST(the_size_limit_holds_for_any_number_of_entries)
{
    char path[160];
    setenv("CLSM_CACHE_MIB", "2", 1);
    ck_assert(cache_reopen());
    for (unsigned i = 0; i < 5000; i++) {
        snprintf(path, sizeof path, "%s/%032x.bin", cache_folder, i);
        FILE *file = fopen(path, "w");
        ck_assert_ptr_nonnull(file);
        ck_assert_uint_eq(fwrite(large, 1, 1024, file), 1024);
        fclose(file);
    }
    cache_age(200);
    cache_put("new", "binary", 6);
    ck_assert(cache_has("new", "binary", 6));
    ck_assert_uint_eq(cache_entries(), 2048);
}
END_TEST

START_TEST(a_loaded_entry_counts_as_young)
{
    setenv("CLSM_CACHE_MIB", "2", 1);
    ck_assert(cache_reopen());
    put_aged("old", 200);
    put_aged("older", 300);
    ck_assert(cache_has("older", large, sizeof large));
    cache_put("new", large, sizeof large);
    ck_assert(cache_has("older", large, sizeof large));
    ck_assert(!cache_has("old", large, sizeof large));
}
END_TEST

START_TEST(a_limit_of_0_keeps_nothing)
{
    setenv("CLSM_CACHE_MIB", "0", 1);
    ck_assert(cache_reopen());
    cache_put("key", "binary", 6);
    ck_assert(!cache_has("key", "binary", 6));
    ck_assert_uint_eq(cache_entries(), 0);
}
END_TEST

START_TEST(a_limit_beyond_64_bits_of_bytes_is_none)
{
    setenv("CLSM_CACHE_MIB", "17592186044416", 1); /* 2^44 */
    ck_assert(cache_reopen());
    cache_put("key", "binary", 6);
    ck_assert(cache_has("key", "binary", 6));
}
END_TEST

static void put_file(const char *path)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(large, 1, sizeof large, file), sizeof large);
    fclose(file);
}

/* The folder may be one that the user keeps other things in. */
START_TEST(files_of_others_are_never_removed)
{
    static const char *const names[] = {"model.bin", "notes.txt", "a.bin.backup",
                                        "0123456789abcdef.bin"};
    char path[160];
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof path, "%s/%s", cache_folder, names[i]);
        put_file(path);
    }
    cache_age(900);
    setenv("CLSM_CACHE_MIB", "1", 1);
    ck_assert(cache_reopen());
    cache_put("key", large, sizeof large);
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof path, "%s/%s", cache_folder, names[i]);
        ck_assert_msg(access(path, F_OK) == 0, "%s is gone", names[i]);
    }
}
END_TEST

START_TEST(what_a_crashed_process_left_is_removed_with_age)
{
    char path[160];
    snprintf(path, sizeof path, "%s/01234567.bin.4711.99", cache_folder);
    put_file(path);
    cache_age(900);
    put_aged("old", 200);
    setenv("CLSM_CACHE_MIB", "2", 1);
    ck_assert(cache_reopen());
    cache_put("new", large, sizeof large);
    ck_assert(access(path, F_OK) != 0);
    ck_assert(cache_has("old", large, sizeof large));
}
END_TEST

Suite *cache_folder_suite(void)
{
    Suite *suite = suite_create("cache_folder");
    TCase *c = tcase_create("cache_folder");
    tcase_add_checked_fixture(c, cache_set_up, cache_tear_down);
    tcase_add_test(c, the_folder_is_made_for_us_alone);
    tcase_add_test(c, its_parents_are_made_for_us_alone);
    tcase_add_test(c, xdg_cache_home_and_home_come_after_our_own_variable);
    tcase_add_test(c, it_can_be_turned_off);
    tcase_add_test(c, a_folder_that_others_may_enter_is_not_used);
    tcase_add_test(c, a_link_in_the_place_of_the_folder_is_not_followed);
    tcase_add_test(c, a_place_that_cannot_be_written_is_no_error);
    tcase_add_test(c, a_folder_that_vanishes_is_no_error);
    tcase_add_test(c, the_size_limit_removes_the_oldest_first);
    tcase_add_test(c, the_size_limit_holds_for_any_number_of_entries);
    tcase_add_test(c, a_loaded_entry_counts_as_young);
    tcase_add_test(c, a_limit_of_0_keeps_nothing);
    tcase_add_test(c, a_limit_beyond_64_bits_of_bytes_is_none);
    tcase_add_test(c, files_of_others_are_never_removed);
    tcase_add_test(c, what_a_crashed_process_left_is_removed_with_age);
    suite_add_tcase(suite, c);
    return suite;
}
