/* SPDX-License-Identifier: MIT */
/* The public reference and comparing a result with it. */
#include "convert.h"
#include "reference.h"
#include "status.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* A written operand that a call has brought. */
static bool takes_part(const struct problem *p, const clsm_host_args *args, unsigned o)
{
    return clsm_has(p, (clsm_operand)o) && clsm_operand_is_written((clsm_operand)o) &&
           args->operand[o];
}

/* What is read must be there, unless it is empty. */
static clsm_status check_inputs(const struct problem *p, const clsm_host_args *in)
{
    if (!in->x && clsm_layout_extent(&p->x, p))
        return clsm_fail(CLSM_ERR_NULL, "x is NULL");
    for (unsigned o = 0; o < CLSM_OPERAND_COUNT; o++)
        if (clsm_has(p, (clsm_operand)o) && !clsm_operand_is_written((clsm_operand)o) &&
            !in->operand[o] && clsm_operand_extent((clsm_operand)o, p))
            return clsm_fail(CLSM_ERR_NULL, "operand %s is NULL",
                             clsm_operand_name((clsm_operand)o));
    return CLSM_OK;
}

static double count_bad(const struct problem *p, const clsm_host_args *in)
{
    struct ref_row row = {.p = p, .in = in};
    double n = 0;
    for (row.r = 0; row.r < p->rows; row.r++)
        for (row.i = 0; row.i < p->inner; row.i++) {
            size_t target;
            bool bad;
            clsm_ref_target(&row, &target, &bad);
            n += bad;
        }
    return n;
}

static void write_row(const struct ref_row *row, const clsm_host_args *out)
{
    const struct problem *p = row->p;
    double *y = out->y, *indices = out->operand[CLSM_INDICES];
    for (size_t c = 0; c < p->y.cols; c++) {
        size_t at = (row->r * p->y.cols + c) * p->inner + row->i;
        if (y)
            y[at] = (double)clsm_ref_y(row, c).value;
        if (indices && clsm_has(p, CLSM_INDICES))
            indices[at] = row->top[c] == SIZE_MAX ? -1 : (double)row->top[c];
    }
    for (unsigned o = CLSM_MAX; o <= CLSM_LOSS; o++)
        if (takes_part(p, out, o))
            ((double *)out->operand[o])[clsm_ref_number(row)] =
                (double)clsm_ref_operand(row, (clsm_operand)o).value;
}

clsm_status clsm_reference_args(const clsm_problem *problem, const clsm_host_args *in,
                                const clsm_host_args *out)
{
    struct problem p;
    NEED_STRUCT(in, "set it to sizeof(clsm_host_args)");
    NEED_STRUCT(out, "set it to sizeof(clsm_host_args)");
    TRY(clsm_problem_check(problem, &p));
    if (takes_part(&p, out, CLSM_BAD_TARGETS))
        *(double *)out->operand[CLSM_BAD_TARGETS] = 0;
    if (clsm_problem_is_empty(&p))
        return CLSM_OK;
    TRY(check_inputs(&p, in));
    for (size_t r = 0; r < p.rows; r++)
        for (size_t i = 0; i < p.inner; i++) {
            struct ref_row row;
            clsm_ref_start(&row, &p, in, r, i);
            write_row(&row, out);
        }
    if (takes_part(&p, out, CLSM_BAD_TARGETS))
        *(double *)out->operand[CLSM_BAD_TARGETS] = count_bad(&p, in);
    return CLSM_OK;
}

clsm_status clsm_reference(const clsm_problem *problem, const void *x, double *y)
{
    const clsm_host_args in = {.struct_bytes = sizeof in, .x = x};
    const clsm_host_args out = {.struct_bytes = sizeof out, .y = y};
    struct problem p;
    TRY(clsm_problem_check(problem, &p));
    if (!clsm_problem_is_empty(&p))
        NEED(y);
    return clsm_reference_args(problem, &in, &out);
}

/* The largest error that is allowed where a value is stored in `type`. */
static long double bound_of(const struct problem *p, struct want want, clsm_type type)
{
    long double ulp = clsm_element_ulp(type, (double)want.value);
    long double underflow = clsm_element_min_normal(clsm_problem_real(p));
    if (type == CLSM_F16 || type == CLSM_BF16)
        return fmaxl(ulp, ulp / 2 + want.error) + underflow;
    long double rounded = clsm_problem_is_f64(p) && type == CLSM_F32 ? ulp / 2 : 0;
    return want.error + rounded + underflow;
}

/* got's error over the bound; above 1 is a failure. */
static double excess_of(long double want, double got, long double bound, clsm_type type)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : INFINITY;
    if (isinf(want))
        return got == (double)want ? 0 : INFINITY;
    if (isinf(got)) { /* right where what is expected overflows the type */
        double largest = clsm_element_max(type);
        long double least = (long double)largest + clsm_element_ulp(type, largest) / 2;
        bool overflows = fabsl(want) + bound >= least;
        return overflows && (got < 0) == (want < 0) ? 0 : INFINITY;
    }
    return (double)(fabsl(got - want) / bound);
}

/* One comparison. */
static void record(const struct ref_row *row, clsm_operand operand, size_t c,
                   double excess, double want, double got, clsm_report *report)
{
    excess = isnan(excess) ? INFINITY : excess; /* there is no bound */
    report->checked++;
    report->failed += !(excess <= 1);
    if (!(excess > report->worst))
        return;
    report->worst = excess;
    report->worst_operand = operand;
    report->worst_row = row->r, report->worst_col = c, report->worst_inner = row->i;
    report->expected = want, report->got = got;
}

static void check_value(const struct ref_row *row, clsm_operand operand, size_t c,
                        struct want want, double got, clsm_type type,
                        clsm_report *report)
{
    double excess = excess_of(want.value, got, bound_of(row->p, want, type), type);
    record(row, operand, c, excess, (double)want.value, got, report);
    if (!isfinite(want.value) || !isfinite(got))
        return;
    double error = (double)fabsl(got - want.value);
    report->max_abs = fmax(report->max_abs, error);
    if (operand == CLSM_Y && fabsl(want.value) >= clsm_element_min_normal(type))
        report->max_ulp =
            fmax(report->max_ulp, error / clsm_element_ulp(type, (double)want.value));
}

/* May rounding make the logits of these columns equal, or change their order? */
static bool may_tie(const struct ref_row *row, size_t one, size_t other)
{
    struct want a = clsm_ref_logit(row, one), b = clsm_ref_logit(row, other);
    return a.error + b.error > 0 &&
           fabsl(a.value - b.value) <= (a.error + b.error) * row->u;
}

/* At temperature 0: of columns that may tie the one that the result has. */
static void take_hot(struct ref_row *row, const clsm_host_args *args)
{
    const struct problem *p = row->p;
    if (!row->f.one_hot || clsm_problem_y(p) != CLSM_Y_ROW)
        return;
    double hot = (double)clsm_ref_y(row, row->f.first).value;
    for (size_t c = 0; c < p->cols; c++) {
        if (clsm_ref_element(row, &p->y, args->y, c) != hot ||
            !may_tie(row, row->f.first, c))
            continue;
        struct want v = clsm_ref_logit(row, c);
        row->f.first = c;
        row->f.max = v.value;
        row->f.max_error = v.error;
        return;
    }
}

/* An index may stand for another column only where the two may tie. */
static bool index_is_right(const struct ref_row *row, const int32_t *indices, size_t j)
{
    const struct problem *p = row->p;
    const size_t first = row->r * p->k * p->inner + row->i;
    const int32_t got = indices[first + j * p->inner];
    if (row->top[j] == SIZE_MAX || got < 0 || (size_t)got >= p->cols)
        return row->top[j] == SIZE_MAX && got == -1;
    for (size_t i = 0; i < j; i++)
        if (indices[first + i * p->inner] == got)
            return false;
    return row->top[j] == (size_t)got || may_tie(row, row->top[j], (size_t)got);
}

static void check_row(const struct ref_row *row, const clsm_host_args *args,
                      clsm_report *report)
{
    const struct problem *p = row->p;
    for (size_t c = 0; c < p->y.cols && clsm_problem_y(p) != CLSM_Y_NONE; c++)
        check_value(row, CLSM_Y, c, clsm_ref_y(row, c),
                    clsm_ref_element(row, &p->y, args->y, c), p->y.type, report);
    for (unsigned o = CLSM_MAX; o <= CLSM_LOSS; o++)
        if (takes_part(p, args, o))
            check_value(row, (clsm_operand)o, 0, clsm_ref_operand(row, (clsm_operand)o),
                        clsm_ref_real(row, (clsm_operand)o, clsm_ref_number(row)),
                        clsm_problem_real(p), report);
    if (!takes_part(p, args, CLSM_INDICES))
        return;
    const int32_t *indices = args->operand[CLSM_INDICES];
    for (size_t j = 0; j < p->k; j++) {
        size_t at = (row->r * p->k + j) * p->inner + row->i;
        double excess = index_is_right(row, indices, j) ? 0 : INFINITY;
        record(row, CLSM_INDICES, j, excess,
               row->top[j] == SIZE_MAX ? -1 : (double)row->top[j], indices[at], report);
    }
}

static clsm_status check_rows(const struct problem *p, const clsm_host_args *args,
                              clsm_report *report)
{
    TRY(check_inputs(p, args));
    if (clsm_problem_y(p) != CLSM_Y_NONE && clsm_layout_extent(&p->y, p) && !args->y)
        return clsm_fail(CLSM_ERR_NULL, "y is NULL");
    struct ref_row row;
    for (size_t r = 0; r < p->rows; r++)
        for (size_t i = 0; i < p->inner; i++) {
            clsm_ref_start(&row, p, args, r, i);
            take_hot(&row, args);
            check_row(&row, args, report);
        }
    if (takes_part(p, args, CLSM_BAD_TARGETS)) {
        double got = *(const uint32_t *)args->operand[CLSM_BAD_TARGETS];
        double want = count_bad(p, args);
        record(&row, CLSM_BAD_TARGETS, 0, got == want ? 0 : INFINITY, want, got,
               report);
    }
    report->pass = report->failed == 0;
    return CLSM_OK;
}

clsm_status clsm_check_args(const clsm_problem *problem, const clsm_host_args *args,
                            clsm_report *report)
{
    struct problem p;
    NEED_STRUCT_FROM(report, offsetof(clsm_report, worst_operand),
                     "set it to sizeof(clsm_report)");
    NEED_STRUCT(args, "set it to sizeof(clsm_host_args)");
    TRY(clsm_problem_check(problem, &p));
    clsm_report full = {
        .struct_bytes = report->struct_bytes, .pass = 1, .worst_operand = CLSM_Y};
    if (!clsm_problem_is_empty(&p))
        TRY(check_rows(&p, args, &full));
    memcpy(report, &full, report->struct_bytes);
    return CLSM_OK;
}

clsm_status clsm_check(const clsm_problem *problem, const void *x, const void *y,
                       clsm_report *report)
{
    const clsm_host_args args = {.struct_bytes = sizeof args, .x = x, .y = (void *)y};
    return clsm_check_args(problem, &args, report);
}
