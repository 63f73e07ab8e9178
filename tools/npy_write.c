/* SPDX-License-Identifier: MIT */
/*
 * Writing: format 1.0, to a temporary name that is renamed over the target.
 */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "npy_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ALIGN_BYTES = 64 };

/** What is written; the digit is the element's size. */
static const char *const stored[] = {
    [CLSM_F32] = "f4", [CLSM_F16] = "f2", [CLSM_BF16] = "u2",
    [CLSM_F64] = "f8", [NPY_U8] = "u1",   [NPY_BOOL] = "b1",
    [NPY_I32] = "i4",  [NPY_I64] = "i8",  [NPY_U32] = "u4"};

size_t npy_type_bytes(int type)
{
    bool known = (size_t)type < COUNT_OF(stored) && stored[type];
    return known ? (size_t)(stored[type][1] - '0') : 0;
}

static bool put(int fd, const void *data, size_t bytes)
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

static bool put_array(int fd, const struct npy *a)
{
    char head[512], shape[SHAPE_BYTES];
    size_t n, each = npy_type_bytes(a->type);
    char order = each == 1 ? '|' : npy_host_is_little() ? '<' : '>';

    npy_spell_shape(a->dims, a->shape, shape);
    n = PREFIX_BYTES +
        (size_t)snprintf(head + PREFIX_BYTES, sizeof head - PREFIX_BYTES,
                         "{'descr': '%c%s', 'fortran_order': False, 'shape': %s, }",
                         order, stored[a->type], shape);
    while ((n + 1) % ALIGN_BYTES != 0)
        head[n++] = ' ';
    head[n++] = '\n';
    memcpy(head, MAGIC "\x01\x00", 8);
    head[8] = (char)((n - PREFIX_BYTES) & 0xff);
    head[9] = (char)((n - PREFIX_BYTES) >> 8);
    return put(fd, head, n) && put(fd, a->data, a->count * each);
}

/** Close after the last step, which was `ok` or left errno, which is kept. */
static bool finish(int fd, bool ok)
{
    int cause = errno;
    bool closed = close(fd) == 0;

    if (!ok)
        errno = cause;
    return ok && closed;
}

/** What is no regular file, as it is. */
static bool write_directly(const struct npy_report *r, const struct npy *a)
{
    int fd = open(r->path, O_WRONLY | O_TRUNC);

    if (fd < 0 || !finish(fd, put_array(fd, a)))
        return npy_fail(r, "cannot be written: %s", strerror(errno));
    return true;
}

static bool write_beside(const struct npy_report *r, mode_t mode, struct npy_staged *s)
{
    size_t bytes = strlen(s->target) + sizeof ".XXXXXX";
    bool ok;
    int fd;

    s->name = malloc(bytes);
    if (!s->name)
        return npy_fail(r, "cannot be written: out of memory");
    snprintf(s->name, bytes, "%s.XXXXXX", s->target);
    fd = mkstemp(s->name);
    ok = fd >= 0 &&
         finish(fd, fchmod(fd, mode) == 0 && put_array(fd, s->array) && fsync(fd) == 0);
    if (!ok)
        npy_fail(r, "cannot be written: %s", strerror(errno));
    if (fd < 0) {
        free(s->name);
        s->name = NULL;
    }
    return ok;
}

static bool fits_together(const struct npy *a)
{
    size_t count;

    return a->dims >= 1 && a->dims <= NPY_MAX_DIMS && npy_type_bytes(a->type) &&
           npy_multiply(a->dims, a->shape, 8, &count) && count == a->count;
}

bool npy_stage(const char *path, const struct npy *a, struct npy_staged *s, char *error,
               size_t error_bytes)
{
    const struct npy_report r = {path, error, error_bytes};
    struct stat st;
    bool there = stat(path, &st) == 0;
    mode_t mask = umask(0);

    umask(mask);
    *s = (struct npy_staged){path, a, NULL, NULL};
    if (!fits_together(a))
        return npy_fail(
            &r, "cannot be written: dims, shape, count and type do not fit together");
    if (there && !S_ISREG(st.st_mode))
        return true;
    s->target = there ? realpath(path, NULL) : strdup(path);
    if (!s->target)
        return npy_fail(&r, "cannot be written: %s", strerror(errno));
    if (write_beside(&r, (there ? st.st_mode : 0666 & ~mask) & 0777, s))
        return true;
    npy_discard(s);
    return false;
}

bool npy_commit(struct npy_staged *s, char *error, size_t error_bytes)
{
    const struct npy_report r = {s->path, error, error_bytes};
    bool ok = s->name ? rename(s->name, s->target) == 0 : write_directly(&r, s->array);

    if (!ok && s->name) {
        npy_fail(&r, "cannot be written: %s", strerror(errno));
    } else if (ok) {
        free(s->name);
        s->name = NULL;
    }
    npy_discard(s);
    return ok;
}

void npy_discard(struct npy_staged *s)
{
    if (s->name)
        unlink(s->name);
    free(s->name);
    free(s->target);
    s->name = s->target = NULL;
}

bool npy_write(const char *path, const struct npy *a, char *error, size_t error_bytes)
{
    struct npy_staged s;

    return npy_stage(path, a, &s, error, error_bytes) &&
           npy_commit(&s, error, error_bytes);
}
