/* SPDX-License-Identifier: MIT */
/* Both backward passes and cross-entropy on the host. */
#include "reference_ops.h"

#include <math.h>

void clsm_ref_sum_products(struct ref_row *row)
{
    row->total = row->magnitude = 0;
    for (size_t c = 0; c < row->p->cols; c++) {
        long double y = clsm_ref_element(row, &row->p->x, row->in->x, c);
        long double dy =
            clsm_ref_element(row, &row->p->dy, row->in->operand[CLSM_DY], c);
        row->total += y * dy;
        row->magnitude += fabsl(y * dy);
    }
}

void clsm_ref_sum_gradients(struct ref_row *row)
{
    row->total = row->magnitude = 0;
    for (size_t c = 0; c < row->p->cols; c++) {
        long double dy =
            clsm_ref_element(row, &row->p->dy, row->in->operand[CLSM_DY], c);
        row->total += dy;
        row->magnitude += fabsl(dy);
    }
}

struct want clsm_ref_softmax_backward(const struct ref_row *row, size_t c)
{
    long double y = clsm_ref_element(row, &row->p->x, row->in->x, c);
    long double dy = clsm_ref_element(row, &row->p->dy, row->in->operand[CLSM_DY], c);
    long double scale = row->p->grad_scale;
    if (!isfinite(row->magnitude)) /* carried sums make inf NaN */
        return (struct want){NAN, 0};
    return (struct want){y * (dy - row->total) * scale,
                         8 * row->u * fabsl(y * scale) * (fabsl(dy) + row->magnitude) +
                             clsm_ref_flushed(row, scale * (fabsl(y) + 1))};
}

struct want clsm_ref_log_softmax_backward(const struct ref_row *row, size_t c)
{
    long double y = clsm_ref_element(row, &row->p->x, row->in->x, c);
    long double dy = clsm_ref_element(row, &row->p->dy, row->in->operand[CLSM_DY], c);
    long double scale = row->p->grad_scale, p = expl(y);
    if (!isfinite(row->magnitude))
        return (struct want){NAN, 0};
    return (struct want){
        (dy - p * row->total) * scale,
        row->u * fabsl(scale) *
                (8 * fabsl(dy) +
                 (p == 0 ? 0 : (8 + 2 * fabsl(y)) * p * row->magnitude)) +
            clsm_ref_flushed(row, scale * (row->magnitude + 1))};
}

bool clsm_ref_target(const struct ref_row *row, size_t *target, bool *bad)
{
    const void *data = row->in->operand[CLSM_TARGETS];
    size_t n = clsm_ref_number(row);
    int64_t t = row->p->target_type == CLSM_TARGET_I64 ? ((const int64_t *)data)[n]
                                                       : ((const int32_t *)data)[n];
    *bad = t != row->p->ignore_index && (t < 0 || (uint64_t)t >= row->p->cols);
    *target = (size_t)t;
    return t != row->p->ignore_index && !*bad;
}

static long double weight_of(const struct ref_row *row, size_t c)
{
    return clsm_has(row->p, CLSM_WEIGHTS) ? clsm_ref_real(row, CLSM_WEIGHTS, c) : 1;
}

/* v with an error that grows as its logarithm's distance, as a difference of nearly
 * equal numbers has that was taken carefully. */
static struct want careful(const struct ref_row *row, long double v)
{
    return (struct want){v,
                         v == 0 ? 0 : clsm_ref_relative(row, fabsl(logl(fabsl(v))), v)};
}

/* The part of the loss that all classes share. */
static struct want smoothed(struct ref_row *row, long double log_sum)
{
    struct want w = {0, 0};
    row->each = 0;
    if (row->p->label_smoothing == 0)
        return w;
    long double share = row->p->label_smoothing / (long double)row->p->cols, mass = 0;
    long double base = clsm_ref_element(row, &row->p->x, row->in->x, row->target);
    base = isfinite(base) ? base : 0;
    for (size_t c = 0; c < row->p->cols; c++) {
        long double x = clsm_ref_element(row, &row->p->x, row->in->x, c);
        long double weight = weight_of(row, c);
        mass += weight;
        if (weight == 0)
            continue;
        w.value += weight * ((row->f.max - x) + log_sum);
        w.error += weight * (fabsl(row->f.max - base) + log_sum + fabsl(x - base));
    }
    w.value *= share;
    w.error = isfinite(w.error) ? 8 * row->u * share * w.error : 0;
    row->each = share;
    row->all += share * mass;
    row->all_magnitude += share * mass;
    return w;
}

void clsm_ref_find_loss(struct ref_row *row)
{
    const struct problem *p = row->p;
    bool bad;
    clsm_ref_facts(row);
    row->all = row->all_magnitude = row->each = row->hit = row->missing = 0;
    if (!clsm_ref_target(row, &row->target, &bad)) {
        row->loss = (struct want){bad ? NAN : 0, 0};
        return;
    }
    const struct facts *f = &row->f;
    long double x = clsm_ref_element(row, &p->x, row->in->x, row->target);
    long double log_sum = log1pl(f->rest), lse = f->max + log_sum;
    row->hit = weight_of(row, row->target) * (1 - (long double)p->label_smoothing);
    row->all = row->all_magnitude = row->hit;
    bool broken = f->nan || f->infinities || f->max == -INFINITY;
    struct want nll = careful(row, f->max - x + log_sum), rest = smoothed(row, log_sum);
    long double lse_size = fabsl(f->max) + log_sum;
    row->loss = (struct want){
        broken ? NAN : row->hit * nll.value + rest.value + p->z_loss * lse * lse,
        row->hit * nll.error + rest.error +
            8 * row->u * p->z_loss * fabsl(lse) * 2 * lse_size +
            clsm_ref_flushed(row, row->hit)};
    row->loss.error = isfinite(row->loss.error) ? row->loss.error : 0;
    row->all += 2 * p->z_loss * lse;
    row->all_magnitude += 2 * p->z_loss * lse_size;
    row->missing =
        f->first == row->target ? f->rest / f->sum : 1 - expl(x - f->max) / f->sum;
}

struct want clsm_ref_loss_gradient(const struct ref_row *row, size_t c)
{
    size_t target;
    bool bad, counts = clsm_ref_target(row, &target, &bad);
    long double scale = row->p->grad_scale;
    if (!counts)
        return (struct want){0, 0};
    struct want p = clsm_ref_softmax(row, c);
    struct want missing = careful(row, row->missing);
    long double each = row->each == 0 ? 0 : row->each * weight_of(row, c);
    long double v = row->all * p.value;
    long double error = p.error * row->all_magnitude +
                        8 * row->u * (row->all_magnitude * p.value + each);
    if (c == target) {
        v = (row->all - row->hit) * p.value - row->hit * row->missing;
        error += row->hit * (missing.error + p.error);
    }
    error += clsm_ref_flushed(row, row->all_magnitude + row->hit + 1);
    return (struct want){(v - each) * scale, error * fabsl(scale)};
}

struct want clsm_ref_loss(const struct ref_row *row, size_t c)
{
    (void)c;
    return row->loss;
}
