/* SPDX-License-Identifier: MIT */
/* Making up tensors: logits of either sign, probabilities and sums where an operation
 * expects them, masks with holes, targets of which some do not count. */
#include "sample.h"

#include "convert.h"
#include "suites.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

double sample_random(void)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return (state >> 8) * 0x1p-24;
}

void sample_everything(clsm_problem *problem, clsm_op op, clsm_type type, size_t cols)
{
    clsm_op_info info = {.struct_bytes = sizeof info};
    ck_assert_int_eq(clsm_op_get_info(op, &info), CLSM_OK);
    clsm_problem_init(problem, op, type, 7, cols);
    problem->queries = 2;
    problem->heads = 3;
    problem->operands = info.may & (CLSM_BIT(CLSM_OPERAND_COUNT) - 1);
    if (info.may & CLSM_FORM_BITS) {
        problem->scale = 0.75;
        problem->softcap = 20;
        problem->causal_offset = 2;
        problem->window = cols;
        problem->mask_type = CLSM_MASK_F32;
        problem->mask_stride = (clsm_mask_stride){.row = cols, .col = 1};
    }
    if (info.needs & CLSM_BIT(CLSM_TARGETS)) {
        problem->label_smoothing = 0.125;
        problem->z_loss = 0.0625;
    }
    if (info.y == CLSM_Y_ROW && info.needs & (CLSM_BIT(CLSM_DY) | CLSM_BIT(CLSM_LOSS)))
        problem->grad_scale = -1.5;
    if (info.y == CLSM_Y_K)
        problem->k = 3;
}

void sample_set_real(const struct sample *s, clsm_operand operand, size_t i, double v)
{
    clsm_type type = clsm_problem_is_f64(&s->p) ? CLSM_F64 : CLSM_F32;
    clsm_element_set(type, s->in.operand[operand], i, v);
}

static void fill_tensor(const struct layout *l, void *data, size_t n, double low,
                        double high)
{
    for (size_t i = 0; i < n; i++)
        clsm_element_set(l->type, data, i, low + (high - low) * sample_random());
}

static void fill_mask(const struct sample *s, void *data, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool hole = sample_random() < 0.2;
        double v = hole ? -INFINITY : sample_random() - 0.5;
        if (s->p.mask_type == CLSM_MASK_BOOL)
            ((unsigned char *)data)[i] = hole ? 0 : 7;
        else
            clsm_element_set(s->p.mask_type == CLSM_MASK_F16 ? CLSM_F16 : CLSM_F32,
                             data, i, v);
    }
}

static void fill_targets(const struct sample *s, void *data, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t t = (int64_t)(sample_random() * (double)s->p.cols);
        t = i == 4 ? s->p.ignore_index : i == 5 ? (int64_t)s->p.cols : t;
        if (s->p.target_type == CLSM_TARGET_I64)
            ((int64_t *)data)[i] = t;
        else
            ((int32_t *)data)[i] = (int32_t)t;
    }
}

static void fill_operand(const struct sample *s, clsm_operand o, size_t n)
{
    void *data = s->in.operand[o];
    if (o == CLSM_MASK)
        fill_mask(s, data, n);
    else if (o == CLSM_TARGETS)
        fill_targets(s, data, n);
    else if (o == CLSM_DY) /* a merge reads sums there */
        fill_tensor(&s->p.dy, data, n, clsm_has(&s->p, CLSM_SUM) ? 1 : -1, 2);
    else /* from_max lies above every logit, and slopes leave it there */
        for (size_t i = 0; i < n; i++)
            sample_set_real(s, o, i,
                            o == CLSM_SLOPES     ? sample_random() / 32
                            : o == CLSM_FROM_MAX ? sample_random() + 8
                                                 : sample_random() + 0.5);
}

static void *room(size_t count, size_t bytes)
{
    void *data = calloc(count ? count : 1, bytes);
    ck_assert_ptr_nonnull(data);
    return data;
}

size_t sample_count(const struct sample *s, clsm_operand tensor)
{
    return tensor == CLSM_Y ? s->p.rows * s->p.y.cols * s->p.inner
                            : clsm_operand_extent(tensor, &s->p);
}

double *sample_out(const struct sample *s, clsm_operand tensor)
{
    return tensor == CLSM_Y ? s->out.y : s->out.operand[tensor];
}

void sample_make(struct sample *s, const clsm_problem *problem)
{
    *s = (struct sample){.given = *problem};
    s->in.struct_bytes = s->out.struct_bytes = s->got.struct_bytes = sizeof s->in;
    ck_assert_msg(clsm_problem_check(problem, &s->p) == CLSM_OK, "%s",
                  clsm_last_message());
    size_t n = clsm_layout_extent(&s->p.x, &s->p);
    void *x = room(n, clsm_type_bytes(s->p.x.type));
    /* a backward pass reads probabilities or their logarithms, which 0 is between */
    bool backward = clsm_has(&s->p, CLSM_DY) && !clsm_has(&s->p, CLSM_SUM);
    fill_tensor(&s->p.x, x, n, backward ? -1 : -4, backward ? 0 : 4);
    s->in.x = x;
    s->out.y = room(sample_count(s, CLSM_Y), sizeof(double));
    s->got.y = room(clsm_layout_extent(&s->p.y, &s->p), clsm_type_bytes(s->p.y.type));
    for (clsm_operand o = CLSM_DY; o < CLSM_OPERAND_COUNT; o++) {
        if (!clsm_has(&s->p, o))
            continue;
        n = clsm_operand_extent(o, &s->p);
        if (clsm_operand_is_written(o)) {
            s->out.operand[o] = room(n, sizeof(double));
            s->got.operand[o] = room(n, clsm_operand_bytes(o, &s->p));
        } else {
            s->in.operand[o] = s->got.operand[o] =
                room(n, clsm_operand_bytes(o, &s->p));
            fill_operand(s, o, n);
        }
    }
}

void sample_run(struct sample *s)
{
    ck_assert_msg(clsm_reference_args(&s->given, &s->in, &s->out) == CLSM_OK, "%s",
                  clsm_last_message());
}

static void round_y(struct sample *s)
{
    const struct layout *l = &s->p.y;
    for (size_t r = 0; r < s->p.rows; r++)
        for (size_t c = 0; c < l->cols; c++)
            for (size_t i = 0; i < s->p.inner; i++)
                clsm_element_set(
                    l->type, s->got.y,
                    r / s->p.queries * l->matrix_stride +
                        r % s->p.queries * l->row_stride + c * l->col_stride + i,
                    sample_out(s, CLSM_Y)[(r * l->cols + c) * s->p.inner + i]);
}

void sample_round(struct sample *s)
{
    s->got.x = s->in.x;
    round_y(s);
    for (clsm_operand o = CLSM_MAX; o < CLSM_OPERAND_COUNT; o++)
        for (size_t i = 0; clsm_has(&s->p, o) && i < sample_count(s, o); i++) {
            double v = sample_out(s, o)[i];
            if (o == CLSM_INDICES || o == CLSM_BAD_TARGETS)
                ((int32_t *)s->got.operand[o])[i] = (int32_t)v;
            else
                clsm_element_set(clsm_problem_is_f64(&s->p) ? CLSM_F64 : CLSM_F32,
                                 s->got.operand[o], i, v);
        }
}

void sample_free(struct sample *s)
{
    free((void *)s->in.x);
    free(s->out.y);
    free(s->got.y);
    for (clsm_operand o = CLSM_DY; o < CLSM_OPERAND_COUNT; o++) {
        free(s->out.operand[o]);
        free(s->got.operand[o]); /* in's too */
    }
    *s = (struct sample){0};
}
