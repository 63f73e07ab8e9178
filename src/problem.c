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
