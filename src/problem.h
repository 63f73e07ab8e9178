/* SPDX-License-Identifier: MIT */
/* The first station: a caller's clsm_problem, checked, with its defaults filled in. */
#ifndef CLSM_PROBLEM_H
#define CLSM_PROBLEM_H

#include "clsoftmax.h"

#include <stdbool.h>

#define MAX_COLS ((size_t)1 << 31)

/* One tensor's place in its buffer, in elements; see clsoftmax.h for the formula. */
struct layout {
    clsm_type type;
    size_t row_stride, col_stride;
};

struct problem {
    clsm_op op;
    clsm_nonfinite nonfinite;
    bool open_rows, open_cols, deterministic;
    size_t rows, cols, inner;
    struct layout x, y;
    bool strided; /* the elements of a softmax are not neighbours in memory */
};

/* Check a caller's problem and fill in what it left to the defaults. */
clsm_status clsm_problem_check(const clsm_problem *from, struct problem *p);

/* The same problem with this call's shape; strides 0 mean packed. Checks them. */
clsm_status clsm_problem_at(const struct problem *plan, size_t rows, size_t cols,
                            size_t x_row_stride, size_t y_row_stride,
                            struct problem *p);

/* Elements from the tensor's first to behind its last; 0 if it has none. */
size_t clsm_layout_extent(const struct layout *l, const struct problem *p);

/* No elements at all: a no-op. */
bool clsm_problem_is_empty(const struct problem *p);

/* Every element read once and written once. */
uint64_t clsm_problem_bytes(const struct problem *p);

/* Computed in f64 rather than f32. */
bool clsm_problem_is_f64(const struct problem *p);

#endif
