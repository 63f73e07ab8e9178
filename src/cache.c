/* SPDX-License-Identifier: MIT */
/*
 * An entry is one file named by a hash of its key: a head, the whole key, the binary.
 * Key and checksum are compared on loading, so that no collision, stale name or bit rot
 * can load a wrong kernel. Files are written under a temporary name and renamed.
 */
#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_BYTES = 48, DEFAULT_MIB = 128 };

static const char magic[8] = "clsm-p1";

struct head {
    char magic[8];
    uint64_t key_bytes, binary_bytes, checksum;
};

/* FNV-1a, from a start of choice. Source: Fowler, Noll, Vo, RFC 9923. */
static uint64_t hash(const void *data, size_t bytes, uint64_t h)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

static const uint64_t fnv_start = 0xcbf29ce484222325u;

static void entry_name(const void *key, size_t bytes, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%016llx%016llx.bin",
             (unsigned long long)hash(key, bytes, fnv_start),
             (unsigned long long)hash(key, bytes, ~fnv_start));
}

/* mkdir -p for a folder and its parents, each for us alone. */
static bool make_folder(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool folder_path(char *path, size_t bytes)
{
    const char *own = getenv("CLSM_CACHE_DIR");
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = own && *own          ? snprintf(path, bytes, "%s", own)
            : xdg && *xdg == '/' ? snprintf(path, bytes, "%s/clsoftmax", xdg)
            : home && *home      ? snprintf(path, bytes, "%s/.cache/clsoftmax", home)
                                 : -1;
    if (n <= 0 || (size_t)n >= bytes)
        return false;
    /* behind "/" and "/." a link would be followed */
    while (n > 1 && (path[n - 1] == '/' || (path[n - 1] == '.' && path[n - 2] == '/')))
        path[--n] = 0;
    return true;
}

void clsm_cache_open(struct cache *cache)
{
    const char *wish = getenv("CLSM_CACHE"), *mib = getenv("CLSM_CACHE_MIB");
    char *end = NULL;
    long limit = mib ? strtol(mib, &end, 10) : 0;
    if (!mib || end == mib || *end || limit < 0)
        limit = DEFAULT_MIB; /* what is no number is no wish */
    char path[4096];
    cache->folder = -1;
    const uint64_t most = UINT64_MAX >> 20;
    cache->limit_bytes = ((uint64_t)limit < most ? (uint64_t)limit : most) << 20;
    if ((wish && strcmp(wish, "off") == 0) || !folder_path(path, sizeof path) ||
        !make_folder(path))
        return;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat s;
    if (folder >= 0 && fstat(folder, &s) == 0 && s.st_uid == geteuid() &&
        (s.st_mode & 077) == 0)
        cache->folder = folder;
    else if (folder >= 0)
        close(folder);
}

void clsm_cache_close(struct cache *cache)
{
    if (cache->folder >= 0)
        close(cache->folder);
    cache->folder = -1;
}

static bool read_all(int file, void *data, size_t bytes)
{
    for (char *at = data; bytes;) {
        ssize_t n = read(file, at, bytes);
        if (n <= 0)
            return false;
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

static bool write_all(int file, const void *data, size_t bytes)
{
    for (const char *at = data; bytes;) {
        ssize_t n = write(file, at, bytes);
        if (n <= 0)
            return false;
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* A whole entry of the expected length; NULL if it is not ours or not whole. */
static unsigned char *read_entry(int file, size_t *bytes)
{
    struct stat s;
    if (fstat(file, &s) != 0 || !S_ISREG(s.st_mode) || s.st_uid != geteuid() ||
        s.st_size < (off_t)sizeof(struct head) || (uintmax_t)s.st_size > SIZE_MAX)
        return NULL;
    *bytes = (size_t)s.st_size;
    unsigned char *data = malloc(*bytes);
    if (data && read_all(file, data, *bytes))
        return data;
    free(data);
    return NULL;
}

static bool entry_is(const unsigned char *data, size_t bytes, const void *key,
                     size_t key_bytes, struct head *head)
{
    memcpy(head, data, sizeof *head);
    size_t rest = bytes - sizeof *head;
    return memcmp(head->magic, magic, sizeof magic) == 0 &&
           head->key_bytes == key_bytes && key_bytes <= rest &&
           head->binary_bytes == rest - key_bytes && head->binary_bytes &&
           memcmp(data + sizeof *head, key, key_bytes) == 0 &&
           head->checksum ==
               hash(data + sizeof *head + key_bytes, head->binary_bytes, fnv_start);
}

void *clsm_cache_load(const struct cache *cache, const void *key, size_t key_bytes,
                      size_t *bytes)
{
    char name[NAME_BYTES];
    if (cache->folder < 0)
        return NULL;
    entry_name(key, key_bytes, name);
    int file =
        openat(cache->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return NULL;
    size_t whole;
    struct head head;
    unsigned char *data = read_entry(file, &whole);
    close(file);
    if (data && entry_is(data, whole, key, key_bytes, &head)) {
        *bytes = (size_t)head.binary_bytes;
        memmove(data, data + sizeof head + key_bytes, *bytes);
        utimensat(cache->folder, name, NULL, 0); /* used now: the last to be removed */
        return data;
    }
    free(data);
    return NULL;
}

struct entry {
    char name[NAME_BYTES];
    struct timespec used;
    uint64_t bytes;
};

static int by_age(const void *a, const void *b)
{
    const struct timespec *p = &((const struct entry *)a)->used;
    const struct timespec *q = &((const struct entry *)b)->used;
    return p->tv_sec != q->tv_sec
               ? (p->tv_sec > q->tv_sec) - (p->tv_sec < q->tv_sec)
               : (p->tv_nsec > q->tv_nsec) - (p->tv_nsec < q->tv_nsec);
}

/* Names that entry_name() and clsm_cache_store() give. */
static bool is_ours(const char *name)
{
    size_t digits = strspn(name, "0123456789abcdef");
    return (digits == 32 && strcmp(name + digits, ".bin") == 0) ||
           (digits == 8 && strncmp(name + digits, ".bin.", 5) == 0);
}

/* However many there are: a list cut off would keep the rest for good. */
struct entries {
    struct entry *of;
    size_t count, room;
};

static bool has_room(struct entries *all)
{
    if (all->count < all->room)
        return true;
    size_t room = all->room ? 2 * all->room : 256;
    struct entry *more = realloc(all->of, room * sizeof *more);
    if (!more)
        return false;
    all->of = more;
    all->room = room;
    return true;
}

/* Our own files in the folder, a crashed process's temporary ones among them. */
static void list_entries(const struct cache *cache, struct entries *all)
{
    int again = openat(cache->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = again >= 0 ? fdopendir(again) : NULL;
    if (!dir) {
        if (again >= 0)
            close(again);
        return;
    }
    struct stat s;
    for (struct dirent *d; (d = readdir(dir)) && has_room(all);) {
        size_t length = strlen(d->d_name);
        if (length >= NAME_BYTES || !is_ours(d->d_name) ||
            fstatat(cache->folder, d->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(s.st_mode))
            continue;
        struct entry *one = &all->of[all->count++];
        memcpy(one->name, d->d_name, length + 1);
        one->used = s.st_mtim;
        one->bytes = (uint64_t)s.st_size;
    }
    closedir(dir);
}

static void trim(const struct cache *cache)
{
    struct entries all = {NULL, 0, 0};
    list_entries(cache, &all);
    uint64_t total = 0;
    for (size_t i = 0; i < all.count; i++)
        total += all.of[i].bytes;
    if (total > cache->limit_bytes)
        qsort(all.of, all.count, sizeof *all.of, by_age);
    for (size_t i = 0; i < all.count && total > cache->limit_bytes; i++) {
        total -= all.of[i].bytes;
        unlinkat(cache->folder, all.of[i].name, 0);
    }
    free(all.of);
}

void clsm_cache_store(const struct cache *cache, const void *key, size_t key_bytes,
                      const void *binary, size_t bytes)
{
    char name[NAME_BYTES], temporary[NAME_BYTES + 32];
    if (cache->folder < 0)
        return;
    entry_name(key, key_bytes, name);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(temporary, sizeof temporary, "%.8s.bin.%ld.%ld", name, (long)getpid(),
             now.tv_nsec);
    int file = openat(cache->folder, temporary,
                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    struct head head = {{0}, key_bytes, bytes, hash(binary, bytes, fnv_start)};
    memcpy(head.magic, magic, sizeof magic);
    bool whole = write_all(file, &head, sizeof head) &&
                 write_all(file, key, key_bytes) && write_all(file, binary, bytes);
    whole = close(file) == 0 && whole;
    if (!whole || renameat(cache->folder, temporary, cache->folder, name) != 0)
        unlinkat(cache->folder, temporary, 0);
    trim(cache);
}
