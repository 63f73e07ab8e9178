/* SPDX-License-Identifier: MIT */
/* A problem from a caller's struct, without any device. */
#include "problem.h"

#include "layout.h"
#include "status.h"
#include "values.h"

#include <math.h>
#include <string.h>

static clsm_problem defaults(clsm_op op, clsm_type type, size_t rows, size_t cols)
{
    return (clsm_problem){
        .struct_bytes = sizeof(clsm_problem),
        .op = op,
        .x_type = type,
        .y_type = type,
        .dy_type = type,
        .rows = rows,
        .cols = cols,
        .inner = 1,
        .heads = 1,
        .scale = 1,
        .temperature = 1,
        .mask_stride = {.col = 1},
        .k = 1,
        .ignore_index = -100,
        .grad_scale = 1,
    };
}

void clsm_problem_init_sized(clsm_problem *problem, size_t struct_bytes, clsm_op op,
                             clsm_type type, size_t rows, size_t cols)
{
    const clsm_problem full = defaults(op, type, rows, cols);
    if (!problem || struct_bytes < sizeof struct_bytes)
        return;
    memcpy(problem, &full, struct_bytes < sizeof full ? struct_bytes : sizeof full);
    problem->struct_bytes = struct_bytes;
}

clsm_status clsm_problem_complete(const clsm_problem *problem, clsm_problem *full)
{
    if (!problem)
        return clsm_fail(CLSM_ERR_NULL, "problem is NULL");
    if (problem->struct_bytes < offsetof(clsm_problem, operands) ||
        problem->struct_bytes > sizeof *full)
        return clsm_fail(
            CLSM_ERR_STRUCT,
            "problem.struct_bytes is %zu, expected %zu: call clsm_problem_init() "
            "first",
            problem->struct_bytes, sizeof *full);
    *full = defaults(problem->op, problem->x_type, 0, 0);
    memcpy(full, problem, problem->struct_bytes);
    return CLSM_OK;
}

bool clsm_has(const struct problem *p, clsm_operand operand)
{
    return p->operands & CLSM_BIT(operand);
}

bool clsm_operand_is_written(clsm_operand operand)
{
    return CLSM_WRITTEN_BITS & CLSM_BIT(operand);
}

/* Past every column, and near enough that a kernel's sums with it do not overflow. */
static ptrdiff_t near_offset(ptrdiff_t v)
{
    const long long most = 1LL << 61;
    return (ptrdiff_t)(v > most ? most : v < -most ? -most : v);
}

/* Wider than from the farthest offset to any column. */
static size_t near_window(size_t v)
{
    const unsigned long long most = 1ULL << 62;
    return (size_t)(v > most ? most : v);
}

clsm_status clsm_problem_check(const clsm_problem *from, struct problem *p)
{
    clsm_problem full;
    const clsm_problem *problem = &full;
    TRY(clsm_problem_complete(from, &full));
    TRY(clsm_check_enums(problem));
    *p = (struct problem){
        .op = problem->op,
        .nonfinite = problem->nonfinite,
        .open_rows = problem->flags & CLSM_OPEN_ROWS,
        .open_cols = problem->flags & CLSM_OPEN_COLS,
        .deterministic = problem->flags & CLSM_DETERMINISTIC,
        .causal = problem->flags & CLSM_CAUSAL,
        .read_soon = problem->flags & CLSM_READ_SOON,
        .rows = problem->rows,
        .cols = problem->cols,
        .inner = problem->inner,
        .one_matrix = !problem->queries,
        .queries = problem->queries,
        .heads = problem->heads,
        .x = {problem->x_type, problem->x_matrix_stride, problem->x_row_stride,
              problem->x_col_stride, 0},
        .y = {problem->y_type, problem->y_matrix_stride, problem->y_row_stride,
              problem->y_col_stride, 0},
        .dy = {problem->dy_type, problem->dy_matrix_stride, problem->dy_row_stride,
               problem->dy_col_stride, 0},
        .scale = 1,
        .softcap = problem->softcap,
        .mask_type = problem->mask_type,
        .mask_stride = problem->mask_stride,
        .causal_offset = near_offset(problem->causal_offset),
        .window = near_window(problem->window),
        .k = problem->k,
        .target_type = problem->target_type,
        .ignore_index = problem->ignore_index,
        .label_smoothing = problem->label_smoothing,
        .z_loss = problem->z_loss,
        .grad_scale = problem->grad_scale,
    };
    if (clsm_op_may(p->op) & CLSM_ONLY_LIMIT)
        p->nonfinite = CLSM_NONFINITE_LIMIT;
    if (clsm_problem_y(p) == CLSM_Y_NONE) /* what it says of y counts for nothing */
        p->y.type = p->x.type;
    TRY(clsm_check_values(problem, p));
    return clsm_layouts_check(p);
}

clsm_status clsm_problem_at(const struct problem *plan, const clsm_args *args,
                            struct problem *p)
{
    if (args->rows != plan->rows && !plan->open_rows)
        return clsm_fail(CLSM_ERR_SHAPE,
                         "rows is %zu, expected the plan's %zu (no CLSM_OPEN_ROWS)",
                         args->rows, plan->rows);
    if (args->cols != plan->cols && !plan->open_cols)
        return clsm_fail(CLSM_ERR_SHAPE,
                         "cols is %zu, expected the plan's %zu (no CLSM_OPEN_COLS)",
                         args->cols, plan->cols);
    if (args->cols > plan->cols)
        return clsm_fail(CLSM_ERR_SHAPE, "cols is %zu, expected at most the plan's %zu",
                         args->cols, plan->cols);
    *p = *plan;
    p->rows = args->rows;
    p->cols = args->cols;
    p->x.row_stride = args->x_row_stride;
    p->y.row_stride = args->y_row_stride;
    p->dy.row_stride = args->dy_row_stride;
    p->x.matrix_stride = args->x_matrix_stride;
    p->y.matrix_stride = args->y_matrix_stride;
    p->dy.matrix_stride = args->dy_matrix_stride;
    p->mask_stride = args->mask_stride;
    p->causal_offset = near_offset(args->causal_offset);
    p->grad_scale = args->grad_scale;
    TRY(clsm_check_number(p, "args.grad_scale", p->grad_scale, -INFINITY, INFINITY));
    return clsm_layouts_check(p);
}

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
