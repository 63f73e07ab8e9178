/* SPDX-License-Identifier: MIT */
/* Files that appear whole or not at all. */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "staged.h"

#include <errno.h>
#include <fcntl.h>
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
    s->target = there ? realpath(path, NULL) : strdup(path);
    if (s->target && write_beside(s, there ? &st : NULL))
        return true;
    int cause = errno;
    staged_discard(s);
    errno = cause;
    return false;
}

bool staged_commit(struct staged *s)
{
    bool ok = s->name ? rename(s->name, s->target) == 0 : write_directly(s);
    int cause = errno;
    if (ok) {
        free(s->name);
        s->name = NULL;
    }
    staged_discard(s);
    errno = cause;
    return ok;
}

void staged_discard(struct staged *s)
{
    if (s->name)
        unlink(s->name);
    free(s->name);
    free(s->target);
    s->name = s->target = NULL;
}
