/* SPDX-License-Identifier: MIT */
/* The wardrobe, and who may wear what. */
#include "dress.h"

#include <string.h>

enum mask_shape { BROADCAST, A_ROW, A_MATRIX, FULL };

static const struct dress {
    const char *name;
    unsigned operands, flags;
    double scale, temperature, softcap; /* 0: none; temperature -1: 0 */
    clsm_mask_type mask;
    enum mask_shape mask_shape; /* of what the mask differs */
    ptrdiff_t offset;
    size_t window, k;
    clsm_target_type target;
    double smoothing, z_loss, grad_scale;
} dresses[] = {
    {.name = "bare"},
    {.name = "row results",
     .operands = CLSM_STATISTICS_BITS,
     .k = 5,
     .grad_scale = 0.25},
    {.name = "causal", .flags = CLSM_CAUSAL, .scale = 0.125, .k = 3},
    {.name = "mask",
     .mask = CLSM_MASK_F32,
     .mask_shape = A_MATRIX,
     .scale = -1.5,
     .softcap = 30,
     .operands = CLSM_BIT(CLSM_LSE)},
    {.name = "bool mask",
     .mask = CLSM_MASK_BOOL,
     .mask_shape = FULL,
     .operands = CLSM_BIT(CLSM_SINKS) | CLSM_BIT(CLSM_MAX),
     .k = 7},
    {.name = "alibi",
     .operands = CLSM_BIT(CLSM_SLOPES) | CLSM_BIT(CLSM_SINKS) | CLSM_BIT(CLSM_LSE),
     .flags = CLSM_CAUSAL,
     .mask = CLSM_MASK_F16,
     .mask_shape = A_ROW,
     .offset = 40,
     .window = 33,
     .k = 128},
    {.name = "window",
     .window = 6,
     .offset = -2,
     .temperature = 0.75,
     .mask = CLSM_MASK_BOOL,
     .mask_shape = BROADCAST,
     .operands = CLSM_STATISTICS_BITS},
    {.name = "temperature",
     .operands = CLSM_BIT(CLSM_TEMPERATURE) | CLSM_STATISTICS_BITS,
     .scale = 3,
     .k = 2},
    {.name = "temperature 0",
     .temperature = -1,
     .operands = CLSM_BIT(CLSM_LSE),
     .k = 4},
    {.name = "temperature 0 alone", .temperature = -1, .k = 9},
    {.name = "class weights",
     .operands = CLSM_BIT(CLSM_WEIGHTS) | CLSM_BIT(CLSM_BAD_TARGETS),
     .target = CLSM_TARGET_I64,
     .z_loss = 1e-3},
    {.name = "smoothing",
     .operands = CLSM_BIT(CLSM_LSE),
     .smoothing = 0.1,
     .grad_scale = -3},
    {.name = "all of a loss",
     .operands =
         CLSM_BIT(CLSM_WEIGHTS) | CLSM_BIT(CLSM_BAD_TARGETS) | CLSM_STATISTICS_BITS,
     .target = CLSM_TARGET_I64,
     .smoothing = 0.25,
     .z_loss = 1e-2,
     .grad_scale = 1.0 / 64},
    {.name = "scale", .scale = 0.3, .operands = CLSM_BIT(CLSM_LSE)},
    {.name = "mask alone", .mask = CLSM_MASK_F32, .mask_shape = BROADCAST, .k = 6},
    {.name = "bool mask alone", .mask = CLSM_MASK_BOOL, .mask_shape = FULL, .k = 1},
};

unsigned dress_count(void)
{
    return sizeof dresses / sizeof *dresses;
}

const char *dress_name(unsigned n)
{
    return dresses[n].name;
}

static clsm_mask_stride mask_stride(enum mask_shape shape, const clsm_problem *p)
{
    clsm_mask_stride s = {.col = 1};
    if (shape >= A_ROW)
        s.row = p->cols + 3;
    if (shape >= A_MATRIX)
        s.head = s.row * DRESS_QUERIES;
    if (shape >= FULL)
        s.batch = s.head * DRESS_HEADS;
    return s;
}

static void wear_forms(const struct dress *d, const clsm_op_info *op, clsm_problem *p)
{
    p->queries = DRESS_QUERIES;
    p->heads = DRESS_HEADS;
    p->scale = d->scale != 0 ? d->scale : 1;
    p->temperature = d->temperature != 0 ? d->temperature : 1;
    if (d->temperature < 0)
        p->temperature = op->may & CLSM_BIT(CLSM_TEMPERATURE) ? 0 : 1;
    p->softcap = d->softcap;
    p->mask_type = d->mask;
    p->mask_stride = mask_stride(d->mask_shape, p);
    p->causal_offset = d->offset;
    p->window = d->window;
    p->flags |= d->flags;
}

bool dress_problem(unsigned n, clsm_problem *p)
{
    const struct dress *d = &dresses[n];
    const clsm_problem bare = *p;
    clsm_op_info op = {.struct_bytes = sizeof op};
    if (clsm_op_get_info(p->op, &op) != CLSM_OK)
        return false;
    p->operands |= d->operands & op.may;
    if (op.may & CLSM_FORM_BITS)
        wear_forms(d, &op, p);
    if (op.y == CLSM_Y_K && d->k)
        p->k = d->k;
    if ((op.needs | op.may) & CLSM_BIT(CLSM_TARGETS)) {
        p->target_type = d->target;
        p->label_smoothing = d->smoothing;
        p->z_loss = d->z_loss;
    }
    bool has_gradient =
        op.y == CLSM_Y_ROW && op.needs & (CLSM_BIT(CLSM_DY) | CLSM_BIT(CLSM_LOSS));
    if (has_gradient && d->grad_scale != 0)
        p->grad_scale = d->grad_scale;
    clsm_problem plain = *p;
    plain.queries = bare.queries;
    plain.heads = bare.heads;
    plain.mask_stride = bare.mask_stride;
    plain.causal_offset = bare.causal_offset;
    return n == 0 || memcmp(&plain, &bare, sizeof bare) != 0;
}
