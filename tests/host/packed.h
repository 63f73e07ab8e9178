/* SPDX-License-Identifier: MIT */
/* Problems of packed rows, and what is chosen for them. */
#ifndef PACKED_H
#define PACKED_H

#include "choose.h"
#include "devices.h"
#include "suites.h"

static struct choice c; /* the latest */

static inline struct problem packed(clsm_op op, clsm_type type, size_t rows,
                                    size_t cols)
{
    clsm_problem given;
    struct problem p;
    clsm_problem_init(&given, op, type, rows, cols);
    if (op == CLSM_TOPK)
        given.k = cols < 4 ? cols : 4;
    ck_assert_int_eq(clsm_problem_check(&given, &p), CLSM_OK);
    return p;
}

static inline const struct variant *variant_of(const struct config *config)
{
    return &clsm_variants[config->variant];
}

static inline const struct variant *chosen(const struct problem *p,
                                           const struct traits *t)
{
    EXPECT(clsm_choose(p, t, NULL, &c) == CLSM_OK, "cols %zu: %s", p->cols,
           clsm_last_message());
    return variant_of(&c.ranked[0].config);
}

#endif
