/* SPDX-License-Identifier: MIT */
/* Files that appear whole or not at all. */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "staged.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool staged_put(int fd, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        /* some systems refuse a single write of 2 GiB and more */
        ssize_t done = write(fd, at, bytes < 1u << 30 ? bytes : 1u << 30);
        if (done < 0 && errno != EINTR)
            return false;
        if (done > 0) {
            at += done;
            bytes -= (size_t)done;
        }
    }
    return true;
}

/* Close after the last step, which was `ok` or left errno, which is kept. */
static bool finish(int fd, bool ok)
{
    int cause = errno;
    bool closed = close(fd) == 0;
    if (!ok)
        errno = cause;
    return ok && closed;
}

/* What is no regular file, as it is. */
static bool write_directly(const struct staged *s)
{
    int fd = open(s->path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    return fd >= 0 && finish(fd, s->write(fd, s->what));
}

/* What stands beside its target, for a signal that ends the process. */
enum { MOST_BESIDE = 32 };
static char *volatile beside[MOST_BESIDE];

static void leave_nothing(int number)
{
    for (int i = 0; i < MOST_BESIDE; i++)
        if (beside[i])
            unlink(beside[i]);
    signal(number, SIG_DFL);
    raise(number);
}

static void hear_signals(void)
{
    static const int ending[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                 SIGPIPE, SIGALRM, SIGXCPU, SIGXFSZ};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (signal(ending[i], leave_nothing) == SIG_IGN)
            signal(ending[i], SIG_IGN);
}

/* One name in another's place, NULL for none. */
static void note_beside(char *before, char *now)
{
    int i = 0;
    while (i < MOST_BESIDE && beside[i] != before)
        i++;
    if (i < MOST_BESIDE)
        beside[i] = now;
}

/* A name of its own beside the target; -1 where there can be none. */
static int open_beside(struct staged *s, mode_t mode)
{
    size_t bytes = strlen(s->target) + 48;
    int fd = -1;
    s->name = malloc(bytes);
    for (unsigned n = 0; s->name && fd < 0; n++) {
        snprintf(s->name, bytes, "%s.%ld-%u", s->target, (long)getpid(), n);
        fd = open(s->name, O_WRONLY | O_CREAT | O_EXCL, mode);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd >= 0) {
        hear_signals();
        note_beside(NULL, s->name);
    }
    return fd;
}

/* With the mode that the file had, or that the umask leaves a new one. */
static bool write_beside(struct staged *s, const struct stat *old)
{
    int fd = open_beside(s, old ? 0600 : 0666);
    if (fd >= 0)
        return finish(fd, (!old || fchmod(fd, old->st_mode & 0777) == 0) &&
                              s->write(fd, s->what) && fsync(fd) == 0);
    int cause = errno;
    free(s->name);
    s->name = NULL;
    errno = cause;
    return false;
}

bool staged_begin(const char *path, staged_writer *write, const void *what,
                  struct staged *s)
{
    struct stat st;
    bool there = stat(path, &st) == 0;
    *s = (struct staged){path, write, what, NULL, NULL};
    if (there ? !S_ISREG(st.st_mode) : lstat(path, &st) == 0)
        return true;
    if (there && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return false;
    s->target = there ? realpath(path, NULL) : strdup(path);
    if (s->target && write_beside(s, there ? &st : NULL))
        return true;
    int cause = errno;
    bool no_room =
        s->target && !s->name && (cause == ENAMETOOLONG || (there && cause == EACCES));
    staged_discard(s);
    if (no_room)
        return true;
    errno = cause;
    return false;
}

bool staged_commit(struct staged *s)
{
    bool ok = s->name ? rename(s->name, s->target) == 0 : write_directly(s);
    int cause = errno;
    if (ok && s->name) {
        note_beside(s->name, NULL);
        free(s->name);
        s->name = NULL;
    }
    staged_discard(s);
    errno = cause;
    return ok;
}

/* The part behind the last '/'. */
static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* What is known of its folder. */
static bool folder_of(const char *path, struct stat *st)
{
    size_t length = (size_t)(last_part(path) - path);
    char *folder = strdup(path);
    if (folder)
        folder[length] = 0;
    bool there = folder && stat(length ? folder : ".", st) == 0;
    free(folder);
    return there;
}

bool staged_are_one(const char *a, const char *b)
{
    struct stat of_a, of_b;
    bool there = stat(a, &of_a) == 0;
    if (there != (stat(b, &of_b) == 0))
        return false;
    bool may_be = there ? S_ISREG(of_a.st_mode)
                        : strcmp(last_part(a), last_part(b)) == 0 &&
                              folder_of(a, &of_a) && folder_of(b, &of_b);
    return may_be && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

void staged_discard(struct staged *s)
{
    if (s->name) {
        unlink(s->name);
        note_beside(s->name, NULL);
    }
    free(s->name);
    free(s->target);
    s->name = s->target = NULL;
}
