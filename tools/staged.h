/* SPDX-License-Identifier: MIT */
/*
 * Files that appear whole or not at all: written beside the target, synced and renamed
 * over it, keeping the mode of a file that was there and the symbolic link that led to
 * it. What is no regular file (/dev/null, a fifo, a link that leads nowhere), or has no
 * room beside it, is written to directly, at the end. A signal that ends the process
 * leaves nothing beside. Where a function returns false, errno tells why.
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

/* Do both paths lead to one regular file, or will they once it is there? */
bool staged_are_one(const char *a, const char *b);

/* All bytes, for a writer. */
bool staged_put(int fd, const void *data, size_t bytes);

#endif
