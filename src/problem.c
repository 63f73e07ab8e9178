/* SPDX-License-Identifier: MIT */
/* Checking a problem, without any device: values, and which go together. */
#include "problem.h"

#include "layout.h"
#include "status.h"

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
    const unsigned written = CLSM_STATISTICS_BITS | CLSM_BIT(CLSM_LOSS) |
                             CLSM_BIT(CLSM_INDICES) | CLSM_BIT(CLSM_BAD_TARGETS);
    return written & CLSM_BIT(operand);
}

/* A field that is an enum: within its range? */
static clsm_status check_enum(const char *field, unsigned value, size_t count)
{
    return value < count
               ? CLSM_OK
               : clsm_fail(CLSM_ERR_VALUE, "problem.%s is %d, expected 0 to %zu", field,
                           (int)value, count - 1);
}

static clsm_status check_enums(const clsm_problem *problem)
{
    const unsigned known =
        CLSM_OPEN_ROWS | CLSM_OPEN_COLS | CLSM_DETERMINISTIC | CLSM_CAUSAL;
    TRY(check_enum("op", (unsigned)problem->op, CLSM_OP_COUNT));
    TRY(check_enum("x_type", (unsigned)problem->x_type, clsm_type_count()));
    TRY(check_enum("y_type", (unsigned)problem->y_type, clsm_type_count()));
    TRY(check_enum("dy_type", (unsigned)problem->dy_type, clsm_type_count()));
    TRY(check_enum("mask_type", (unsigned)problem->mask_type, CLSM_MASK_BOOL + 1));
    TRY(check_enum("target_type", (unsigned)problem->target_type, CLSM_TARGET_I64 + 1));
    TRY(check_enum("nonfinite", (unsigned)problem->nonfinite,
                   CLSM_NONFINITE_LIMIT + 1));
    if (problem->flags & ~known)
        return clsm_fail(CLSM_ERR_VALUE, "problem.flags is 0x%x, known bits are 0x%x",
                         problem->flags, known);
    return CLSM_OK;
}

/* A number: finite in the type that is computed in, and within [least, most]? */
static clsm_status check_number(const struct problem *p, const char *field, double v,
                                double least, double most)
{
    bool finite = clsm_problem_is_f64(p) ? isfinite(v) : isfinite((float)v);
    return finite && v >= least && v <= most
               ? CLSM_OK
               : clsm_fail(CLSM_ERR_VALUE,
                           "problem.%s is %g, expected a number from %g to %g", field,
                           v, least, most);
}

static clsm_status check_operands(const clsm_problem *problem, struct problem *p)
{
    const unsigned needs = clsm_op_needs(p->op), may = clsm_op_may(p->op);
    p->operands = problem->operands | needs;
    if (problem->mask_type != CLSM_MASK_NONE)
        p->operands |= CLSM_BIT(CLSM_MASK);
    for (unsigned o = 0; o < 32; o++)
        if (p->operands & 1u << o & (o < CLSM_OPERAND_COUNT ? ~(needs | may) : ~0u))
            return clsm_fail(CLSM_ERR_VALUE, "problem: operand %s is none of %s's",
                             clsm_operand_name((clsm_operand)o), clsm_op_name(p->op));
    if (clsm_has(p, CLSM_MASK) && problem->mask_type == CLSM_MASK_NONE)
        return clsm_fail(CLSM_ERR_VALUE,
                         "problem.mask_type is none, expected f32, f16 or bool for the "
                         "operand mask");
    return CLSM_OK;
}

/* Forms where the operation takes none. */
static clsm_status check_no_forms(const clsm_problem *problem, const struct problem *p)
{
    const char *form = problem->scale != 1            ? "scale"
                       : problem->temperature != 1    ? "temperature"
                       : problem->softcap != 0        ? "softcap"
                       : problem->window              ? "window"
                       : problem->flags & CLSM_CAUSAL ? "CLSM_CAUSAL"
                                                      : NULL;
    return form ? clsm_fail(CLSM_ERR_VALUE, "problem: %s does not go with %s", form,
                            clsm_op_name(p->op))
                : CLSM_OK;
}

static clsm_status check_forms(const clsm_problem *problem, struct problem *p)
{
    const unsigned may = clsm_op_may(p->op);
    if (!(may & CLSM_FORM_BITS))
        return check_no_forms(problem, p);
    TRY(check_number(p, "softcap", problem->softcap, 0, INFINITY));
    if (problem->softcap > 0 && !clsm_problem_is_f64(p) && (float)problem->softcap == 0)
        return clsm_fail(CLSM_ERR_VALUE,
                         "problem.softcap is %g, expected 0 or a number that f32 holds",
                         problem->softcap);
    TRY(check_number(p, "temperature", problem->temperature, 0, INFINITY));
    p->one_hot = problem->temperature == 0;
    if (p->one_hot && !(may & CLSM_BIT(CLSM_TEMPERATURE)))
        return clsm_fail(CLSM_ERR_VALUE,
                         "problem.temperature is 0, expected more: %s sees only a part "
                         "of what decides it",
                         clsm_op_name(p->op));
    if (problem->temperature != 1 && clsm_has(p, CLSM_TEMPERATURE))
        return clsm_fail(CLSM_ERR_VALUE,
                         "problem.temperature is %g, expected 1 with the operand "
                         "temperature",
                         problem->temperature);
    p->scale = problem->scale / (p->one_hot ? 1 : problem->temperature);
    double held = clsm_problem_is_f64(p) ? p->scale : (float)p->scale;
    if (!isfinite(held) || held == 0)
        return clsm_fail(CLSM_ERR_VALUE,
                         "problem.scale / temperature is %g / %g, expected finite and "
                         "not 0; temperature 0 puts all mass on the maximum",
                         problem->scale, problem->temperature);
    return CLSM_OK;
}

static clsm_status check_numbers(const clsm_problem *problem, const struct problem *p)
{
    if (problem->k < 1 || problem->k > CLSM_MAX_K)
        return clsm_fail(CLSM_ERR_VALUE, "problem.k is %zu, expected 1 to %d",
                         problem->k, CLSM_MAX_K);
    if (!problem->heads)
        return clsm_fail(CLSM_ERR_VALUE, "problem.heads is 0, expected at least 1");
    if (clsm_op_may(p->op) & CLSM_ONLY_DEFAULT &&
        problem->nonfinite != CLSM_NONFINITE_DEFAULT)
        return clsm_fail(CLSM_ERR_VALUE,
                         "problem.nonfinite is the limit, expected the default: %s has "
                         "no other",
                         clsm_op_name(p->op));
    TRY(check_number(p, "label_smoothing", problem->label_smoothing, 0, 1));
    TRY(check_number(p, "z_loss", problem->z_loss, 0, INFINITY));
    return check_number(p, "grad_scale", problem->grad_scale, -INFINITY, INFINITY);
}

clsm_status clsm_problem_check(const clsm_problem *from, struct problem *p)
{
    clsm_problem full;
    const clsm_problem *problem = &full;
    TRY(clsm_problem_complete(from, &full));
    TRY(check_enums(problem));
    *p = (struct problem){
        .op = problem->op,
        .nonfinite = problem->nonfinite,
        .open_rows = problem->flags & CLSM_OPEN_ROWS,
        .open_cols = problem->flags & CLSM_OPEN_COLS,
        .deterministic = problem->flags & CLSM_DETERMINISTIC,
        .causal = problem->flags & CLSM_CAUSAL,
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
        .causal_offset = problem->causal_offset,
        .window = problem->window,
        .k = problem->k,
        .target_type = problem->target_type,
        .ignore_index = problem->ignore_index,
        .label_smoothing = problem->label_smoothing,
        .z_loss = problem->z_loss,
        .grad_scale = problem->grad_scale,
    };
    if (clsm_op_may(p->op) & CLSM_ONLY_LIMIT)
        p->nonfinite = CLSM_NONFINITE_LIMIT;
    TRY(check_operands(problem, p));
    TRY(check_forms(problem, p));
    TRY(check_numbers(problem, p));
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
    p->causal_offset = args->causal_offset;
    p->grad_scale = args->grad_scale;
    TRY(check_number(p, "grad_scale", p->grad_scale, -INFINITY, INFINITY));
    return clsm_layouts_check(p);
}

bool clsm_problem_is_batched(const struct problem *p)
{
    const unsigned by_place =
        CLSM_BIT(CLSM_MASK) | CLSM_BIT(CLSM_SLOPES) | CLSM_BIT(CLSM_SINKS);
    return !p->one_matrix || p->heads > 1 || p->causal || p->window ||
           p->operands & by_place;
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
