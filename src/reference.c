/* SPDX-License-Identifier: MIT */
/* The operations on the host: for each what it finds out of a row first, and then what
 * an element of y should be. */
#include "reference_ops.h"

#include "convert.h"

#include <math.h>

/* The rows whose value the policy decides rather than the formula. */
static bool policy_decides(const struct ref_row *row, size_t c, long double x,
                           long double *probability)
{
    const struct facts *f = &row->f;
    bool all_minus_inf = f->max == -INFINITY && !f->nan;
    if (!f->nan && !f->infinities && !all_minus_inf)
        return false;
    if (f->nan || row->p->nonfinite == CLSM_NONFINITE_DEFAULT)
        *probability = NAN;
    else if (all_minus_inf)
        *probability = 0;
    else if (f->one_hot)
        *probability = c == f->first;
    else
        *probability = x == INFINITY ? 1.0L / (long double)f->infinities : 0;
    return true;
}

static long double logit(const struct ref_row *row, size_t c, long double *error)
{
    struct want x = clsm_ref_logit(row, c);
    *error = x.error;
    return row->f.one_hot && c != row->f.first ? -INFINITY : x.value;
}

/* What becomes 0 where it would be subnormal, before it is multiplied by `factor`. */
long double clsm_ref_flushed(const struct ref_row *row, long double factor)
{
    return clsm_element_min_normal(clsm_problem_real(row->p)) * fabsl(factor);
}

/* (8 + 2 D) u of v. */
long double clsm_ref_relative(const struct ref_row *row, long double distance,
                              long double v)
{
    return v == 0 || !isfinite(distance) ? 0 : (8 + 2 * distance) * row->u * fabsl(v);
}

struct want clsm_ref_softmax(const struct ref_row *row, size_t c)
{
    long double error, x = logit(row, c, &error), y;
    if (policy_decides(row, c, x, &y))
        return (struct want){y, isnan(y) ? 0 : clsm_ref_relative(row, 0, y)};
    long double away = x - row->f.max;
    y = expl(away) / row->f.sum;
    return (struct want){y, clsm_ref_relative(row, fabsl(away), y) +
                                clsm_ref_exp_error(row, away, error + row->f.error) /
                                    row->f.sum};
}

static struct want log_softmax(const struct ref_row *row, size_t c)
{
    long double error, x = logit(row, c, &error), y;
    bool decided = policy_decides(row, c, x, &y);
    y = decided ? logl(y) : x - row->f.max - log1pl(row->f.rest);
    if (!isfinite(y))
        return (struct want){y, 0};
    return (struct want){y, clsm_ref_relative(row, fabsl(logl(fabsl(y))), y) +
                                row->u * (error + row->f.error)};
}

static struct want deferred_softmax(const struct ref_row *row, size_t c)
{
    long double error, x = logit(row, c, &error), y;
    if (policy_decides(row, c, x, &y)) /* 1/k each of a sum of k */
        return (struct want){row->f.infinities && !row->f.one_hot && y > 0 ? 1 : y, 0};
    y = expl(x - row->f.max);
    return (struct want){
        y, clsm_ref_relative(row, fabsl(x - row->f.max), y) +
               clsm_ref_exp_error(row, x - row->f.max, error + row->f.max_error)};
}

static struct want row_sum(const struct ref_row *row)
{
    const struct facts *f = &row->f;
    bool limit = row->p->nonfinite == CLSM_NONFINITE_LIMIT;
    if (f->nan || (f->infinities && !limit))
        return (struct want){NAN, 0};
    if (f->infinities)
        return (struct want){f->one_hot ? 1 : (long double)f->infinities, 0};
    return (struct want){
        f->sum, 8 * row->u * f->sum +
                    clsm_ref_exp_error(row, logl(f->sum), f->error + f->max_error)};
}

static struct want log_sum_exp(const struct ref_row *row, size_t c)
{
    const struct facts *f = &row->f;
    struct want sum = row_sum(row);
    (void)c;
    if (isnan(sum.value) || isinf(f->max))
        return (struct want){isnan(sum.value) ? sum.value : f->max, 0};
    long double log_sum = f->one_hot ? 0 : log1pl(f->rest);
    return (struct want){
        f->max + log_sum,
        row->u * (8 * (fabsl(f->max) + fabsl(log_sum)) + f->error + 2 * f->max_error)};
}

/* Columns by falling logit, NaN as +inf, equal ones by the lower column; -inf is not
 * listed. */
static void topk_preparation(struct ref_row *row)
{
    size_t k = row->p->k, n = 0;
    long double value[CLSM_MAX_K];
    clsm_ref_facts(row);
    for (size_t c = 0; c < row->p->cols; c++) {
        long double v = clsm_ref_logit(row, c).value;
        v = isnan(v) ? INFINITY : v;
        if (v == -INFINITY || (n == k && !(v > value[k - 1])))
            continue;
        size_t j = n < k ? n++ : k - 1;
        for (; j > 0 && v > value[j - 1]; j--) {
            value[j] = value[j - 1];
            row->top[j] = row->top[j - 1];
        }
        value[j] = v;
        row->top[j] = c;
    }
    for (; n < k; n++)
        row->top[n] = SIZE_MAX;
}

static struct want topk(const struct ref_row *row, size_t j)
{
    long double y;
    if (row->top[j] != SIZE_MAX && !(row->f.one_hot && j > 0))
        return clsm_ref_softmax(row, row->top[j]);
    bool decided = policy_decides(row, SIZE_MAX, -INFINITY, &y);
    return (struct want){decided ? y : 0, 0};
}

/* From the slices' statistics the row's: the weighted form of the same sums. */
static void merge_preparation(struct ref_row *row)
{
    struct facts *f = &row->f;
    clsm_ref_facts(row);
    long double sum =
        f->infinities && row->p->nonfinite == CLSM_NONFINITE_DEFAULT ? NAN : 0;
    long double rest = 0; /* kept apart: next to 1 a small one would be lost */
    for (size_t c = 0; c < row->p->cols; c++) {
        long double x = clsm_ref_logit(row, c).value;
        long double part =
            clsm_ref_element(row, &row->p->dy, row->in->operand[CLSM_DY], c);
        part = x == f->max && isfinite(part) ? part : part * expl(x - f->max);
        sum += part;
        rest += c == f->first ? part - 1 : part;
    }
    f->infinities = 0; /* what they do to the sum stands in the slices' sums */
    f->nan = isnan(sum);
    f->sum = f->max == -INFINITY ? 0 : sum;
    f->rest = f->max == -INFINITY || isnan(sum) ? f->sum - 1 : rest;
}

/* What is done once a row, and for each element of y. */
struct op {
    void (*prepare)(struct ref_row *row);
    struct want (*y)(const struct ref_row *row, size_t c);
};

static const struct op softmax_op = {clsm_ref_facts, clsm_ref_softmax};
static const struct op log_softmax_op = {clsm_ref_facts, log_softmax};
static const struct op deferred_softmax_op = {clsm_ref_facts, deferred_softmax};
static const struct op log_sum_exp_op = {clsm_ref_facts, log_sum_exp};
static const struct op statistics_op = {clsm_ref_facts, NULL};
static const struct op merge_statistics_op = {merge_preparation, NULL};
static const struct op finish_softmax_op = {clsm_ref_facts, clsm_ref_softmax};
static const struct op finish_log_softmax_op = {clsm_ref_facts, log_softmax};
static const struct op softmax_backward_op = {clsm_ref_sum_products,
                                              clsm_ref_softmax_backward};
static const struct op log_softmax_backward_op = {clsm_ref_sum_gradients,
                                                  clsm_ref_log_softmax_backward};
static const struct op cross_entropy_op = {clsm_ref_find_loss, clsm_ref_loss_gradient};
static const struct op cross_entropy_loss_op = {clsm_ref_find_loss, clsm_ref_loss};
static const struct op topk_op = {topk_preparation, topk};

static const struct op *const ops[] = {
#define ROW(NAME, name, ...) &name##_op,
    CLSM_OPERATIONS(ROW)
#undef ROW
};

void clsm_ref_start(struct ref_row *row, const struct problem *p,
                    const clsm_host_args *in, size_t r, size_t i)
{
    *row = (struct ref_row){
        .p = p,
        .in = in,
        .r = r,
        .i = i,
        .u = ldexpl(1, clsm_problem_is_f64(p) ? -53 : -24),
    };
    ops[p->op]->prepare(row);
}

struct want clsm_ref_y(const struct ref_row *row, size_t c)
{
    return ops[row->p->op]->y(row, c);
}

struct want clsm_ref_operand(const struct ref_row *row, clsm_operand operand)
{
    switch (operand) {
    case CLSM_MAX:
        return (struct want){row->f.max, row->u * row->f.max_error};
    case CLSM_SUM:
        return row_sum(row);
    case CLSM_LSE:
        return log_sum_exp(row, 0);
    default:
        return row->loss;
    }
}
