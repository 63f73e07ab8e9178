/* SPDX-License-Identifier: MIT */
/* What the estimates have in common: what is moved and seen of a row, and times that
 * overlap. */
#include "estimate.h"

#include <math.h>

double clsm_form_steps(const struct problem *p)
{
    return clsm_problem_holds_logits(p) ? 8 : clsm_problem_has_forms(p) ? 3 : 0;
}

unsigned clsm_numbers_in(const struct problem *p)
{
    return clsm_has(p, CLSM_FROM_MAX) + clsm_has(p, CLSM_FROM_SUM) +
           clsm_has(p, CLSM_TEMPERATURE);
}

unsigned clsm_numbers_out(const struct problem *p)
{
    return clsm_has(p, CLSM_MAX) + clsm_has(p, CLSM_SUM) + clsm_has(p, CLSM_LSE) +
           clsm_has(p, CLSM_LOSS) + (clsm_problem_y(p) == CLSM_Y_ONE);
}

struct row_bytes clsm_row_bytes(const struct problem *p)
{
    struct row_bytes bytes = {
        .in = (double)p->cols * (double)clsm_type_bytes(p->x.type),
        .out = (double)p->y.cols * (double)clsm_type_bytes(p->y.type),
    };
    if (clsm_has(p, CLSM_DY))
        bytes.in += (double)p->cols * (double)clsm_type_bytes(p->dy.type);
    bool one = clsm_problem_y(p) == CLSM_Y_ONE; /* which is y */
    bytes.numbers = 4.0 * (clsm_numbers_in(p) + clsm_numbers_out(p) - one);
    if (clsm_has(p, CLSM_TARGETS))
        bytes.numbers += (double)clsm_operand_bytes(CLSM_TARGETS, p);
    if (clsm_problem_y(p) == CLSM_Y_K)
        bytes.numbers += 4.0 * (double)p->k;
    return bytes;
}

/* Of columns 0 to cols, those before p, over all queries p from `first` to `last`. */
static double columns_before(double first, double last, double cols)
{
    double low = fmin(fmax(first, 0), cols), high = fmin(fmax(last, 0), cols);
    return (high * high - low * low) / 2 +
           cols * (fmax(last, cols) - fmax(first, cols));
}

double clsm_columns_seen(const struct problem *p)
{
    if (!clsm_problem_is_bounded(p))
        return 1;
    double queries = clsm_problem_likely_rows(p);
    double cols = fmax(1, (double)p->cols), window = (double)p->window;
    if (!p->one_matrix)
        queries = fmin(queries, (double)p->queries);
    double first = (double)p->causal_offset, last = first + queries;
    double after = p->causal ? 0 : window; /* columns */
    double seen = columns_before(first + after, last + after, cols);
    if (p->window)
        seen -= columns_before(first - window, last - window, cols);
    return fmax(0, seen) / (queries * cols);
}

double clsm_together(double a, double b, double c)
{
    return pow(pow(a, 8) + pow(b, 8) + pow(c, 8), 1.0 / 8);
}

double clsm_scatter(const struct problem *p, double elements)
{
    double bytes = elements * (double)clsm_type_bytes(p->y.type);
    return bytes > 0 ? fmax(0, LEAST_BYTES / bytes - 1) : 0;
}

double clsm_unit_local_bytes(const struct traits *t)
{
    return (double)t->local_bytes * (t->bits & TRAIT_PTX ? 4 : 1);
}

double clsm_group_steps(const struct config *config, const struct traits *t,
                        double barrier)
{
    double wg = (double)clsm_config_wg(config);
    return clsm_variant_uses_lanes(&clsm_variants[config->variant], t)
               ? 4 * barrier + 2 * 5 * 8 + 2 * 6 * wg / t->lanes
               : 2 * (log2(wg) + 2) * barrier;
}
