/* SPDX-License-Identifier: MIT */
/*
 * NumPy's .npy files, see npy.h. A file is read whole, its header parsed where it lies,
 * and the data moved to the front of the same memory, so that a large file is held only
 * once.
 */
#define _XOPEN_SOURCE 700 /* fileno() */

#include "npy_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool npy_fail(const struct npy_report *r, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(r->error, r->error_bytes, "%s: %s", r->path, text);
    return false;
}

bool npy_host_is_little(void)
{
    const uint16_t one = 1;

    return *(const unsigned char *)&one == 1;
}

/** Multiply a shape out. A 0 does not excuse the other sizes from fitting size_t. */
bool npy_multiply(int dims, const size_t *shape, size_t element_bytes, size_t *count)
{
    size_t bytes = element_bytes;
    bool empty = false;

    for (int d = 0; d < dims; d++) {
        if (shape[d] == 0)
            empty = true;
        else if (bytes > SIZE_MAX / shape[d])
            return false;
        else
            bytes *= shape[d];
    }
    *count = empty ? 0 : bytes / element_bytes;
    return true;
}

/** Spell a shape as Python does: "(3,)", "(3, 4)". */
void npy_spell_shape(int dims, const size_t *shape, char text[SHAPE_BYTES])
{
    size_t n = 0;

    for (int d = 0; d < dims; d++)
        n +=
            (size_t)snprintf(text + n, SHAPE_BYTES - n, d ? ", %zu" : "(%zu", shape[d]);
    snprintf(text + n, SHAPE_BYTES - n, dims == 1 ? ",)" : ")");
}

/** Refuse what is no .npy file after its first few bytes. */
static bool check_magic(const struct npy_report *r, const struct npy_input *f)
{
    const unsigned char *b = f->bytes;

    if (f->size < PREFIX_BYTES)
        return npy_fail(r, "is %zu bytes long, expected an .npy file of at least %d",
                        f->size, PREFIX_BYTES);
    if (memcmp(b, MAGIC, 6) != 0)
        return npy_fail(
            r,
            "is no .npy file: it starts with bytes %02x %02x %02x %02x %02x %02x, "
            "expected 93 4e 55 4d 50 59",
            b[0], b[1], b[2], b[3], b[4], b[5]);
    return true;
}

static bool grow(const struct npy_report *r, struct npy_input *f, size_t capacity)
{
    unsigned char *bytes = realloc(f->bytes, capacity);

    if (!bytes)
        return npy_fail(r, "does not fit memory, expected %zu bytes to be free",
                        capacity);
    f->bytes = bytes;
    return true;
}

/** Read to the end, which may be a stream's; where the length is known, in one piece.
 */
static bool read_all(FILE *in, const struct npy_report *r, struct npy_input *f)
{
    struct stat st;
    bool known = fstat(fileno(in), &st) == 0 && S_ISREG(st.st_mode);
    size_t capacity = known ? (size_t)st.st_size + PREFIX_BYTES + 1 : 1u << 16;
    size_t ask = PREFIX_BYTES, got;

    if (!grow(r, f, capacity))
        return false;
    do {
        got = fread(f->bytes + f->size, 1, ask, in);
        f->size += got;
        if (ferror(in))
            return npy_fail(r, "cannot be read: %s", strerror(errno));
        if (f->size <= PREFIX_BYTES && !check_magic(r, f))
            return false;
        if (f->size == capacity && !grow(r, f, capacity *= 2))
            return false;
        ask = ask == got ? capacity - f->size : 0;
    } while (ask > 0);
    return true;
}

/** Copy an array whose first index runs fastest to one whose last does. */
static void copy_to_c_order(const struct npy_input *f, const unsigned char *from,
                            unsigned char *to)
{
    size_t index[NPY_MAX_DIMS] = {0}, step[NPY_MAX_DIMS] = {f->element_bytes};

    for (int d = 1; d < f->dims; d++)
        step[d] = step[d - 1] * f->shape[d - 1];
    for (size_t n = 0; n < f->count; n++, to += f->element_bytes) {
        memcpy(to, from, f->element_bytes);
        for (int d = f->dims - 1; d >= 0; d--) {
            from += step[d];
            if (++index[d] < f->shape[d])
                break;
            from -= step[d] * f->shape[d];
            index[d] = 0;
        }
    }
}

static void swap_bytes(unsigned char *data, size_t count, size_t element_bytes)
{
    for (size_t n = 0; n < count; n++, data += element_bytes)
        for (size_t i = 0; i < element_bytes / 2; i++) {
            unsigned char byte = data[i];
            data[i] = data[element_bytes - 1 - i];
            data[element_bytes - 1 - i] = byte;
        }
}

/** Bring the data to the front of f->bytes, in C order and the host's byte order. */
static bool arrange(const struct npy_report *r, struct npy_input *f)
{
    size_t bytes = f->count * f->element_bytes;

    if (f->order == (npy_host_is_little() ? '>' : '<'))
        swap_bytes(f->bytes + f->data_at, f->count, f->element_bytes);
    if (f->fortran && f->dims > 1 && f->count > 0) {
        unsigned char *to = malloc(bytes);
        if (!to)
            return npy_fail(r, "does not fit memory, expected %zu bytes to be free",
                            bytes);
        copy_to_c_order(f, f->bytes + f->data_at, to);
        free(f->bytes);
        f->bytes = to;
    } else {
        memmove(f->bytes, f->bytes + f->data_at, bytes);
    }
    return true;
}

static bool read_input(const struct npy_report *r, int want, struct npy_input *f)
{
    FILE *in = fopen(r->path, "rb");
    bool ok;

    memset(f, 0, sizeof *f);
    if (!in)
        return npy_fail(r, "cannot be opened: %s", strerror(errno));
    ok = read_all(in, r, f) && npy_read_header(r, f) && npy_check_dtype(r, want, f) &&
         npy_check_shape(r, f) && arrange(r, f);
    fclose(in);
    if (!ok) {
        free(f->bytes);
        f->bytes = NULL;
    }
    return ok;
}

bool npy_read(const char *path, enum npy_want want, struct npy *a, char *error,
              size_t error_bytes)
{
    const struct npy_report r = {path, error, error_bytes};
    struct npy_input f;

    memset(a, 0, sizeof *a);
    if (!read_input(&r, (int)want, &f))
        return false;
    a->dims = f.dims;
    memcpy(a->shape, f.shape, sizeof a->shape);
    a->count = f.count;
    a->type = f.type;
    a->data = f.bytes;
    return true;
}

/** Widen one integer in the host's byte order; false if int64_t cannot hold it. */
static bool widen(const struct npy_input *f, const unsigned char *element,
                  int64_t *value)
{
    size_t n = f->element_bytes;
    bool little = npy_host_is_little();
    bool negative = f->is_signed && element[little ? n - 1 : 0] & 0x80;
    uint64_t bits = negative ? UINT64_MAX : 0;

    for (size_t i = 0; i < n; i++)
        bits = bits << 8 | element[little ? n - 1 - i : i];
    memcpy(value, &bits, sizeof bits);
    return negative || *value >= 0;
}

bool npy_read_labels(const char *path, int64_t **labels, size_t *n, char *error,
                     size_t error_bytes)
{
    const struct npy_report r = {path, error, error_bytes};
    struct npy_input f;
    bool ok = read_input(&r, NPY_LABELS, &f);

    *n = 0;
    *labels = NULL;
    if (ok && f.dims != 1)
        ok = npy_fail(&r, "has %d dimensions, expected labels in one", f.dims);
    if (ok && !(*labels = calloc(f.count + 1, sizeof **labels)))
        ok = npy_fail(&r, "does not fit memory, expected room for %zu labels", f.count);
    for (size_t i = 0; ok && i < f.count; i++)
        if (!widen(&f, f.bytes + i * f.element_bytes, *labels + i))
            ok = npy_fail(&r, "has a label of 2^63 or more at index %zu, expected less",
                          i);
    free(f.bytes);
    if (ok) {
        *n = f.count;
    } else {
        free(*labels);
        *labels = NULL;
    }
    return ok;
}

void npy_free(struct npy *a)
{
    if (!a)
        return;
    free(a->data);
    memset(a, 0, sizeof *a);
}
