/* SPDX-License-Identifier: MIT */
/* Matrix products on the device, by CLBlast where it was found when this was built. */
#ifndef TRAIN_MATMUL_H
#define TRAIN_MATMUL_H

#include "device.h"

/* A packed row-major matrix of `cols` columns as it lies in the buffer from element
 * `at` on; it counts as its transpose where that is set. */
struct matrix {
    cl_mem memory;
    cl_uint at, cols;
    bool transposed;
};

extern const char *const matmul_by;

/* c = a b, (m, k) times (k, n). c must not be transposed. */
void matmul(const struct device *d, size_t m, size_t n, size_t k, struct matrix a,
            struct matrix b, struct matrix c);

#endif
