/* SPDX-License-Identifier: MIT */
/* Writing: format 1.0. */
#include "npy_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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

static bool put_array(int fd, const void *what)
{
    const struct npy *a = what;
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
    return staged_put(fd, head, n) && staged_put(fd, a->data, a->count * each);
}

static bool fits_together(const struct npy *a)
{
    size_t count;

    return a->dims >= 1 && a->dims <= NPY_MAX_DIMS && npy_type_bytes(a->type) &&
           npy_multiply(a->dims, a->shape, npy_type_bytes(a->type), &count) &&
           count == a->count;
}

bool npy_stage(const char *path, const struct npy *a, struct staged *s, char *error,
               size_t error_bytes)
{
    const struct npy_report r = {path, error, error_bytes};

    if (!fits_together(a))
        return npy_fail(
            &r, "cannot be written: dims, shape, count and type do not fit together");
    return staged_begin(path, put_array, a, s) ||
           npy_fail(&r, "cannot be written: %s", strerror(errno));
}

bool npy_commit(struct staged *s, char *error, size_t error_bytes)
{
    const struct npy_report r = {s->path, error, error_bytes};

    return staged_commit(s) || npy_fail(&r, "cannot be written: %s", strerror(errno));
}
