/* SPDX-License-Identifier: MIT */
/* Comparing outputs, and what stands around them. */
#include "outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t bytes_of(const struct tensor *t)
{
    return t->elements * t->element_bytes;
}

bool outputs_take(const struct tensors *t, struct outputs *outputs)
{
    bool good = true;
    for (int k = 0; k < TENSORS; k++) {
        outputs->of[k] = NULL;
        if (!t->of[k].written || !t->of[k].data)
            continue;
        outputs->of[k] = malloc(bytes_of(&t->of[k]));
        good = good && outputs->of[k];
        if (outputs->of[k])
            memcpy(outputs->of[k], t->of[k].data, bytes_of(&t->of[k]));
    }
    return good;
}

void outputs_free(struct outputs *outputs)
{
    for (int k = 0; k < TENSORS; k++)
        free(outputs->of[k]);
}

void outputs_put(const struct outputs *outputs, struct tensors *t)
{
    for (int k = 0; k < TENSORS; k++)
        if (outputs->of[k])
            memcpy(t->of[k].data, outputs->of[k], bytes_of(&t->of[k]));
}

/* Which elements of a written tensor are its own. */
static unsigned char *mark_own(const struct trial *trial, const struct tensors *t,
                               int k)
{
    const clsm_problem *p = &trial->problem;
    const struct tensor *one = &t->of[k];
    unsigned char *own = calloc(one->elements, 1);
    if (!own)
        return NULL;
    if (k + CLSM_X != CLSM_Y) {
        memset(own + one->offset, 1, one->extent);
        return own;
    }
    clsm_op_info op = {.struct_bytes = sizeof op};
    clsm_op_get_info(p->op, &op);
    size_t cols = op.y == CLSM_Y_ROW ? p->cols : op.y == CLSM_Y_K ? p->k : 1;
    for (size_t r = 0; r < p->rows; r++)
        for (size_t c = 0; c < cols; c++)
            for (size_t i = 0; i < p->inner; i++)
                own[tensors_y_place(trial, t, r, c, i)] = 1;
    return own;
}

/* Every byte that is not an element of an output must be what it was before. */
static bool guards_hold(const struct trial *trial, const struct tensors *t, int k,
                        const unsigned char *before)
{
    const struct tensor *one = &t->of[k];
    unsigned char *own = mark_own(trial, t, k);
    const size_t size = one->element_bytes, end = one->offset + one->extent;
    bool hold = own && memcmp(one->data + end * size, before + end * size,
                              (one->elements - end) * size) == 0;
    for (size_t e = 0; e < end && hold; e++)
        hold = own[e] || memcmp(one->data + e * size, before + e * size, size) == 0;
    free(own);
    return hold;
}

void outputs_compare(const struct trial *trial, const struct tensors *t,
                     const struct outputs *before, const struct outputs *first,
                     char *complaint)
{
    *complaint = 0;
    for (int k = 0; k < TENSORS && !*complaint; k++) {
        if (!first->of[k])
            continue;
        const char *name = clsm_operand_name((clsm_operand)(k + CLSM_X));
        if (memcmp(first->of[k], t->of[k].data, bytes_of(&t->of[k])) != 0)
            snprintf(complaint, COMPLAINT_BYTES, "a second run gave other bits in %s",
                     name);
        else if (!guards_hold(trial, t, k, before->of[k]))
            snprintf(complaint, COMPLAINT_BYTES, "wrote outside %s", name);
    }
}

clsm_status outputs_judge(const struct trial *trial, const struct tensors *t,
                          clsm_report *report, char *complaint)
{
    const clsm_host_args view = tensors_view(t);
    clsm_status status = clsm_check_args(&trial->problem, &view, report);
    *complaint = 0;
    if (status == CLSM_OK && !report->pass)
        snprintf(complaint, COMPLAINT_BYTES,
                 "%llu of %llu outside the bound; worst %.3g x the bound in %s at row "
                 "%zu, column %zu, inner %zu: expected %.9g, got %.9g",
                 (unsigned long long)report->failed,
                 (unsigned long long)report->checked, report->worst,
                 clsm_operand_name(report->worst_operand), report->worst_row,
                 report->worst_col, report->worst_inner, report->expected, report->got);
    return status;
}
