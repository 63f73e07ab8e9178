/* SPDX-License-Identifier: MIT */
/* Which values a problem's fields may have, and which go together. */
#include "values.h"

#include "convert.h"
#include "status.h"

#include <float.h>
#include <math.h>

/* A field that is an enum: within its range? */
static clsm_status check_enum(const char *field, unsigned value, size_t count)
{
    return value < count
               ? CLSM_OK
               : clsm_fail(CLSM_ERR_VALUE, "problem.%s is %d, expected 0 to %zu", field,
                           (int)value, count - 1);
}

clsm_status clsm_check_enums(const clsm_problem *problem)
{
    const unsigned known = CLSM_OPEN_ROWS | CLSM_OPEN_COLS | CLSM_DETERMINISTIC |
                           CLSM_CAUSAL | CLSM_READ_SOON;
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
clsm_status clsm_check_number(const struct problem *p, const char *field, double v,
                              double least, double most)
{
    bool f64 = clsm_problem_is_f64(p), finite = f64 ? isfinite(v) : isfinite((float)v);
    const char *range = f64 ? "" : ", of f32's range";
    if (finite && v >= least && v <= most)
        return CLSM_OK;
    if (isfinite(most))
        return clsm_fail(CLSM_ERR_VALUE, "%s is %g, expected a number from %g to %g",
                         field, v, least, most);
    if (isfinite(least))
        return clsm_fail(CLSM_ERR_VALUE, "%s is %g, expected a finite number from %g%s",
                         field, v, least, range);
    return clsm_fail(CLSM_ERR_VALUE, "%s is %g, expected a finite number%s", field, v,
                     range);
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

/* Fields that mean something to some problems only, and what they are in all others. */
static clsm_status check_unused(const clsm_problem *problem, const struct problem *p)
{
    const unsigned needs = clsm_op_needs(p->op);
    const bool forms = clsm_op_may(p->op) & CLSM_FORM_BITS,
               targets = needs & CLSM_BIT(CLSM_TARGETS),
               row = clsm_problem_y(p) == CLSM_Y_ROW,
               gradient = row && needs & (CLSM_BIT(CLSM_DY) | CLSM_BIT(CLSM_LOSS));
    clsm_problem fresh;
    clsm_problem_init(&fresh, problem->op, problem->x_type, 0, 0);
    const struct {
        const char *name;
        bool used;
        double is, unused;
    } fields[] = {
        {"scale", forms, problem->scale, fresh.scale},
        {"temperature", forms, problem->temperature, fresh.temperature},
        {"softcap", forms, problem->softcap, fresh.softcap},
        {"causal_offset", forms, (double)problem->causal_offset,
         (double)fresh.causal_offset},
        {"window", forms, (double)problem->window, (double)fresh.window},
        {"CLSM_CAUSAL", forms, p->causal, 0},
        {"k", clsm_problem_y(p) == CLSM_Y_K, (double)problem->k, (double)fresh.k},
        {"target_type", targets, problem->target_type, fresh.target_type},
        {"ignore_index", targets, (double)problem->ignore_index,
         (double)fresh.ignore_index},
        {"label_smoothing", targets, problem->label_smoothing, fresh.label_smoothing},
        {"z_loss", targets, problem->z_loss, fresh.z_loss},
        {"grad_scale", gradient, problem->grad_scale, fresh.grad_scale},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!fields[i].used && fields[i].is != fields[i].unused)
            return clsm_fail(CLSM_ERR_VALUE,
                             "problem: %s does not go with %s; it is %g, expected %g",
                             fields[i].name, clsm_op_name(p->op), fields[i].is,
                             fields[i].unused);
    return CLSM_OK;
}

/* The query's place serves these three only. */
static clsm_status check_place(const clsm_problem *problem, const struct problem *p)
{
    if (!problem->causal_offset || clsm_problem_is_bounded(p) ||
        clsm_has(p, CLSM_SLOPES))
        return CLSM_OK;
    return clsm_fail(CLSM_ERR_VALUE,
                     "problem.causal_offset is %td, expected 0 without CLSM_CAUSAL, a "
                     "window and the operand slopes",
                     problem->causal_offset);
}

/* A smaller or larger one would leave the range of the type that is computed in when x
 * is divided by it. */
static clsm_status check_softcap(const struct problem *p)
{
    const bool f64 = clsm_problem_is_f64(p);
    const double least = clsm_element_min_normal(clsm_problem_real(p)),
                 most = f64 ? 0x1p1000 : 0x1p100;
    if (p->softcap == 0 || (p->softcap >= least && p->softcap <= most))
        return CLSM_OK;
    return clsm_fail(CLSM_ERR_VALUE,
                     "problem.softcap is %g, expected 0 or a number from %g to %g",
                     p->softcap, least, most);
}

/* Held as kernels hold it. */
static clsm_status check_scale(const clsm_problem *problem, const struct problem *p)
{
    const bool f64 = clsm_problem_is_f64(p);
    const double held = f64 ? p->scale : (float)p->scale,
                 least = clsm_element_min_normal(clsm_problem_real(p));
    if (isfinite(held) && fabs(held) >= least)
        return CLSM_OK;
    return clsm_fail(
        CLSM_ERR_VALUE,
        "problem.scale / temperature is %g / %g, expected finite and not 0, "
        "of magnitude %g to %g; temperature 0 puts all mass on the maximum",
        problem->scale, problem->temperature, least, f64 ? DBL_MAX : (double)FLT_MAX);
}

static clsm_status check_forms(const clsm_problem *problem, struct problem *p)
{
    const unsigned may = clsm_op_may(p->op);
    if (!(may & CLSM_FORM_BITS))
        return CLSM_OK;
    TRY(check_place(problem, p));
    TRY(check_softcap(p));
    TRY(clsm_check_number(p, "problem.temperature", problem->temperature, 0, INFINITY));
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
    return check_scale(problem, p);
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
    TRY(clsm_check_number(p, "problem.label_smoothing", problem->label_smoothing, 0,
                          1));
    TRY(clsm_check_number(p, "problem.z_loss", problem->z_loss, 0, INFINITY));
    return clsm_check_number(p, "problem.grad_scale", problem->grad_scale, -INFINITY,
                             INFINITY);
}

clsm_status clsm_check_values(const clsm_problem *problem, struct problem *p)
{
    TRY(check_operands(problem, p));
    TRY(check_unused(problem, p));
    TRY(check_forms(problem, p));
    return check_numbers(problem, p);
}
