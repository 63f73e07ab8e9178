/* SPDX-License-Identifier: MIT */
/* Random operands: masks with holes, targets of which some are no class, weights of
 * which some are 0, temperatures of which some are 0, sinks of which some are not
 * finite. */
#include "tensors.h"

#include <math.h>
#include <string.h>

static void fill_mask(const clsm_problem *p, struct tensor *mask, uint64_t *state)
{
    for (size_t e = mask->offset; e < mask->offset + mask->extent; e++) {
        bool keep = random_next(state) % 4 != 0;
        if (p->mask_type == CLSM_MASK_BOOL)
            mask->data[e] = keep ? 1 + (unsigned char)(random_next(state) % 255) : 0;
        else
            input_put(p->mask_type == CLSM_MASK_F16 ? CLSM_F16 : CLSM_F32, mask->data,
                      e, keep ? random_normal(state) : -INFINITY);
    }
}

static void fill_targets(const clsm_problem *p, struct tensor *targets, uint64_t *state)
{
    const int64_t odd[] = {p->ignore_index, -1, (int64_t)p->cols, INT32_MAX, INT32_MIN};
    for (size_t e = targets->offset; e < targets->offset + targets->extent; e++) {
        uint64_t draw = random_next(state);
        int64_t v = draw % 4 == 0 || !p->cols ? odd[draw / 4 % 5]
                                              : (int64_t)(draw / 4 % p->cols);
        if (p->target_type == CLSM_TARGET_I64) {
            v = v == INT32_MAX ? (int64_t)1 << 32 : v; /* 0 if it were cut off */
            memcpy(targets->data + e * 8, &v, 8);
        } else {
            int32_t narrow = (int32_t)v;
            memcpy(targets->data + e * 4, &narrow, 4);
        }
    }
}

/* One number of an operand that is "real". */
static double draw_real(clsm_operand operand, uint64_t *state)
{
    static const double temperatures[] = {0, 0.1, 0.5, 1, 1.5, 30};
    static const double odd[] = {INFINITY, -INFINITY, NAN};
    double v = random_normal(state);
    switch (operand) {
    case CLSM_TEMPERATURE:
        return temperatures[random_next(state) % 6];
    case CLSM_WEIGHTS:
        return random_next(state) % 5 ? fabs(v) : 0;
    case CLSM_SLOPES:
        return fabs(v) / 4;
    case CLSM_SINKS:
        return random_next(state) % 8 ? 3 * v : odd[random_next(state) % 3];
    default:
        return 3 * v;
    }
}

static void fill_reals(struct tensor *tensor, clsm_operand operand, uint64_t *state)
{
    clsm_type type = tensor->element_bytes == 8 ? CLSM_F64 : CLSM_F32;
    for (size_t e = tensor->offset; e < tensor->offset + tensor->extent; e++)
        input_put(type, tensor->data, e, draw_real(operand, state));
}

void operands_fill(const struct trial *trial, struct tensors *t)
{
    const clsm_problem *p = &trial->problem;
    uint64_t state = trial->seed * 2 + 1001;
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++) {
        struct tensor *one = &t->of[o - CLSM_X];
        if (!one->data || one->written)
            continue;
        if (o == CLSM_MASK)
            fill_mask(p, one, &state);
        else if (o == CLSM_TARGETS)
            fill_targets(p, one, &state);
        else if (o != CLSM_DY)
            fill_reals(one, (clsm_operand)o, &state);
    }
    struct tensor *bad = &t->of[CLSM_BAD_TARGETS - CLSM_X];
    if (bad->data)
        memset(bad->data + bad->offset * bad->element_bytes, 0, bad->element_bytes);
}
