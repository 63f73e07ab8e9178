/* SPDX-License-Identifier: MIT */
/* Edge lengths: each step of a mapping, and what stands right beside it. */
#include "lengths.h"

#include <assert.h>
#include <string.h>

/* A length that the variant serves, into its place. */
static void add(struct lengths *l, const struct variant *v, size_t cols)
{
    if (cols && (cols < v->cols.min || cols > v->cols.max))
        return;
    unsigned i = 0;
    while (i < l->count && l->cols[i] < cols)
        i++;
    if (i < l->count && l->cols[i] == cols)
        return;
    assert(l->count < MAX_LENGTHS);
    memmove(l->cols + i + 1, l->cols + i, (l->count++ - i) * sizeof *l->cols);
    l->cols[i] = cols;
}

static void add_around(struct lengths *l, const struct variant *v, size_t cols)
{
    add(l, v, cols - 1);
    add(l, v, cols);
    add(l, v, cols + 1);
}

struct lengths edge_lengths(const struct config *config, const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    size_t wg = clsm_config_wg(config), vec = clsm_config_value(config, "VEC", 1);
    static const size_t runs[] = {4, 7, 12, 33}; /* of 4, 1, 4 and 1 neighbours */
    size_t lanes = t->bits & TRAIT_LANES ? t->lanes : 1;
    struct lengths l = {.count = 0};
    add(&l, v, 0);
    add(&l, v, v->cols.min);
    add(&l, v, v->cols.min + 1);
    add_around(&l, v, vec);
    add(&l, v, 2 * vec + 1);
    add_around(&l, v, lanes);
    add_around(&l, v, wg);
    add_around(&l, v, clsm_config_value(config, "BLOCK", 1) * wg);
    for (size_t i = 0; v->exact_cols && i < sizeof runs / sizeof *runs; i++)
        add(&l, v, runs[i]);
    add(&l, v, 4999); /* a prime */
    if (v->cols.max <= LONGEST_EDGE)
        add(&l, v, v->cols.max);
    return l;
}
