/* SPDX-License-Identifier: MIT */
/* The trials of one cell of `clsoftmax verify`. */
#include "cell.h"

#include "dress.h"
#include "trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LENGTHS = 24, ROWS = INPUT_KIND_COUNT + 3 };

/* A row that takes several work-groups and is ragged, where each holds as much as it
 * may of a row; 0 for configurations that do not say so. */
static size_t shared_length(const char *config)
{
    const char *wg = strstr(config, "WG="), *hold = strstr(config, "HOLD=");
    enum { COLUMNS = 12 }; /* for each: two parts of 16-bit data, three of f32 */
    return wg && hold
               ? strtoul(wg + 3, NULL, 10) * strtoul(hold + 5, NULL, 10) * COLUMNS + 5
               : 0;
}

/* Row lengths around each parameter of a configuration ("WG=64" gives 63, 64, 65), and
 * some that are around none. */
static unsigned edge_lengths(const char *config, size_t lengths[MAX_LENGTHS])
{
    static const size_t always[] = {1, 2, 3, 17, 100, 997, 4099};
    unsigned n = sizeof always / sizeof *always;
    memcpy(lengths, always, sizeof always);
    for (const char *at = strchr(config, '='); at; at = strchr(at + 1, '=')) {
        size_t p = strtoul(at + 1, NULL, 10);
        size_t around[] = {p - 1, p, p + 1, 2 * p, 4 * p + 1};
        for (size_t i = 0; i < 5 && n < MAX_LENGTHS; i++)
            if (around[i])
                lengths[n++] = around[i];
    }
    if (shared_length(config) && n < MAX_LENGTHS)
        lengths[n++] = shared_length(config);
    return n;
}

static bool takes_limit(clsm_op op)
{
    clsm_op_info info = {.struct_bytes = sizeof info};
    return clsm_op_get_info(op, &info) == CLSM_OK && !(info.may & CLSM_ONLY_DEFAULT);
}

/* Lists of one place, of places that are written in pairs, in fours, and one by one,
 * and of most that candidates are found for; 0 where the operation has none. */
static size_t list_length(clsm_op op, unsigned i)
{
    static const size_t lengths[] = {1, 4, 3, 2, 8, 24};
    clsm_op_info info = {.struct_bytes = sizeof info};
    bool lists = clsm_op_get_info(op, &info) == CLSM_OK && info.y == CLSM_Y_K;
    return lists ? lengths[i % (sizeof lengths / sizeof *lengths)] : 0;
}

/* Some results take the place of x, or of dy where there is one. */
static void take_place(struct trial *trial, unsigned i)
{
    const clsm_problem *p = &trial->problem;
    clsm_op_info info = {.struct_bytes = sizeof info};
    if (clsm_op_get_info(p->op, &info) != CLSM_OK || info.y != CLSM_Y_ROW)
        return;
    trial->in_place =
        i / 3 % 3 == 1 && clsm_type_bytes(p->x_type) == clsm_type_bytes(p->y_type);
    trial->in_place_dy = i / 3 % 3 == 2 && info.needs & CLSM_BIT(CLSM_DY);
    if (trial->in_place)
        trial->y_offset = trial->x_offset;
}

/* At one row length, in one dress. */
static void verify_length(const struct session *s, struct cell *cell, size_t cols,
                          size_t inner, unsigned i, unsigned dress)
{
    struct verdict v;
    struct trial trial = {
        .mixed = true, .seed = cell->seed + i, .x_offset = i % 3, .y_offset = i % 2};
    clsm_problem *p = &trial.problem;
    clsm_problem_init(p, cell->op, cell->x, dress ? DRESS_ROWS : ROWS, cols);
    p->y_type = p->dy_type = cell->y;
    p->variant = cell->config;
    p->inner = inner;
    if (i % 2 && takes_limit(cell->op))
        p->nonfinite = CLSM_NONFINITE_LIMIT;
    if (!cols || !dress_problem(dress, p))
        return;
    size_t k = dress ? 0 : list_length(cell->op, i);
    p->k = k ? k : p->k;
    take_place(&trial, i);
    bool good = trial_run(s, &trial, NULL, &v);
    if (v.status == CLSM_ERR_VARIANT || v.status == CLSM_ERR_UNSUPPORTED)
        return; /* not for rows of this length or axis, or not on this device */
    cell->run++;
    cell->passed += good;
    cell->worst = fmax(cell->worst, v.report.worst);
    cell->max_ulp = fmax(cell->max_ulp, v.report.max_ulp);
    if (!good)
        printf("FAIL %s (%s)%s cols %zu inner %zu seed %llu: %s\n", cell->name,
               dress_name(dress),
               trial.in_place || trial.in_place_dy ? " in place" : "", cols, inner,
               (unsigned long long)trial.seed, v.complaint);
}

/* The first dress from `wish` on that this operation has of its own. */
static unsigned fitting_dress(const struct cell *cell, unsigned wish)
{
    const unsigned count = dress_count() - 1;
    for (unsigned n = 0; n < count; n++) {
        clsm_problem p;
        unsigned dress = 1 + (wish - 1 + n) % count;
        clsm_problem_init(&p, cell->op, cell->x, DRESS_ROWS, 1);
        if (dress_problem(dress, &p))
            return dress;
    }
    return 0;
}

void cell_verify(const struct session *s, struct cell *cell)
{
    const size_t dressed[][2] = {{1, 1},  {37, 1},  {300, 1},
                                 {1, 33}, {300, 5}, {shared_length(cell->config), 1}};
    static const size_t inners[] = {3, 33, 8,
                                    5}; /* beside and below a work-group's rows */
    static const size_t tiles[] = {64, 36, 4}; /* whole, cut and small ones of packs */
    size_t lengths[MAX_LENGTHS];
    unsigned n = edge_lengths(cell->config, lengths);
    unsigned one = cell->dress ? fitting_dress(cell, cell->dress) : 0;
    for (unsigned i = 0; i < n; i++)
        verify_length(s, cell, lengths[i], 1, i, 0);
    for (unsigned i = 0; i < n; i++)
        verify_length(s, cell, lengths[i], inners[i % 4], n + i, 0);
    for (unsigned i = 0; i < n && strstr(cell->config, "TILE="); i++)
        verify_length(s, cell, lengths[i], tiles[i % 3], 2 * n + i, 0);
    for (unsigned d = 1; d < dress_count(); d++)
        for (unsigned i = 0; i < 6 && (!cell->dress || d == one); i++)
            verify_length(s, cell, dressed[i][0], dressed[i][1], i, d);
    cell->unfit = cell->run == 0;
}
