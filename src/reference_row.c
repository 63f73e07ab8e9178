/* SPDX-License-Identifier: MIT */
/* The logits of one softmax and what is known of them, in long double. */
#include "convert.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>

static size_t query_of(const struct ref_row *row)
{
    return row->r % row->p->queries;
}

static size_t head_of(const struct ref_row *row)
{
    return row->r / row->p->queries % row->p->heads;
}

size_t clsm_ref_number(const struct ref_row *row)
{
    return row->r * row->p->inner + row->i;
}

double clsm_ref_element(const struct ref_row *row, const struct layout *l,
                        const void *data, size_t c)
{
    size_t matrix = row->r / row->p->queries;
    return clsm_element_get(l->type, data,
                            matrix * l->matrix_stride + query_of(row) * l->row_stride +
                                c * l->col_stride + row->i);
}

double clsm_ref_real(const struct ref_row *row, clsm_operand operand, size_t at)
{
    const void *data = row->in->operand[operand];
    return clsm_problem_is_f64(row->p) ? ((const double *)data)[at]
                                       : (double)((const float *)data)[at];
}

/* A number as kernels hold it. */
static long double held(const struct problem *p, double v)
{
    return clsm_problem_is_f64(p) ? v : (double)(float)v;
}

/* The column that the query stands at. */
static long long position_of(const struct ref_row *row)
{
    return (long long)query_of(row) + row->p->causal_offset;
}

static bool is_seen(const struct ref_row *row, size_t c)
{
    long long distance = (long long)c - position_of(row);
    if (row->p->causal && distance > 0)
        return false;
    return !row->p->window || (size_t)llabs(distance) < row->p->window;
}

static double mask_at(const struct ref_row *row, size_t c)
{
    const struct problem *p = row->p;
    const clsm_mask_stride *s = &p->mask_stride;
    const void *data = row->in->operand[CLSM_MASK];
    size_t batch = row->r / p->queries / p->heads;
    size_t at = batch * s->batch + head_of(row) * s->head + query_of(row) * s->row +
                c * s->col + row->i * s->inner;
    if (p->mask_type == CLSM_MASK_BOOL)
        return ((const unsigned char *)data)[at] ? 0 : -INFINITY;
    return clsm_element_get(p->mask_type == CLSM_MASK_F16 ? CLSM_F16 : CLSM_F32, data,
                            at);
}

/* One more step of making a logit, with at most `units` roundings of its result, which
 * is 0 where it would be subnormal, and infinite where it overflows. */
static void step(const struct ref_row *row, struct want *w, long double value,
                 long double units)
{
    bool f64 = clsm_problem_is_f64(row->p);
    clsm_type type = clsm_problem_real(row->p);
    bool overflows = f64 ? isinf((double)value) : isinf((float)value);
    w->value = overflows ? copysignl(INFINITY, value) : value;
    if (isfinite(w->value))
        w->error += units * fabsl(value) + clsm_element_min_normal(type) / row->u;
}

struct want clsm_ref_logit(const struct ref_row *row, size_t c)
{
    const struct problem *p = row->p;
    struct want w = {-INFINITY, 0};
    if (!is_seen(row, c))
        return w;
    if (p->mask_type == CLSM_MASK_BOOL && mask_at(row, c) != 0)
        return w;
    w.value = clsm_ref_element(row, &p->x, row->in->x, c);
    if (p->scale != 1)
        step(row, &w, w.value * held(p, p->scale), 1);
    if (clsm_has(p, CLSM_TEMPERATURE)) {
        double t = clsm_ref_real(row, CLSM_TEMPERATURE, clsm_ref_number(row));
        if (t != 0)
            step(row, &w, w.value / t, 8); /* a division may be off 2.5 ulp */
    }
    if (p->softcap != 0) {
        long double cap = held(p, p->softcap);
        w.error =
            isfinite(w.value) ? w.error + 6 * fabsl(w.value) : 0; /* its division */
        step(row, &w, cap * tanhl(w.value / cap), 14); /* tanh may be off 5 ulp */
    }
    if (clsm_has(p, CLSM_SLOPES)) {
        long double term = (long double)clsm_ref_real(row, CLSM_SLOPES, head_of(row)) *
                           (long double)((long long)c - position_of(row));
        w.error += 2 * fabsl(term);
        step(row, &w, w.value + term, 1);
    }
    if (p->mask_type != CLSM_MASK_NONE && p->mask_type != CLSM_MASK_BOOL)
        step(row, &w, w.value + mask_at(row, c), 1);
    return w;
}

static void find_max(struct ref_row *row)
{
    struct facts *f = &row->f;
    for (size_t c = 0; c < row->p->cols; c++) {
        struct want v = clsm_ref_logit(row, c);
        f->nan |= isnan(v.value);
        f->infinities += v.value == INFINITY;
        if (v.value > f->max) {
            f->max = v.value;
            f->max_error = v.error;
            f->first = c;
        }
    }
}

/* The row's statistics as they were given. */
static void take_given(struct ref_row *row)
{
    struct facts *f = &row->f;
    size_t n = clsm_ref_number(row);
    f->max = clsm_ref_real(row, CLSM_FROM_MAX, n);
    f->sum = clsm_ref_real(row, CLSM_FROM_SUM, n);
    f->rest = f->sum - 1;
    f->nan = isnan(f->sum);
    f->infinities = f->max == INFINITY && f->sum >= 1 ? (size_t)f->sum : 0;
}

long double clsm_ref_exp_error(const struct ref_row *row, long double x,
                               long double error)
{
    long double off = row->u * error;
    if (x == -INFINITY)
        return 0;
    return off < 1 ? expl(x) * expm1l(off) : expl(x + off); /* where exp(x) is 0, too */
}

static bool is_one_hot(const struct ref_row *row)
{
    if (clsm_has(row->p, CLSM_TEMPERATURE))
        return clsm_ref_real(row, CLSM_TEMPERATURE, clsm_ref_number(row)) == 0;
    return row->p->one_hot;
}

void clsm_ref_facts(struct ref_row *row)
{
    struct facts *f = &row->f;
    *f = (struct facts){.max = -INFINITY, .one_hot = is_one_hot(row)};
    if (clsm_has(row->p, CLSM_FROM_MAX)) {
        take_given(row);
        return;
    }
    find_max(row);
    long double sink = -INFINITY;
    if (clsm_has(row->p, CLSM_SINKS) && !f->one_hot)
        sink = clsm_ref_real(row, CLSM_SINKS, head_of(row));
    f->nan |= isnan(sink);
    f->infinities += sink == INFINITY;
    bool sink_leads = sink > f->max;
    if (sink_leads) {
        f->max = sink;
        f->max_error = 0;
    }
    if (f->nan || f->infinities || f->max == -INFINITY)
        return;
    if (f->one_hot) {
        f->sum = 1;
        return;
    }
    long double largest = 0;
    for (size_t c = 0; c < row->p->cols; c++) {
        struct want v = clsm_ref_logit(row, c);
        long double e = expl(v.value - f->max);
        largest = fmaxl(largest, v.error);
        f->error += clsm_ref_exp_error(row, v.value - f->max, v.error);
        if (sink_leads || c != f->first)
            f->rest += e;
    }
    if (!sink_leads)
        f->rest += expl(sink - f->max);
    f->sum = 1 + f->rest;
    /* Where errors are small, their mean. */
    f->error = fminl(log1pl(f->error / f->sum) / row->u, largest);
}
