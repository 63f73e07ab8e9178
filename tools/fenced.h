/* SPDX-License-Identifier: MIT */
/* Copies in host memory behind whose last byte nothing can be read: whoever does is
 * ended by the system, where a device takes them as they are. */
#ifndef FENCED_H
#define FENCED_H

#include <stddef.h>

struct fenced {
    void *pages;
    size_t bytes; /* of the pages, the last one included */
    void *copy;   /* NULL: none */
};

/* Its copy is NULL if there is no memory. */
struct fenced fenced_copy(const void *data, size_t bytes);
void fenced_free(struct fenced *f);

#endif
