/* SPDX-License-Identifier: MIT */
/*
 * What the files behind npy.h share: a file on its way in, how a failure is told, and
 * the shape's few helpers.
 */
#ifndef CLSM_NPY_FILE_H
#define CLSM_NPY_FILE_H

#include "npy.h"

enum { PREFIX_BYTES = 10, SHAPE_BYTES = 24 * NPY_MAX_DIMS };

#define MAGIC "\x93NUMPY"
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/** Where a failure is told. */
struct npy_report {
    const char *path;
    char *error;
    size_t error_bytes;
};

/** A file on its way in. */
struct npy_input {
    unsigned char *bytes; /* the whole file, at last only its data */
    size_t size, data_at;
    unsigned seen; /* keys of the header, a bit each */
    char descr[48];
    bool fortran;
    int dims; /* may pass NPY_MAX_DIMS until checked */
    size_t shape[NPY_MAX_DIMS];
    char order; /* as in descr; 0: the host's */
    bool is_signed;
    size_t count, element_bytes;
    int type;
};

/** What npy_read_labels() wants: any integers. */
enum { NPY_LABELS = NPY_TARGETS + 1 };

/** Write the error's sentence; always false. */
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
bool npy_fail(const struct npy_report *r, const char *format, ...);

bool npy_host_is_little(void);

/** Multiply a shape out; false if its bytes pass size_t. */
bool npy_multiply(int dims, const size_t *shape, size_t element_bytes, size_t *count);

/** Spell a shape as Python does: "(3,)", "(3, 4)". */
void npy_spell_shape(int dims, const size_t *shape, char text[SHAPE_BYTES]);

/** Parse the header of the file in f->bytes, then hold dtype and length against it. */
bool npy_read_header(const struct npy_report *r, struct npy_input *f);
bool npy_check_dtype(const struct npy_report *r, int want, struct npy_input *f);
bool npy_check_shape(const struct npy_report *r, struct npy_input *f);

#endif
