/* SPDX-License-Identifier: MIT */
/* Telling a trial's features. */
#include "listing.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Each feature's name, and whether this trial has it. */
struct feature {
    const char *name;
    bool has;
};

static void find_features(const struct trial *trial, struct feature found[FEATURES])
{
    const clsm_problem *p = &trial->problem;
    const unsigned o = p->operands;
    const struct feature all[] = {
        {"axis", p->inner > 1},
        {"padded", p->x_row_stride != 0 || p->y_row_stride != 0},
        {"matrices", p->queries && (p->x_matrix_stride || p->y_matrix_stride)},
        {"x-in-place", trial->in_place},
        {"dy-in-place", trial->in_place_dy},
        {"limit", p->nonfinite == CLSM_NONFINITE_LIMIT},
        {"scale", p->scale != 1},
        {"temperature", p->temperature != 1},
        {"temperatures", (o & CLSM_BIT(CLSM_TEMPERATURE)) != 0},
        {"softcap", p->softcap != 0},
        {"alibi", (o & CLSM_BIT(CLSM_SLOPES)) != 0},
        {"mask-f32", p->mask_type == CLSM_MASK_F32},
        {"mask-f16", p->mask_type == CLSM_MASK_F16},
        {"mask-bool", p->mask_type == CLSM_MASK_BOOL},
        {"causal", (p->flags & CLSM_CAUSAL) != 0},
        {"window", p->window != 0},
        {"sinks", (o & CLSM_BIT(CLSM_SINKS)) != 0},
        {"statistics", (o & CLSM_STATISTICS_BITS) != 0},
        {"weights", (o & CLSM_BIT(CLSM_WEIGHTS)) != 0},
        {"smoothing", p->label_smoothing != 0},
        {"z-loss", p->z_loss != 0},
        {"grad-scale", p->grad_scale != 1},
        {"i64", p->target_type == CLSM_TARGET_I64},
    };
    static_assert(sizeof all / sizeof *all == FEATURES, "FEATURES counts them");
    memcpy(found, all, sizeof all);
}

unsigned features_of(const struct trial *trial)
{
    struct feature features[FEATURES];
    unsigned bits = 0;
    find_features(trial, features);
    for (unsigned i = 0; i < FEATURES; i++)
        bits |= (unsigned)features[i].has << i;
    return bits;
}

void list_trial(const struct trial *trial)
{
    const clsm_problem *p = &trial->problem;
    struct feature features[FEATURES];
    const char *variant = p->variant ? p->variant : "any";
    find_features(trial, features);
    printf("# trial %s %.*s %s %s ", clsm_op_name(p->op), (int)strcspn(variant, ":"),
           variant, clsm_type_name(p->x_type), clsm_type_name(p->y_type));
    for (size_t i = 0; i < FEATURES; i++)
        if (features[i].has)
            printf("%s,", features[i].name);
    printf("\n");
}
