/* SPDX-License-Identifier: MIT */
/* Drawing problems. Each takes the same number of random numbers, so that a problem
 * does not depend on what those before it were. */
#include "drawn.h"

#include "input.h"
#include "sets.h"

#include <math.h>
#include <stdio.h>

enum { MOST_COLS_LOG2 = 20, MOST_K = 16, ROUND = 64 };

/* In [0, n). */
static size_t below(uint64_t *state, size_t n)
{
    return (size_t)(random_next(state) % n);
}

/* From 2^0 up to, but not, 2^log2_most, each octave as likely. */
static double log_uniform(uint64_t *state, double log2_most)
{
    return exp2((double)(random_next(state) >> 11) * 0x1p-53 * log2_most);
}

clsm_status drawn_problem(uint64_t *state, size_t mib, clsm_problem *p)
{
    static const clsm_type types[] = {CLSM_F32, CLSM_F16, CLSM_BF16};
    clsm_op_info info = {.struct_bytes = sizeof info};
    clsm_op op = (clsm_op)below(state, CLSM_OP_COUNT);
    clsm_type type = types[below(state, sizeof types / sizeof *types)];
    size_t cols = (size_t)log_uniform(state, MOST_COLS_LOG2);
    bool round = below(state, 2);
    size_t k = below(state, MOST_K) + 1;
    double traffic = 0x1p20 * log_uniform(state, log2((double)mib));
    if (round && cols >= ROUND)
        cols = (cols + ROUND / 2) / ROUND * ROUND;
    clsm_status status = clsm_op_get_info(op, &info);
    if (status != CLSM_OK)
        return status;
    clsm_problem_init(p, op, type, 1, cols);
    if (info.y == CLSM_Y_K)
        p->k = k < cols ? k : cols;
    uint64_t bytes, largest;
    status = sets_bytes(p, &bytes, &largest);
    if (status == CLSM_OK && traffic >= (double)bytes)
        p->rows = (size_t)(traffic / (double)bytes);
    return status;
}

void drawn_name(const clsm_problem *p, char *name, size_t bytes)
{
    clsm_op_info info = {.struct_bytes = sizeof info};
    if (clsm_op_get_info(p->op, &info) == CLSM_OK && info.y == CLSM_Y_K)
        snprintf(name, bytes, "%s, k %zu", clsm_op_name(p->op), p->k);
    else
        snprintf(name, bytes, "%s", clsm_op_name(p->op));
}
