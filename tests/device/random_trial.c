/* SPDX-License-Identifier: MIT */
/* Drawing a trial; of whatever is drawn, the edges come more often than the rest. */
#include "random_trial.h"

#include "variant.h"

#include <math.h>
#include <stdlib.h>

#define ONE_OF(d, list) ((list)[below(d, sizeof(list) / sizeof *(list))])

static size_t below(struct random_trial *d, size_t n)
{
    return (size_t)(random_next(&d->state) % n);
}

static bool chance(struct random_trial *d, size_t percent)
{
    return below(d, 100) < percent;
}

static clsm_type draw_type(struct random_trial *d)
{
    static const clsm_type types[] = {CLSM_F32,  CLSM_F32,  CLSM_F16, CLSM_F16,
                                      CLSM_BF16, CLSM_BF16, CLSM_F64};
    size_t n = sizeof types / sizeof *types - !(d->traits->bits & TRAIT_F64);
    return types[below(d, n)];
}

static size_t draw_cols(struct random_trial *d)
{
    static const size_t edges[] = {0,   1,   2,   3,   4,    7,    8,    9,   16,  17,
                                   31,  32,  33,  64,  65,   127,  128,  129, 255, 256,
                                   257, 511, 512, 513, 1000, 1024, 1025, 2049};
    if (chance(d, 10))
        return 2000 + below(d, 9000);
    return chance(d, 60) ? ONE_OF(d, edges)
                         : (size_t)exp2((double)below(d, 1100) / 100);
}

/* As many as the reference has time for. */
static void limit_rows(const struct random_trial *d, clsm_problem *p)
{
    while (p->rows > 1 && p->rows * p->cols * p->inner > d->most)
        p->rows /= 2;
}

static void draw_shape(struct random_trial *d, clsm_problem *p)
{
    static const size_t rows[] = {1, 1, 8, 40, 40, 40, 3000};
    p->cols = draw_cols(d);
    p->inner = chance(d, 25) ? 1 + below(d, chance(d, 50) ? 4 : 70) : 1;
    p->rows = 1 + below(d, ONE_OF(d, rows));
    while (p->inner > 1 && p->cols * p->inner > d->most)
        p->inner /= 2;
    limit_rows(d, p);
    if (chance(d, 35)) {
        p->queries = 1 + below(d, 6);
        p->heads = 1 + below(d, 3);
    }
}

/* Packed or with gaps, for rows of so many columns. */
static void draw_strides(struct random_trial *d, size_t cols, bool any_col,
                         size_t *matrix, size_t *row, size_t *col)
{
    const size_t queries = d->trial.problem.queries, inner = d->trial.problem.inner;
    *col = any_col && chance(d, 15) ? inner + below(d, 4) : 0;
    size_t one_col = *col ? *col : inner;
    size_t one_row = cols ? (cols - 1) * one_col + inner : 0;
    *row = chance(d, 40) ? one_row + below(d, 9) : 0;
    size_t step = *row ? *row : cols * one_col;
    if (queries && chance(d, 30))
        *matrix = (queries - 1) * step + one_row + below(d, 9);
}

#define STRIDES(p, name)                                                               \
    &(p)->name##_matrix_stride, &(p)->name##_row_stride, &(p)->name##_col_stride

/* Where all stand; x and dy may stand as y does, and y in place of one of them. */
static void draw_layout(struct random_trial *d, clsm_problem *p)
{
    struct trial *trial = &d->trial;
    size_t y_bytes = clsm_type_bytes(p->y_type);
    bool row = d->op.y == CLSM_Y_ROW, same = row && chance(d, 50);
    uint64_t again = d->state;
    draw_strides(d, row ? p->cols : p->k, row, STRIDES(p, y));
    d->state = same ? again : d->state;
    draw_strides(d, p->cols, true, STRIDES(p, x));
    d->state = same ? again : d->state;
    draw_strides(d, p->cols, true, STRIDES(p, dy));
    trial->x_offset = chance(d, 40) ? 0 : below(d, 20);
    trial->y_offset = same ? trial->x_offset : below(d, 20);
    trial->shift = chance(d, 40) ? 1 : below(d, 20);
    trial->in_place = same && clsm_type_bytes(p->x_type) == y_bytes && chance(d, 70);
    trial->in_place_dy = same && !trial->in_place && d->op.needs & CLSM_BIT(CLSM_DY) &&
                         clsm_type_bytes(p->dy_type) == y_bytes;
}

static void draw_mask(struct random_trial *d, clsm_problem *p)
{
    const size_t rows[] = {0, p->cols, p->cols + 3, 7};
    p->mask_type = (clsm_mask_type)(1 + below(d, CLSM_MASK_BOOL));
    p->mask_stride = (clsm_mask_stride){
        .batch = chance(d, 50) ? 0 : 11 * p->cols + 3,
        .head = chance(d, 50) ? 0 : 7 * p->cols,
        .row = ONE_OF(d, rows),
        .col = chance(d, 80) ? 1 : below(d, 3),
        .inner = chance(d, 50) ? 0 : 1 + below(d, p->cols + 1),
    };
}

/* Is anything counted from the query's place? */
static bool has_place(const clsm_problem *p)
{
    return p->flags & CLSM_CAUSAL || p->window || p->operands & CLSM_BIT(CLSM_SLOPES);
}

static void draw_forms(struct random_trial *d, clsm_problem *p)
{
    static const double scales[] = {0.125, -0.5, 1.7};
    const size_t windows[] = {1, 2, 17, p->cols + 1, SIZE_MAX};
    const ptrdiff_t cols = (ptrdiff_t)p->cols;
    const ptrdiff_t offsets[] = {0, 1, -3, 5, 100, cols / 2, cols, -cols};
    if (chance(d, 25))
        p->scale = ONE_OF(d, scales);
    if (!(p->operands & CLSM_BIT(CLSM_TEMPERATURE)) && chance(d, 15))
        p->temperature =
            d->op.may & CLSM_BIT(CLSM_TEMPERATURE) && chance(d, 40) ? 0 : 0.7;
    bool hot = p->temperature == 0 || p->operands & CLSM_BIT(CLSM_TEMPERATURE);
    if (chance(d, 12)) /* what 2 makes one, has no first maximum */
        p->softcap = hot || chance(d, 50) ? 30 : 2;
    if (chance(d, 25))
        p->flags |= CLSM_CAUSAL;
    if (chance(d, 12))
        p->window = ONE_OF(d, windows);
    if (has_place(p))
        p->causal_offset = ONE_OF(d, offsets);
    if (chance(d, 30))
        draw_mask(d, p);
}

static void draw_loss(struct random_trial *d, clsm_problem *p)
{
    static const int64_t ignored[] = {-100, 0, 2, INT64_MIN};
    p->target_type = chance(d, 40) ? CLSM_TARGET_I64 : CLSM_TARGET_I32;
    p->ignore_index = ONE_OF(d, ignored);
    p->label_smoothing = chance(d, 25) ? 0.1 : chance(d, 10) ? 1 : 0;
    p->z_loss = chance(d, 30) ? 0.01 : 0;
}

/* One of the configurations that can serve, each as likely; sometimes the library's own
 * choice. */
static void draw_config(struct random_trial *d, clsm_problem *p)
{
    struct problem checked;
    struct config config;
    size_t seen = 0;
    if (clsm_problem_check(p, &checked) != CLSM_OK)
        return; /* whoever makes a plan of it, is told why */
    for (unsigned i = 0; clsm_config_at(i, &config); i++)
        if (!clsm_config_misfit(&config, &checked, d->traits) && !below(d, ++seen))
            clsm_config_text(&config, d->config, sizeof d->config);
    p->variant = seen && chance(d, 80) ? d->config : NULL;
}

void random_trial_draw(struct random_trial *d, uint64_t seed)
{
    static const unsigned flags[] = {CLSM_OPEN_ROWS, CLSM_OPEN_COLS, CLSM_DETERMINISTIC,
                                     CLSM_READ_SOON};
    static const unsigned gradients = CLSM_BIT(CLSM_DY) | CLSM_BIT(CLSM_LOSS);
    clsm_problem *p = &d->trial.problem;
    d->state = seed;
    d->op.struct_bytes = sizeof d->op;
    d->trial = (struct trial){.seed = seed};
    clsm_op op = (clsm_op)below(d, CLSM_OP_COUNT);
    clsm_op_get_info(op, &d->op);
    d->trial.kind = (enum input_kind)below(d, INPUT_KIND_COUNT);
    d->trial.mixed = chance(d, 80);
    clsm_problem_init(p, op, draw_type(d), 0, 0);
    p->y_type = chance(d, 30) ? draw_type(d) : p->x_type;
    p->dy_type = chance(d, 30) ? draw_type(d) : p->x_type;
    p->k = d->op.y == CLSM_Y_K ? 1 + below(d, chance(d, 70) ? 6 : CLSM_MAX_K) : 1;
    draw_shape(d, p);
    draw_layout(d, p);
    for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++)
        p->flags |= chance(d, 30) ? flags[i] : 0;
    if (!(d->op.may & CLSM_ONLY_DEFAULT) && chance(d, 30))
        p->nonfinite = CLSM_NONFINITE_LIMIT;
    if (d->op.needs & CLSM_BIT(CLSM_TARGETS))
        draw_loss(d, p);
    if (d->op.y == CLSM_Y_ROW && d->op.needs & gradients)
        p->grad_scale = chance(d, 20) ? -2.5 : 1;
    for (unsigned o = 0; o < CLSM_OPERAND_COUNT; o++)
        if (o != CLSM_MASK && d->op.may >> o & 1 && chance(d, 18))
            p->operands |= CLSM_BIT(o);
    if (d->op.may & CLSM_FORM_BITS)
        draw_forms(d, p);
    draw_config(d, p);
}

void random_trial_call(struct random_trial *d, const clsm_problem *plan)
{
    clsm_problem *p = &d->trial.problem;
    p->rows = plan->flags & CLSM_OPEN_ROWS ? below(d, 40) : plan->rows;
    if (plan->flags & CLSM_OPEN_COLS)
        p->cols = chance(d, 30) ? plan->cols : below(d, plan->cols + 1);
    limit_rows(d, p);
    if (has_place(p))
        p->causal_offset += (ptrdiff_t)below(d, 5) - 2;
    d->trial.seed++;
}
