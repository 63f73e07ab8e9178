/* SPDX-License-Identifier: MIT */
/* The table of forms, and what each does to a problem. */
#include "forms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void scale(clsm_problem *p)
{
    p->scale = 0.125;
}

/* (rows, cols), one byte an element */
static void bool_mask(clsm_problem *p)
{
    p->operands |= CLSM_BIT(CLSM_MASK);
    p->mask_type = CLSM_MASK_BOOL;
    p->mask_stride.row = p->cols;
}

/* (cols), added to every row */
static void f32_mask(clsm_problem *p)
{
    p->operands |= CLSM_BIT(CLSM_MASK);
    p->mask_type = CLSM_MASK_F32;
}

/* Square matrices where there are rows enough; otherwise the last queries of longer
 * ones, so that the last query always sees all columns. */
static void causal(clsm_problem *p)
{
    p->flags |= CLSM_CAUSAL;
    p->queries = p->rows < p->cols ? p->rows : p->cols;
    p->causal_offset = (ptrdiff_t)(p->cols - p->queries);
}

static void open_rows(clsm_problem *p)
{
    p->flags |= CLSM_OPEN_ROWS;
}

/* The columns are the most that there may be. */
static void open_shape(clsm_problem *p)
{
    p->flags |= CLSM_OPEN_ROWS | CLSM_OPEN_COLS;
}

/* Query q of a matrix leaves out queries - 1 - q columns: they are not read, but y is
 * written in full. */
static uint64_t beyond_the_edge(const clsm_problem *p)
{
    uint64_t n = p->queries, whole = p->rows / n, rest = p->rows % n;
    uint64_t elements = whole * (n * (n - 1) / 2) + rest * (2 * n - rest - 1) / 2;
    return elements * clsm_type_bytes(p->x_type);
}

static double wide_range(double normal, size_t c, size_t cols)
{
    (void)c, (void)cols;
    return 30 * normal;
}

/* Four of five, all over the row. */
static double minus_inf(double normal, size_t c, size_t cols)
{
    (void)cols;
    return ((uint32_t)(c * 2654435761u) >> 16) % 5 ? -INFINITY : normal;
}

/* A maximum that the start of the row gives no hint of; results are normal numbers. */
static double late_jump(double normal, size_t c, size_t cols)
{
    return c == cols - cols / 8 ? normal + 70 : normal;
}

/* The first element takes it all, and leaves exp(-96) and less to the others. */
static double subnormal(double normal, size_t c, size_t cols)
{
    (void)cols;
    return c ? normal : 96;
}

static const struct form forms[] = {
    {.name = "plain"},
    {.name = "scale", .dress = scale},
    {.name = "bool_mask", .dress = bool_mask},
    {.name = "f32_mask", .dress = f32_mask},
    {.name = "causal", .dress = causal, .left_out = beyond_the_edge},
    {.name = "open_rows", .dress = open_rows},
    {.name = "open_shape", .dress = open_shape},
    {.name = "in_place", .in_place = true},
    {.name = "k2", .k = 2},
    {.name = "k8", .k = 8},
    {.name = "k50", .k = 50},
    {.name = "unaligned", .x_offset = 1, .y_offset = 3},
    {.name = "wide_range", .input = wide_range},
    {.name = "minus_inf", .input = minus_inf},
    {.name = "late_jump", .input = late_jump},
    {.name = "subnormal", .input = subnormal},
};

enum { FORMS = sizeof forms / sizeof *forms };

const struct form *form_find(const char *name)
{
    for (size_t i = 0; i < FORMS; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    return NULL;
}

const struct form *form_find_dress(const char *name)
{
    const struct form *form = form_find(name);
    return form && form->dress ? form : NULL;
}

bool form_wear(const struct form *form, clsm_problem *p)
{
    clsm_problem dressed = *p;
    size_t elements, element_bytes;
    form->dress(&dressed);
    if (clsm_problem_extent(&dressed, CLSM_X, &elements, &element_bytes) != CLSM_OK)
        return false;
    *p = dressed;
    return true;
}

void form_print_dresses(void)
{
    for (size_t i = 0; i < FORMS; i++)
        if (forms[i].dress)
            printf(" %s", forms[i].name);
}
