/* SPDX-License-Identifier: MIT */
/* Checking a problem, without any device: values, sizes, strides, overflow. */
#include "problem.h"

#include "status.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
#define ROW(NAME, name, bytes) {#name, bytes},
    CLSM_TYPES(ROW)
#undef ROW
};

static const char *const ops[] = {
#define ROW(NAME, name) #name,
    CLSM_OPERATIONS(ROW)
#undef ROW
};

size_t clsm_type_bytes(clsm_type type)
{
    return (size_t)type < COUNT(types) ? types[type].bytes : 0;
}

const char *clsm_type_name(clsm_type type)
{
    return (size_t)type < COUNT(types) ? types[type].name : "?";
}

const char *clsm_op_name(clsm_op op)
{
    return (size_t)op < COUNT(ops) ? ops[op] : "?";
}

clsm_status clsm_type_find(const char *name, clsm_type *type)
{
    NEED(name);
    NEED(type);
    for (size_t i = 0; i < COUNT(types); i++)
        if (strcmp(name, types[i].name) == 0) {
            *type = (clsm_type)i;
            return CLSM_OK;
        }
    return clsm_fail(CLSM_ERR_VALUE, "type is \"%s\", expected f32, f16, bf16 or f64",
                     name);
}

clsm_status clsm_op_find(const char *name, clsm_op *op)
{
    NEED(name);
    NEED(op);
    for (size_t i = 0; i < COUNT(ops); i++)
        if (strcmp(name, ops[i]) == 0) {
            *op = (clsm_op)i;
            return CLSM_OK;
        }
#define ROW(NAME, name) " " #name
    return clsm_fail(CLSM_ERR_VALUE, "operation is \"%s\", expected one of:%s", name,
                     CLSM_OPERATIONS(ROW));
#undef ROW
}

void clsm_problem_init(clsm_problem *problem, clsm_op op, clsm_type type, size_t rows,
                       size_t cols)
{
    if (!problem)
        return;
    *problem = (clsm_problem){
        .struct_bytes = sizeof *problem,
        .op = op,
        .x_type = type,
        .y_type = type,
        .rows = rows,
        .cols = cols,
        .inner = 1,
    };
}

static clsm_status check_values(const clsm_problem *problem)
{
    const unsigned known = CLSM_OPEN_ROWS | CLSM_OPEN_COLS | CLSM_DETERMINISTIC;
    if ((size_t)problem->op >= COUNT(ops))
        return clsm_fail(CLSM_ERR_VALUE, "problem.op is %d, expected 0 to %zu",
                         (int)problem->op, COUNT(ops) - 1);
    if ((size_t)problem->x_type >= COUNT(types))
        return clsm_fail(CLSM_ERR_VALUE, "problem.x_type is %d, expected 0 to %zu",
                         (int)problem->x_type, COUNT(types) - 1);
    if ((size_t)problem->y_type >= COUNT(types))
        return clsm_fail(CLSM_ERR_VALUE, "problem.y_type is %d, expected 0 to %zu",
                         (int)problem->y_type, COUNT(types) - 1);
    if ((unsigned)problem->nonfinite > CLSM_NONFINITE_LIMIT)
        return clsm_fail(CLSM_ERR_VALUE, "problem.nonfinite is %d, expected 0 or 1",
                         (int)problem->nonfinite);
    if (problem->flags & ~known)
        return clsm_fail(CLSM_ERR_VALUE, "problem.flags is 0x%x, known bits are 0x%x",
                         problem->flags, known);
    return CLSM_OK;
}

/* a * b + c, or SIZE_MAX where that does not fit. */
static size_t mul_add(size_t a, size_t b, size_t c)
{
    if (a && b > (SIZE_MAX - c) / a)
        return SIZE_MAX;
    return a * b + c;
}

size_t clsm_layout_extent(const struct layout *l, const struct problem *p)
{
    if (clsm_problem_is_empty(p))
        return 0;
    size_t one_row = mul_add(p->cols - 1, l->col_stride, p->inner);
    return one_row == SIZE_MAX ? one_row : mul_add(p->rows - 1, l->row_stride, one_row);
}

/* Fill in packed strides and check that rows neither overlap nor overflow. */
static clsm_status check_layout(const struct problem *p, char name, struct layout *l)
{
    if (!l->col_stride)
        l->col_stride = p->inner;
    if (l->col_stride < p->inner && p->cols > 1)
        return clsm_fail(CLSM_ERR_SHAPE,
                         "%c_col_stride is %zu, expected at least inner, %zu", name,
                         l->col_stride, p->inner);
    struct problem one = *p;
    one.rows = p->rows ? 1 : 0;
    size_t one_row = clsm_layout_extent(l, &one);
    if (!l->row_stride)
        l->row_stride = mul_add(p->cols, l->col_stride, 0);
    if (l->row_stride < one_row && p->rows > 1)
        return clsm_fail(
            CLSM_ERR_SHAPE,
            "%c_row_stride is %zu, expected at least one row's extent, %zu", name,
            l->row_stride, one_row);
    size_t extent = clsm_layout_extent(l, p);
    if (extent > SIZE_MAX / clsm_type_bytes(l->type))
        return clsm_fail(
            CLSM_ERR_SHAPE,
            "%c: rows %zu x cols %zu x inner %zu with row stride %zu do not fit "
            "in size_t bytes",
            name, p->rows, p->cols, p->inner, l->row_stride);
    return CLSM_OK;
}

static clsm_status check_shape(struct problem *p)
{
    if (p->cols > MAX_COLS)
        return clsm_fail(CLSM_ERR_SHAPE, "cols is %zu, expected at most %zu", p->cols,
                         MAX_COLS);
    if (mul_add(p->rows, p->inner, 0) == SIZE_MAX)
        return clsm_fail(CLSM_ERR_SHAPE, "rows %zu x inner %zu overflow size_t",
                         p->rows, p->inner);
    TRY(check_layout(p, 'x', &p->x));
    TRY(check_layout(p, 'y', &p->y));
    p->strided = p->inner > 1 || p->x.col_stride > 1 || p->y.col_stride > 1;
    return CLSM_OK;
}

clsm_status clsm_problem_check(const clsm_problem *problem, struct problem *p)
{
    if (!problem)
        return clsm_fail(CLSM_ERR_NULL, "problem is NULL");
    if (problem->struct_bytes != sizeof *problem)
        return clsm_fail(
            CLSM_ERR_STRUCT,
            "problem.struct_bytes is %zu, expected %zu: call clsm_problem_init() "
            "first",
            problem->struct_bytes, sizeof *problem);
    TRY(check_values(problem));
    *p = (struct problem){
        .op = problem->op,
        .nonfinite = problem->nonfinite,
        .open_rows = problem->flags & CLSM_OPEN_ROWS,
        .open_cols = problem->flags & CLSM_OPEN_COLS,
        .deterministic = problem->flags & CLSM_DETERMINISTIC,
        .rows = problem->rows,
        .cols = problem->cols,
        .inner = problem->inner,
        .x = {problem->x_type, problem->x_row_stride, problem->x_col_stride},
        .y = {problem->y_type, problem->y_row_stride, problem->y_col_stride},
    };
    return check_shape(p);
}

clsm_status clsm_problem_at(const struct problem *plan, size_t rows, size_t cols,
                            size_t x_row_stride, size_t y_row_stride, struct problem *p)
{
    if (rows != plan->rows && !plan->open_rows)
        return clsm_fail(CLSM_ERR_SHAPE,
                         "rows is %zu, expected the plan's %zu (no CLSM_OPEN_ROWS)",
                         rows, plan->rows);
    if (cols != plan->cols && !plan->open_cols)
        return clsm_fail(CLSM_ERR_SHAPE,
                         "cols is %zu, expected the plan's %zu (no CLSM_OPEN_COLS)",
                         cols, plan->cols);
    if (cols > plan->cols)
        return clsm_fail(CLSM_ERR_SHAPE, "cols is %zu, expected at most the plan's %zu",
                         cols, plan->cols);
    *p = *plan;
    p->rows = rows;
    p->cols = cols;
    p->x.row_stride = x_row_stride;
    p->y.row_stride = y_row_stride;
    return check_shape(p);
}

bool clsm_problem_is_empty(const struct problem *p)
{
    return !p->rows || !p->cols || !p->inner;
}

uint64_t clsm_problem_bytes(const struct problem *p)
{
    uint64_t elements = (uint64_t)p->rows * p->cols * p->inner; /* below its extent */
    uint64_t each = clsm_type_bytes(p->x.type) + clsm_type_bytes(p->y.type);
    return elements > UINT64_MAX / each ? UINT64_MAX : elements * each;
}

bool clsm_problem_is_f64(const struct problem *p)
{
    return p->x.type == CLSM_F64 || p->y.type == CLSM_F64;
}
