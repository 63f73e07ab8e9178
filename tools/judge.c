/* SPDX-License-Identifier: MIT */
/* Judging a result by the reference and by labels. */
#include "judge.h"

#include "command.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { SLICE = 1 << 20 }; /* elements checked between two lines of progress */

static void add_report(clsm_report *all, const clsm_report *one)
{
    all->pass &= one->pass;
    all->checked += one->checked;
    all->failed += one->failed;
    all->max_ulp = fmax(all->max_ulp, one->max_ulp);
    all->max_abs = fmax(all->max_abs, one->max_abs);
    if (!(one->worst > all->worst))
        return;
    all->worst = one->worst;
    all->worst_operand = one->worst_operand;
    all->worst_row = one->worst_row;
    all->worst_col = one->worst_col;
    all->worst_inner = one->worst_inner;
    all->expected = one->expected;
    all->got = one->got;
}

static int print_report(const clsm_report *all, const clsm_op_info *op)
{
    char ulps[32] = "";
    bool cancels = op->needs & (CLSM_BIT(CLSM_DY) | CLSM_BIT(CLSM_TARGETS));
    if (op->y != CLSM_Y_NONE && !cancels)
        snprintf(ulps, sizeof ulps, " (%.2f ulp)", all->max_ulp);
    printf("verify    %s: %llu elements, largest error %.3g%s, %.3f of the bound\n",
           all->pass ? "pass" : "FAIL", (unsigned long long)all->checked, all->max_abs,
           ulps, all->worst);
    return all->pass
               ? EXIT_FINE
               : complain(
                     EXIT_FAILED,
                     "%llu elements are outside the error bound; the worst in %s at "
                     "row %zu, column %zu, inner %zu: expected %.9g, got %.9g",
                     (unsigned long long)all->failed,
                     clsm_operand_name(all->worst_operand), all->worst_row,
                     all->worst_col, all->worst_inner, all->expected, all->got);
}

static clsm_op_info info_of(const clsm_problem *p)
{
    clsm_op_info op = {.struct_bytes = sizeof op};
    clsm_op_get_info(p->op, &op);
    return op;
}

/* Rows that have nothing to do with each other, in x and y alone. */
static bool is_plain(const clsm_problem *p, const clsm_op_info *op)
{
    return !op->needs && !p->operands && p->queries == 0 && op->y == CLSM_Y_ROW;
}

/* Slice by slice, with progress where there are many. */
static int judge_plain(const clsm_problem *p, const clsm_op_info *op,
                       const clsm_host_args *view)
{
    clsm_problem part = *p;
    size_t row = p->cols * p->inner, slice = row ? SLICE / row + 1 : 1;
    clsm_report one = {.struct_bytes = sizeof one}, all = {.pass = 1};
    for (size_t r = 0; r < p->rows; r += slice) {
        const char *x = (const char *)view->x + r * row * clsm_type_bytes(p->x_type);
        const char *y = (const char *)view->y + r * row * clsm_type_bytes(p->y_type);
        part.rows = p->rows - r < slice ? p->rows - r : slice;
        clsm_status status = clsm_check(&part, x, y, &one);
        if (status != CLSM_OK)
            return complain_status(status, "verify");
        one.worst_row += r;
        add_report(&all, &one);
        if (p->rows > 4 * slice && isatty(STDERR_FILENO))
            fprintf(stderr, "\rverify    %3.0f%%%s",
                    100.0 * (double)(r + part.rows) / (double)p->rows,
                    r + part.rows == p->rows ? "\n" : "");
    }
    return print_report(&all, op);
}

int judge_result(const clsm_problem *p, const clsm_host_args *view)
{
    const clsm_op_info op = info_of(p);
    clsm_report report = {.struct_bytes = sizeof report};
    if (is_plain(p, &op))
        return judge_plain(p, &op, view);
    clsm_status status = clsm_check_args(p, view, &report);
    return status == CLSM_OK ? print_report(&report, &op)
                             : complain_status(status, "verify");
}

static double element(clsm_type type, const void *data, size_t at)
{
    double v;
    clsm_convert(type, (const char *)data + at * clsm_type_bytes(type), CLSM_F64, &v,
                 1);
    return v;
}

/* What is in a file of operands that are real: the problem computes in f64 or f32. */
static clsm_type real_of(const clsm_problem *p)
{
    return p->x_type == CLSM_F64 || p->y_type == CLSM_F64 ? CLSM_F64 : CLSM_F32;
}

void judge_loss(const clsm_problem *p, const clsm_host_args *view)
{
    const bool beside = info_of(p).y == CLSM_Y_ROW; /* the gradient is y */
    const void *losses = beside ? view->operand[CLSM_LOSS] : view->y;
    const void *weights = view->operand[CLSM_WEIGHTS],
               *targets = view->operand[CLSM_TARGETS];
    const clsm_type type = beside ? real_of(p) : p->y_type;
    size_t ignored = 0, counted = 0, softmaxes = p->rows * p->inner;
    double sum = 0, weight = 0;
    char mean_scale[96] = "";
    for (size_t s = 0; s < softmaxes; s++) {
        int64_t t = p->target_type == CLSM_TARGET_I64 ? ((const int64_t *)targets)[s]
                                                      : ((const int32_t *)targets)[s];
        ignored += t == p->ignore_index;
        if (t == p->ignore_index || t < 0 || (uint64_t)t >= p->cols)
            continue;
        counted++;
        sum += element(type, losses, s);
        weight += weights ? element(real_of(p), weights, (size_t)t) : 1;
    }
    if (beside && p->grad_scale == 1 && weight > 0 && weight != 1)
        snprintf(mean_scale, sizeof mean_scale,
                 "; gradient of the sum, of the mean with --grad-scale %.9g",
                 1 / weight);
    printf("loss      mean %.9g%s of %zu targets, %zu ignored, %zu bad%s\n",
           weight != 0 ? sum / weight : NAN, weights ? " (weighted)" : "", counted,
           ignored, (size_t) * (const uint32_t *)view->operand[CLSM_BAD_TARGETS],
           mean_scale);
}

/* The place of the largest of softmax s's elements; the first of equal ones. */
static size_t largest_of(const clsm_problem *p, const void *y, size_t s)
{
    size_t first = s / p->inner * p->cols * p->inner + s % p->inner, best = 0;
    double largest = 0;
    for (size_t c = 0; c < p->cols; c++) {
        double v = element(p->y_type, y, first + c * p->inner);
        if (c == 0 || v > largest) {
            largest = v;
            best = c;
        }
    }
    return best;
}

void judge_labels(const clsm_problem *p, const void *y, const int64_t *labels)
{
    size_t right = 0, softmaxes = p->rows * p->inner;
    for (size_t s = 0; s < softmaxes; s++)
        right += labels[s] == (int64_t)largest_of(p, y, s);
    printf("accuracy  %.2f%%: %zu of %zu labels have the largest probability\n",
           softmaxes ? 100.0 * (double)right / (double)softmaxes : 0.0, right,
           softmaxes);
}
