/* SPDX-License-Identifier: MIT */
/* A temporary folder for the cache suites. */
#define _XOPEN_SOURCE 700 /* nftw(), mkdtemp(), utimensat() */

#include "cache_folder.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

char cache_base[64], cache_folder[96];
struct cache cache = {.folder = -1};

static int remove_one(const char *path, const struct stat *s, int kind,
                      struct FTW *where)
{
    (void)s, (void)kind, (void)where;
    return remove(path);
}

void cache_set_up(void)
{
    strcpy(cache_base, "/tmp/clsm_cache_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(cache_base));
    snprintf(cache_folder, sizeof cache_folder, "%s/cache", cache_base);
    setenv("CLSM_CACHE_DIR", cache_folder, 1);
    unsetenv("CLSM_CACHE");
    unsetenv("CLSM_CACHE_MIB");
    cache.folder = -1;
    clsm_cache_open(&cache);
}

void cache_tear_down(void)
{
    clsm_cache_close(&cache);
    unsetenv("CLSM_CACHE_DIR");
    unsetenv("CLSM_CACHE_MIB");
    setenv("CLSM_CACHE", "off", 1);
    nftw(cache_base, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

bool cache_reopen(void)
{
    clsm_cache_close(&cache);
    clsm_cache_open(&cache);
    return cache.folder >= 0;
}

/* The next entry's path; NULL past the last. */
static const char *next_path(DIR *dir)
{
    static char path[400];
    for (struct dirent *d; dir && (d = readdir(dir));)
        if (d->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", cache_folder, d->d_name);
            return path;
        }
    if (dir)
        closedir(dir);
    return NULL;
}

unsigned cache_entries(void)
{
    DIR *dir = opendir(cache_folder);
    unsigned n = 0;
    while (next_path(dir))
        n++;
    return n;
}

const char *cache_entry(void)
{
    ck_assert_uint_eq(cache_entries(), 1);
    DIR *dir = opendir(cache_folder);
    const char *path = next_path(dir);
    closedir(dir);
    return path;
}

void cache_age(int seconds)
{
    const time_t now = time(NULL);
    const struct timespec then[2] = {{now - seconds, 0}, {now - seconds, 0}};
    DIR *dir = opendir(cache_folder);
    struct stat s;
    for (const char *path; (path = next_path(dir));)
        if (lstat(path, &s) == 0 && s.st_mtime > now - 60)
            utimensat(AT_FDCWD, path, then, 0);
}

void cache_put(const char *key, const void *binary, size_t bytes)
{
    clsm_cache_store(&cache, key, strlen(key), binary, bytes);
}

bool cache_has(const char *key, const void *binary, size_t bytes)
{
    size_t found = 0;
    void *loaded = clsm_cache_load(&cache, key, strlen(key), &found);
    bool same = loaded && found == bytes && memcmp(loaded, binary, bytes) == 0;
    if (loaded && !same)
        ck_abort_msg("key %s loads another binary", key);
    free(loaded);
    return same;
}
