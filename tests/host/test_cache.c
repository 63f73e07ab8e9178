/* SPDX-License-Identifier: MIT */
/* Facts about an entry of the disk cache: what is stored is loaded under exactly its
 * key, and an entry that is damaged in any way is as if it were not there. */
#include "cache_folder.h"
#include "suites.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* An entry's bytes, changed in memory and written over it. */
static unsigned char bytes[4096];
static size_t length;

static void read_entry(void)
{
    int file = open(cache_entry(), O_RDONLY);
    ssize_t n = read(file, bytes, sizeof bytes);
    close(file);
    ck_assert(n > 0 && (size_t)n < sizeof bytes);
    length = (size_t)n;
}

static void write_entry(const char *path, size_t n)
{
    int file = open(path, O_WRONLY | O_TRUNC);
    bool whole = write(file, bytes, n) == (ssize_t)n;
    close(file);
    EXPECT(whole, "cannot write %s", path);
}

START_TEST(what_is_stored_is_loaded)
{
    const unsigned char binary[] = {0, 1, 2, 0xff, 0};
    ck_assert(!cache_has("key", binary, sizeof binary));
    cache_put("key", binary, sizeof binary);
    ck_assert(cache_has("key", binary, sizeof binary));
    ck_assert(cache_reopen());
    ck_assert(cache_has("key", binary, sizeof binary));
    ck_assert_uint_eq(cache_entries(), 1);
}
END_TEST

START_TEST(storing_again_replaces)
{
    cache_put("key", "first", 5);
    cache_put("key", "second", 6);
    ck_assert(cache_has("key", "second", 6));
    ck_assert_uint_eq(cache_entries(), 1);
}
END_TEST

START_TEST(a_large_binary_comes_back_whole)
{
    size_t large = 3u << 20;
    unsigned char *binary = malloc(large);
    for (size_t i = 0; i < large; i++)
        binary[i] = (unsigned char)(i * 2654435761u >> 13);
    cache_put("large", binary, large);
    ck_assert(cache_has("large", binary, large));
    free(binary);
}
END_TEST

START_TEST(another_key_misses)
{
    cache_put("key one", "binary", 6);
    static const char *const others[] = {"key two", "key on", "key one ", "",
                                         "KEY ONE"};
    for (size_t i = 0; i < COUNT(others); i++)
        ck_assert(!cache_has(others[i], "binary", 6));
    ck_assert(cache_has("key one", "binary", 6));
}
END_TEST

/* As if two keys had one hash: the entry of the one under the other's name. */
START_TEST(an_entry_under_a_wrong_name_is_not_taken)
{
    char mine[400];
    cache_put("key one", "first!", 6);
    snprintf(mine, sizeof mine, "%s", cache_entry());
    read_entry();
    ck_assert_int_eq(remove(mine), 0);
    cache_put("key two", "second", 6);
    write_entry(cache_entry(), length);
    ck_assert(!cache_has("key two", "second", 6));
    cache_put("key two", "second", 6);
    ck_assert(cache_has("key two", "second", 6));
}
END_TEST

START_TEST(one_flipped_byte_anywhere_is_a_miss)
{
    cache_put("a key", "and a binary", 12);
    read_entry();
    for (size_t i = 0; i < length; i++)
        for (int bit = 0; bit < 9; bit++) {
            unsigned char flip = bit < 8 ? (unsigned char)(1 << bit) : 0xff;
            bytes[i] ^= flip;
            write_entry(cache_entry(), length);
            bytes[i] ^= flip;
            EXPECT(!cache_has("a key", "and a binary", 12), "byte %zu ^ %d", i, flip);
        }
    write_entry(cache_entry(), length);
    ck_assert(cache_has("a key", "and a binary", 12));
}
END_TEST

START_TEST(a_truncated_or_longer_entry_is_a_miss)
{
    cache_put("a key", "and a binary", 12);
    read_entry();
    for (size_t n = 0; n < length; n++) {
        write_entry(cache_entry(), n);
        EXPECT(!cache_has("a key", "and a binary", 12), "cut to %zu bytes", n);
    }
    for (size_t more = 1; more < 300; more++) {
        write_entry(cache_entry(), length + more);
        EXPECT(!cache_has("a key", "and a binary", 12), "%zu bytes more", more);
    }
    cache_put("a key", "and a binary", 12);
    ck_assert(cache_has("a key", "and a binary", 12));
}
END_TEST

START_TEST(a_link_a_pipe_or_a_folder_in_the_place_of_an_entry_is_a_miss)
{
    char path[400], aside[120];
    cache_put("a key", "and a binary", 12);
    snprintf(path, sizeof path, "%s", cache_entry());
    snprintf(aside, sizeof aside, "%s/aside", cache_base);
    ck_assert_int_eq(rename(path, aside), 0);
    ck_assert_int_eq(symlink(aside, path), 0);
    ck_assert(!cache_has("a key", "and a binary", 12));
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert(!cache_has("a key", "and a binary", 12));
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert(!cache_has("a key", "and a binary", 12));
    cache_put("a key", "and a binary", 12); /* cannot, and does not mind */
    ck_assert_uint_eq(cache_entries(), 1);
}
END_TEST

START_TEST(entries_are_for_us_alone)
{
    struct stat s;
    mode_t before = umask(0);
    cache_put("a key", "and a binary", 12);
    umask(before);
    ck_assert_int_eq(stat(cache_entry(), &s), 0);
    ck_assert_uint_eq(s.st_mode & 0777, 0600);
}
END_TEST

/* Each writer stores binaries of one repeated letter, many times. */
static void *store_many(void *letter)
{
    char binary[2000];
    memset(binary, *(const char *)letter, sizeof binary);
    for (int i = 0; i < 200; i++)
        cache_put("shared key", binary, sizeof binary);
    return NULL;
}

static bool whole_entry(void)
{
    size_t n;
    char *binary = clsm_cache_load(&cache, "shared key", 10, &n);
    bool whole = binary && n == 2000;
    for (size_t i = 0; whole && i < n; i++)
        whole = binary[i] == binary[0];
    free(binary);
    return whole;
}

START_TEST(two_threads_storing_at_once_leave_a_whole_entry)
{
    char letters[] = "ab";
    pthread_t threads[2];
    store_many("c");
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, store_many, letters + i), 0);
    bool whole = true;
    for (int i = 0; i < 200; i++)
        whole = whole_entry() && whole;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    ck_assert(whole && whole_entry());
    ck_assert_uint_eq(cache_entries(), 1);
}
END_TEST

START_TEST(two_processes_storing_at_once_leave_a_whole_entry)
{
    int status;
    store_many("c");
    pid_t child = fork();
    if (child == 0) {
        store_many("d");
        _exit(0);
    }
    bool whole = true;
    for (int i = 0; i < 100; i++) {
        store_many("e");
        whole = whole_entry() && whole;
        if (waitpid(child, &status, WNOHANG) == child)
            break;
        if (i == 99)
            waitpid(child, &status, 0);
    }
    ck_assert(whole && whole_entry());
    ck_assert_int_eq(status, 0);
    ck_assert_uint_eq(cache_entries(), 1);
}
END_TEST

Suite *cache_suite(void)
{
    Suite *suite = suite_create("cache");
    TCase *c = tcase_create("cache");
    tcase_add_checked_fixture(c, cache_set_up, cache_tear_down);
    tcase_add_test(c, what_is_stored_is_loaded);
    tcase_add_test(c, storing_again_replaces);
    tcase_add_test(c, a_large_binary_comes_back_whole);
    tcase_add_test(c, another_key_misses);
    tcase_add_test(c, an_entry_under_a_wrong_name_is_not_taken);
    tcase_add_test(c, one_flipped_byte_anywhere_is_a_miss);
    tcase_add_test(c, a_truncated_or_longer_entry_is_a_miss);
    tcase_add_test(c, a_link_a_pipe_or_a_folder_in_the_place_of_an_entry_is_a_miss);
    tcase_add_test(c, entries_are_for_us_alone);
    tcase_add_test(c, two_threads_storing_at_once_leave_a_whole_entry);
    tcase_add_test(c, two_processes_storing_at_once_leave_a_whole_entry);
    suite_add_tcase(suite, c);
    return suite;
}
