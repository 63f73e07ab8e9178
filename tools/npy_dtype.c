/* SPDX-License-Identifier: MIT */
/* Is what the header of an .npy file promises of use to the caller, and does it hold?
 */
#include "npy_file.h"

#include <string.h>

static const char *const expected[] = {
    [NPY_FLOATS] =
        "'f2', 'f4' or 'f8' (raw 16-bit data only when it is said to be bf16)",
    [NPY_BF16] = "the raw bits of bf16 as 'u2', 'i2' or 'V2'",
    [NPY_FLOATS_OR_BF16] =
        "'f2', 'f4', 'f8' or the raw bits of bf16 as 'u2', 'i2' or 'V2'",
    [NPY_MASK] = "'f4' or 'f2', which is added, or bool or 'u1', where 0 masks",
    [NPY_TARGETS] = "'i4' or 'i8'",
    [NPY_LABELS] = "integers, 'i1' to 'u8'",
};

#define WANT(want) (1u << (want))

enum {
    AS_FLOAT = WANT(NPY_FLOATS) | WANT(NPY_FLOATS_OR_BF16),
    AS_BF16 = WANT(NPY_BF16) | WANT(NPY_FLOATS_OR_BF16),
    AS_MASK = WANT(NPY_MASK),
    AS_LABEL = WANT(NPY_LABELS),
    AS_TARGET = WANT(NPY_TARGETS) | AS_LABEL
};

/* For each who wants it; the first row that fits counts. Labels are widened by size. */
static const struct {
    unsigned wants;
    const char *dtype;
    int type;
} accepted[] = {
    {AS_FLOAT | AS_MASK, "f2", CLSM_F16},
    {AS_FLOAT | AS_MASK, "f4", CLSM_F32},
    {AS_FLOAT, "f8", CLSM_F64},
    {AS_BF16, "u2", CLSM_BF16},
    {AS_BF16, "i2", CLSM_BF16},
    {AS_BF16, "V2", CLSM_BF16},
    {AS_MASK, "b1", NPY_BOOL},
    {AS_MASK | AS_LABEL, "u1", NPY_U8},
    {AS_TARGET, "i4", NPY_I32},
    {AS_TARGET, "i8", NPY_I64},
    {AS_LABEL, "i1", 0},
    {AS_LABEL, "i2", 0},
    {AS_LABEL, "u2", 0},
    {AS_LABEL, "u4", 0},
    {AS_LABEL, "u8", 0},
};

static const char *kind_name(char kind)
{
    static const char *const names[] = {
        "bbool",       "ccomplex", "Oobject",
        "Sbytes",      "Utext",    "Vraw bytes",
        "Mdate",       "mtime",    "uunsigned integer",
        "iinteger",    "ffloat",   "[structured",
        "(structured",
    };

    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (names[i][0] == kind)
            return names[i] + 1;
    return "unknown";
}

bool npy_check_dtype(const struct npy_report *r, int want, struct npy_input *f)
{
    const char *dtype = f->descr;

    if (*dtype && strchr("<>=|", *dtype))
        f->order = *dtype++;
    for (size_t i = 0; i < COUNT_OF(accepted); i++)
        if (accepted[i].wants & WANT(want) && strcmp(accepted[i].dtype, dtype) == 0) {
            f->is_signed = dtype[0] == 'i';
            f->element_bytes = (size_t)(dtype[1] - '0');
            f->type = accepted[i].type;
            return true;
        }
    return npy_fail(r, "has dtype %s (%s), expected %s", f->descr, kind_name(*dtype),
                    expected[want]);
}

bool npy_check_shape(const struct npy_report *r, struct npy_input *f)
{
    char shape[SHAPE_BYTES];
    size_t data_bytes = f->size - f->data_at;

    if (f->dims < 1)
        return npy_fail(r, "has shape (), a single number, expected 1 to 8 dimensions");
    if (f->dims > NPY_MAX_DIMS)
        return npy_fail(r, "has %d dimensions, expected 1 to %d", f->dims,
                        NPY_MAX_DIMS);
    npy_spell_shape(f->dims, f->shape, shape);
    if (!npy_multiply(f->dims, f->shape, f->element_bytes, &f->count))
        return npy_fail(r, "has shape %s, expected one whose bytes fit size_t", shape);
    if (data_bytes != f->count * f->element_bytes)
        return npy_fail(r, "holds %zu bytes of data, expected %zu for shape %s of %s",
                        data_bytes, f->count * f->element_bytes, shape, f->descr);
    return true;
}
