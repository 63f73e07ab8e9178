/* SPDX-License-Identifier: MIT */
/*
 * The operations on the host in double precision, and how far a device's result may be
 * from that. Kept apart from the kernels' way of computing: the largest element, a
 * plain sum in long double, the non-finite policy as cases. f64 problems are compared
 * in long double, which on x86 has 11 bits more; elsewhere the reference is no finer
 * than f64.
 */
#include "convert.h"
#include "problem.h"
#include "status.h"

#include <math.h>
#include <stdlib.h>

/* What one softmax needs to know of its elements. */
struct row_facts {
    long double max, sum, rest; /* rest: the sum without one largest element */
    size_t infinities;          /* elements that are +inf */
    bool nan;
};

static double x_at(const struct problem *p, const void *x, size_t r, size_t c, size_t i)
{
    return clsm_element_get(p->x.type, x,
                            r * p->x.row_stride + c * p->x.col_stride + i);
}

static struct row_facts facts_of(const struct problem *p, const void *x, size_t r,
                                 size_t i)
{
    struct row_facts f = {.max = -INFINITY};
    size_t largest = 0;
    for (size_t c = 0; c < p->cols; c++) {
        double v = x_at(p, x, r, c, i);
        f.nan |= isnan(v);
        f.infinities += v == INFINITY;
        if (v > f.max) {
            f.max = v;
            largest = c;
        }
    }
    if (f.nan || f.infinities || f.max == -INFINITY)
        return f;
    for (size_t c = 0; c < p->cols; c++)
        if (c != largest)
            f.rest += expl(x_at(p, x, r, c, i) - f.max);
    f.sum = 1 + f.rest;
    return f;
}

/* The rows whose value the policy decides rather than the formula. */
static bool policy_decides(const struct problem *p, const struct row_facts *f, double x,
                           long double *probability)
{
    bool all_minus_inf = f->max == -INFINITY && !f->nan;
    if (!f->nan && !f->infinities && !all_minus_inf)
        return false;
    if (f->nan || p->nonfinite == CLSM_NONFINITE_DEFAULT)
        *probability = NAN;
    else if (all_minus_inf)
        *probability = 0;
    else
        *probability = x == INFINITY ? 1.0L / (long double)f->infinities : 0;
    return true;
}

static long double softmax(const struct problem *p, const struct row_facts *f, double x)
{
    long double y;
    return policy_decides(p, f, x, &y) ? y : expl(x - f->max) / f->sum;
}

static long double log_softmax(const struct problem *p, const struct row_facts *f,
                               double x)
{
    long double y;
    return policy_decides(p, f, x, &y) ? logl(y) : x - f->max - log1pl(f->rest);
}

/* D of the error bound in clsoftmax.h; where the policy decides nothing is lost. */
static long double softmax_distance(const struct row_facts *f, double x, long double y)
{
    (void)y;
    return isinf(f->max) ? 0 : fabsl(x - f->max);
}

static long double log_softmax_distance(const struct row_facts *f, double x,
                                        long double y)
{
    (void)f, (void)x;
    return fabsl(logl(fabsl(y)));
}

static const struct {
    long double (*value)(const struct problem *, const struct row_facts *, double x);
    long double (*distance)(const struct row_facts *, double x, long double y);
} ops[] = {
#define ROW(NAME, name) {name, name##_distance},
    CLSM_OPERATIONS(ROW)
#undef ROW
};

clsm_status clsm_reference(const clsm_problem *problem, const void *x, double *y)
{
    struct problem p;
    TRY(clsm_problem_check(problem, &p));
    if (clsm_problem_is_empty(&p))
        return CLSM_OK;
    NEED(x);
    NEED(y);
    for (size_t r = 0; r < p.rows; r++)
        for (size_t i = 0; i < p.inner; i++) {
            struct row_facts f = facts_of(&p, x, r, i);
            for (size_t c = 0; c < p.cols; c++)
                y[(r * p.cols + c) * p.inner + i] =
                    (double)ops[p.op].value(&p, &f, x_at(&p, x, r, c, i));
        }
    return CLSM_OK;
}

/* The largest error that is allowed where `want` is expected. */
static long double bound_of(const struct problem *p, const struct row_facts *f,
                            double x, long double want)
{
    bool f64 = clsm_problem_is_f64(p);
    clsm_type type = p->y.type;
    long double ulp = clsm_element_ulp(type, (double)want);
    long double underflow = clsm_element_min_normal(f64 ? CLSM_F64 : CLSM_F32);
    if (type == CLSM_F16 || type == CLSM_BF16)
        return ulp + underflow;
    long double distance = want == 0 ? 0 : ops[p->op].distance(f, x, want);
    long double computed =
        (8 + 2 * distance) * ldexpl(1, f64 ? -53 : -24) * fabsl(want);
    long double rounded = f64 && type == CLSM_F32 ? ulp / 2 : 0;
    return computed + rounded + underflow;
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
        bool overflows =
            fabsl(want) + bound >= largest + clsm_element_ulp(type, largest) / 2;
        return overflows && (got < 0) == (want < 0) ? 0 : INFINITY;
    }
    return (double)(fabsl(got - want) / bound);
}

static void check_element(const struct problem *p, const struct row_facts *f, double x,
                          double got, const size_t at[3], clsm_report *report)
{
    long double want = ops[p->op].value(p, f, x);
    double excess = excess_of(want, got, bound_of(p, f, x, want), p->y.type);
    report->checked++;
    report->failed += !(excess <= 1);
    if (excess > report->worst) {
        report->worst = excess;
        report->worst_row = at[0], report->worst_col = at[1],
        report->worst_inner = at[2];
        report->expected = (double)want, report->got = got;
    }
    if (!isfinite(want) || !isfinite(got))
        return;
    double error = (double)fabsl(got - want);
    report->max_abs = fmax(report->max_abs, error);
    if (fabsl(want) >= clsm_element_min_normal(p->y.type))
        report->max_ulp =
            fmax(report->max_ulp, error / clsm_element_ulp(p->y.type, (double)want));
}

static void check_row(const struct problem *p, const void *x, const void *y, size_t r,
                      size_t i, clsm_report *report)
{
    struct row_facts f = facts_of(p, x, r, i);
    for (size_t c = 0; c < p->cols; c++) {
        size_t in_y = r * p->y.row_stride + c * p->y.col_stride + i;
        check_element(p, &f, x_at(p, x, r, c, i), clsm_element_get(p->y.type, y, in_y),
                      (const size_t[]){r, c, i}, report);
    }
}

clsm_status clsm_check(const clsm_problem *problem, const void *x, const void *y,
                       clsm_report *report)
{
    NEED_STRUCT(report, "set it to sizeof(clsm_report)");
    struct problem p;
    TRY(clsm_problem_check(problem, &p));
    *report = (clsm_report){.struct_bytes = sizeof *report, .pass = 1};
    if (clsm_problem_is_empty(&p))
        return CLSM_OK;
    NEED(x);
    NEED(y);
    for (size_t r = 0; r < p.rows; r++)
        for (size_t i = 0; i < p.inner; i++)
            check_row(&p, x, y, r, i, report);
    report->pass = report->failed == 0;
    return CLSM_OK;
}
