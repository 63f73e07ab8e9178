/* SPDX-License-Identifier: MIT */
/* Judging a result by the reference and by labels. */
#include "judge.h"

#include "command.h"
#include "npy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLICE = 1 << 20 }; /* elements checked between two lines of progress */

static void add_report(clsm_report *all, const clsm_report *one)
{
    all->pass &= one->pass;
    all->checked += one->checked;
    all->failed += one->failed;
    all->max_ulp = fmax(all->max_ulp, one->max_ulp);
    all->max_abs = fmax(all->max_abs, one->max_abs);
    all->worst = fmax(all->worst, one->worst);
}

static int print_report(const clsm_report *all)
{
    printf("verify    %s: %llu elements, largest error %.3g (%.2f ulp), %.3f of the "
           "bound\n",
           all->pass ? "pass" : "FAIL", (unsigned long long)all->checked, all->max_abs,
           all->max_ulp, all->worst);
    return all->pass
               ? EXIT_FINE
               : complain(EXIT_FAILED, "%llu elements are outside the error bound",
                          (unsigned long long)all->failed);
}

int judge_result(const clsm_problem *p, const void *x, const void *y)
{
    clsm_problem part = *p;
    size_t row = p->cols * p->inner, slice = row ? SLICE / row + 1 : 1;
    clsm_report one = {.struct_bytes = sizeof one}, all = {.pass = 1};
    for (size_t r = 0; r < p->rows; r += slice) {
        part.rows = p->rows - r < slice ? p->rows - r : slice;
        clsm_status status =
            clsm_check(&part, (const char *)x + r * row * clsm_type_bytes(p->x_type),
                       (const char *)y + r * row * clsm_type_bytes(p->y_type), &one);
        if (status != CLSM_OK)
            return complain_status(status, "verify");
        add_report(&all, &one);
        if (p->rows > 4 * slice)
            fprintf(stderr, "\rverify    %3.0f%%%s",
                    100.0 * (double)(r + part.rows) / (double)p->rows,
                    r + part.rows == p->rows ? "\n" : "");
    }
    return print_report(&all);
}

/* The place of the largest of softmax s's elements; the first of equal ones. */
static size_t largest_of(const clsm_problem *p, const void *y, size_t s)
{
    size_t first = s / p->inner * p->cols * p->inner + s % p->inner, best = 0;
    double largest = 0, v;
    for (size_t c = 0; c < p->cols; c++) {
        size_t byte = (first + c * p->inner) * clsm_type_bytes(p->y_type);
        clsm_convert(p->y_type, (const char *)y + byte, CLSM_F64, &v, 1);
        if (c == 0 || v > largest) {
            largest = v;
            best = c;
        }
    }
    return best;
}

int judge_labels(const clsm_problem *p, const void *y, const char *path)
{
    int64_t *labels;
    size_t n, right = 0, softmaxes = p->rows * p->inner;
    char error[512];
    if (!npy_read_labels(path, &labels, &n, error, sizeof error))
        return complain(EXIT_FAILED, "%s", error);
    if (n != softmaxes) {
        free(labels);
        return complain(EXIT_FAILED, "%s: has %zu labels, expected %zu, one a softmax",
                        path, n, softmaxes);
    }
    for (size_t s = 0; s < softmaxes; s++)
        right += labels[s] == (int64_t)largest_of(p, y, s);
    free(labels);
    printf("accuracy  %.2f%%: %zu of %zu labels have the largest probability\n",
           softmaxes ? 100.0 * (double)right / (double)softmaxes : 0.0, right,
           softmaxes);
    return EXIT_FINE;
}
