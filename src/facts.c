/* SPDX-License-Identifier: MIT */
/* What a checked problem is like, for choosing and specialising. */
#include "problem.h"

#include <math.h>

bool clsm_problem_is_bounded(const struct problem *p)
{
    return p->causal || p->window;
}

bool clsm_problem_has_own_masks(const struct problem *p)
{
    return clsm_has(p, CLSM_MASK) && p->mask_stride.row;
}

bool clsm_problem_is_batched(const struct problem *p)
{
    const unsigned by_place =
        CLSM_BIT(CLSM_MASK) | CLSM_BIT(CLSM_SLOPES) | CLSM_BIT(CLSM_SINKS);
    return !p->one_matrix || p->heads > 1 || clsm_problem_is_bounded(p) ||
           p->operands & by_place;
}

enum effort clsm_problem_effort(const struct problem *p)
{
    bool writes_row = clsm_problem_y(p) == CLSM_Y_ROW;
    if (!writes_row)
        return NUMBERS;
    if (clsm_has(p, CLSM_FROM_MAX))
        return WRITES;
    if (clsm_has(p, CLSM_DY))
        return SUMS;
    return clsm_op_may(p->op) & CLSM_LOGARITHM ? LOGARITHM : NORMALISES;
}

bool clsm_problem_has_forms(const struct problem *p)
{
    return p->scale != 1 || clsm_has(p, CLSM_MASK) || clsm_problem_holds_logits(p);
}

bool clsm_problem_is_plain(const struct problem *p)
{
    bool one_width = clsm_type_bytes(p->x.type) == clsm_type_bytes(p->y.type);
    return one_width && !(p->operands & ~CLSM_BIT(CLSM_DY)) && !p->strided &&
           !p->open_cols && p->nonfinite != CLSM_NONFINITE_LIMIT &&
           !clsm_problem_holds_logits(p) && !clsm_problem_is_batched(p);
}

double clsm_problem_likely_rows(const struct problem *p)
{
    bool unknown = p->deterministic || (p->open_rows && !p->rows);
    return unknown ? 1e5 : fmax(1, (double)p->rows * (double)p->inner);
}

size_t clsm_problem_sure_rows(const struct problem *p)
{
    size_t rows = p->deterministic ? 1 : p->rows * p->inner;
    return rows ? rows : 1;
}

bool clsm_problem_adds_mask(const struct problem *p)
{
    return clsm_has(p, CLSM_MASK) && p->mask_type != CLSM_MASK_BOOL;
}

bool clsm_problem_is_loss_gradient(const struct problem *p)
{
    return clsm_has(p, CLSM_TARGETS) && clsm_problem_y(p) == CLSM_Y_ROW;
}

bool clsm_problem_holds_logits(const struct problem *p)
{
    return clsm_problem_adds_mask(p) || p->scale < 0 || p->softcap != 0 ||
           clsm_has(p, CLSM_TEMPERATURE) || clsm_has(p, CLSM_SLOPES);
}

bool clsm_problem_has_far_mask(const struct problem *p)
{
    const size_t near = 32768; /* bytes of x: beside these the cache has room for it */
    return clsm_problem_adds_mask(p) && p->cols > near / clsm_type_bytes(p->x.type);
}

bool clsm_problem_has_one_state(const struct problem *p)
{
    return !p->one_hot && !clsm_has(p, CLSM_TEMPERATURE) && p->label_smoothing == 0 &&
           clsm_problem_y(p) != CLSM_Y_K;
}

enum { LEAST_KEYS = 3 };

unsigned clsm_problem_key_bits(const struct problem *p)
{
    unsigned bits = p->x.type == CLSM_BF16 ? 16 : p->x.type == CLSM_F16 ? 13 : 0;
    bool bare = !clsm_problem_has_forms(p) && !clsm_problem_is_f64(p);
    bool fits = !p->open_cols && p->cols <= (size_t)1 << bits;
    return p->k >= LEAST_KEYS && bare && fits ? bits : 0;
}

bool clsm_problem_is_empty(const struct problem *p)
{
    if (!p->rows || !p->inner)
        return true;
    for (unsigned o = 0; o < CLSM_OPERAND_COUNT; o++)
        if (clsm_has(p, (clsm_operand)o) && clsm_operand_is_written((clsm_operand)o))
            return false;
    return !p->y.cols;
}

bool clsm_problem_is_f64(const struct problem *p)
{
    return p->x.type == CLSM_F64 || p->y.type == CLSM_F64 ||
           (clsm_has(p, CLSM_DY) && p->dy.type == CLSM_F64);
}

clsm_type clsm_problem_real(const struct problem *p)
{
    return clsm_problem_is_f64(p) ? CLSM_F64 : CLSM_F32;
}

size_t clsm_problem_real_bytes(const struct problem *p)
{
    return clsm_type_bytes(clsm_problem_real(p));
}
