/* SPDX-License-Identifier: MIT */
/*
 * NumPy's .npy files: one array in, one array out. Formats 1.0 to 3.0 are read, 1.0 is
 * written. Data in memory is always in C order and in the host's byte order, whatever
 * the file had.
 */
#ifndef CLSM_NPY_H
#define CLSM_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clsoftmax.h"
#include "staged.h"

enum { NPY_MAX_DIMS = 8 };

/** Types of elements besides those of clsm_type. */
enum { NPY_U8 = 16, NPY_BOOL, NPY_I32, NPY_I64, NPY_U32 };

/** What a caller can use: floats ('f2', 'f4' or 'f8'); the raw bits of bf16 ('u2', 'i2'
 * or 'V2'); either; a mask (floats up to 'f4', bools or bytes); targets ('i4' or 'i8').
 */
enum npy_want { NPY_FLOATS, NPY_BF16, NPY_FLOATS_OR_BF16, NPY_MASK, NPY_TARGETS };

/** One array of 1 to 8 dimensions. */
struct npy {
    int dims;
    size_t shape[NPY_MAX_DIMS]; /**< the first `dims` count; a 0 makes an empty array */
    size_t count;               /**< elements: the product of the shape */
    int type;                   /**< a clsm_type or one of NPY_U8, ... */
    void *data;                 /**< `count` elements, the last index running fastest */
};

/** Bytes of one element of npy.type; 0 for none of them. */
size_t npy_type_bytes(int type);

/**
 * Read an array; release it with npy_free(). The file must hold what is wanted, in
 * either byte order, and end where its shape says. Streams such as /dev/stdin are fine.
 *
 * @param error  on failure one sentence that starts with the path; *a is then empty
 */
bool npy_read(const char *path, enum npy_want want, struct npy *a, char *error,
              size_t error_bytes);

/**
 * Read a vector of any integer dtype, as for class labels; release it with free().
 * Values of 2^63 and more are refused.
 *
 * @param labels  gets *n values, never NULL on success
 */
bool npy_read_labels(const char *path, int64_t **labels, size_t *n, char *error,
                     size_t error_bytes);

/**
 * Write an array; bf16 goes out as raw bits, 'u2'. The file appears with npy_commit(), so
 * that several appear all or none, and each whole; see staged.h.
 */
bool npy_stage(const char *path, const struct npy *a, struct staged *staged,
               char *error, size_t error_bytes);
bool npy_commit(struct staged *staged, char *error, size_t error_bytes);

/** Free the data and empty the array. NULL is fine. */
void npy_free(struct npy *a);

#endif
