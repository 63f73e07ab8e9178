/* SPDX-License-Identifier: MIT */
/*
 * Files that appear whole or not at all: written beside the target, synced and renamed
 * over it, keeping the mode of a file that was there and the symbolic link that led to
 * it. What is no regular file (/dev/null, a fifo, a link that leads nowhere) is written
 * to directly, at the end. Where a function returns false, errno tells why.
 */
#ifndef STAGED_H
#define STAGED_H

#include <stdbool.h>
#include <stddef.h>

typedef bool staged_writer(int fd, const void *what);

/* A file that is written beside its target and waits to be renamed. */
struct staged {
    const char *path;
    staged_writer *write;
    const void *what;
    char *name, *target; /* NULL: no regular file, written by staged_commit() */
};

/* What can fail is likely to fail here. Each that succeeds ends in a commit or a
 * discard; path and `what` live until then. */
bool staged_begin(const char *path, staged_writer *write, const void *what,
                  struct staged *s);
bool staged_commit(struct staged *s);
void staged_discard(struct staged *s);

/* All bytes, for a writer. */
bool staged_put(int fd, const void *data, size_t bytes);

#endif
