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
    size_t matrix_stride, row_stride, col_stride;
    size_t cols; /* its own: x's, 1 or k */
};

struct problem {
    clsm_op op;
    clsm_nonfinite nonfinite;
    bool open_rows, open_cols, deterministic, causal, read_soon;
    size_t rows, cols, inner;
    bool one_matrix; /* queries are however many rows there are */
    size_t queries, heads;
    struct layout x, y, dy;
    unsigned operands; /* all that take part, as bits */
    bool strided;      /* the elements of a softmax are not neighbours in memory */

    double scale; /* with the temperature in it, unless that is 0 */
    double softcap;
    bool one_hot; /* temperature 0 */
    clsm_mask_type mask_type;
    clsm_mask_stride mask_stride;
    ptrdiff_t causal_offset; /* 2^61 at most, either way */
    size_t window;           /* 2^62 at most */
    size_t k;
    clsm_target_type target_type;
    int64_t ignore_index;
    double label_smoothing, z_loss, grad_scale;
};

/* The caller's problem with the defaults of fields that its header did not have. */
clsm_status clsm_problem_complete(const clsm_problem *from, clsm_problem *full);

/* Check a caller's problem and fill in what it left to the defaults. */
clsm_status clsm_problem_check(const clsm_problem *from, struct problem *p);

/* The same problem with this call's shape; strides 0 mean packed. Checks them. */
clsm_status clsm_problem_at(const struct problem *plan, const clsm_args *args,
                            struct problem *p);

/* Elements from the tensor's first to behind its last; 0 if it has none. */
size_t clsm_layout_extent(const struct layout *l, const struct problem *p);

/* The same for an operand. */
size_t clsm_operand_extent(clsm_operand operand, const struct problem *p);

/* Bytes of one element of an operand. */
size_t clsm_operand_bytes(clsm_operand operand, const struct problem *p);

/* What it computes in, and keeps operands that are "real" in: f32 or f64. */
clsm_type clsm_problem_real(const struct problem *p);
size_t clsm_problem_real_bytes(const struct problem *p);

/* Does the operand take part; is it written? */
bool clsm_has(const struct problem *p, clsm_operand operand);
bool clsm_operand_is_written(clsm_operand operand);

/* Is a mask added to logits, where a boolean one leaves some out? */
bool clsm_problem_adds_mask(const struct problem *p);

/* Does it write the gradient of a target's loss? */
bool clsm_problem_is_loss_gradient(const struct problem *p);

/* What y is: the table's column. */
clsm_y clsm_problem_y(const struct problem *p);

/* Do rows have to be told apart as (batch, head, query)? */
bool clsm_problem_is_batched(const struct problem *p);

/* Are there columns that a query does not see? */
bool clsm_problem_is_bounded(const struct problem *p);

/* Has each row a mask of its own? */
bool clsm_problem_has_own_masks(const struct problem *p);

/* Is a logit more than x: scaled, capped, biased or masked by an operand? */
bool clsm_problem_has_forms(const struct problem *p);

/* Are there packed rows of x and y of one width, known lengths, and nothing besides but
 * a gradient and a scale: no operands, other forms, batches or limits of broken rows?
 */
bool clsm_problem_is_plain(const struct problem *p);

/* Softmaxes that a choice is made for: many where their number is unknown, or where a
 * row's bits may not depend on it. */
double clsm_problem_likely_rows(const struct problem *p);

/* Softmaxes that are sure to be there, at least one: those of parts of rows. One where
 * their number is unknown, or where a row's bits may not depend on it. */
size_t clsm_problem_sure_rows(const struct problem *p);

/* Does that take more than one multiplication or a bit to say whether a column counts?
 * Then mappings that hold a row hold its logits instead of x. */
bool clsm_problem_holds_logits(const struct problem *p);

/* Is a mask added to longer rows than a GPU's first cache keeps masks of? */
bool clsm_problem_has_far_mask(const struct problem *p);

/* What there is to do for a row, from the least to the most. */
enum effort {
    WRITES,     /* its maximum and sum are given */
    SUMS,       /* a sum of products, for a gradient */
    NORMALISES, /* maximum and sum */
    LOGARITHM,  /* the same, the sum to its last digit, and a row of them */
    NUMBERS,    /* the same, nothing but these */
    EFFORTS
};
enum effort clsm_problem_effort(const struct problem *p);

/* Is a row's maximum and sum all that its workers have to bring together? */
bool clsm_problem_has_one_state(const struct problem *p);

/* Bits for a column beside each 16-bit number of x, which an f32 leaves free: lists of
 * the largest are of such keys then. 0 where a column does not fit, is not known to, or
 * lists are too short to gain by it. */
unsigned clsm_problem_key_bits(const struct problem *p);

/* Nothing to write at all: a no-op. */
bool clsm_problem_is_empty(const struct problem *p);

/* Every element read once and written once. */
uint64_t clsm_problem_bytes(const struct problem *p);

/* Computed in f64 rather than f32. */
bool clsm_problem_is_f64(const struct problem *p);

/* In names.c: the tables' sizes and one column. */
size_t clsm_type_count(void);
unsigned clsm_op_needs(clsm_op op);
unsigned clsm_op_may(clsm_op op);

/* The type of a mask's elements, as kernels call it. */
const char *clsm_mask_name(clsm_mask_type type);

#endif
