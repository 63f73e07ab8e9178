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

static bool write_beside(struct staged *s, mode_t mode)
{
    size_t bytes = strlen(s->target) + sizeof ".XXXXXX";
    s->name = malloc(bytes);
    if (!s->name)
        return false;
    snprintf(s->name, bytes, "%s.XXXXXX", s->target);
    int fd = mkstemp(s->name);
    if (fd >= 0)
        return finish(fd,
                      fchmod(fd, mode) == 0 && s->write(fd, s->what) && fsync(fd) == 0);
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
    mode_t mask = umask(0);
    umask(mask);
    *s = (struct staged){path, write, what, NULL, NULL};
    if (there ? !S_ISREG(st.st_mode) : lstat(path, &st) == 0)
        return true;
    s->target = there ? realpath(path, NULL) : strdup(path);
    if (s->target && write_beside(s, (there ? st.st_mode : 0666 & ~mask) & 0777))
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
