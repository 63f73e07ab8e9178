/* SPDX-License-Identifier: MIT */
/* Copies whose end is the end of memory: the page behind them has no access. */
#define _DEFAULT_SOURCE
#include "fenced.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct fenced fenced_copy(const void *data, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t before = (bytes + page - 1) / page * page;
    struct fenced f = {.bytes = before + page};
    f.pages =
        mmap(NULL, f.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (f.pages == MAP_FAILED)
        return (struct fenced){.copy = NULL};
    if (mprotect((char *)f.pages + before, page, PROT_NONE) != 0) {
        fenced_free(&f);
        return f;
    }
    f.copy = (char *)f.pages + before - bytes;
    memcpy(f.copy, data, bytes);
    return f;
}

void fenced_free(struct fenced *f)
{
    if (f->pages)
        munmap(f->pages, f->bytes);
    *f = (struct fenced){.copy = NULL};
}
