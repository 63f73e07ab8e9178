/* SPDX-License-Identifier: MIT */
/* Mappings in which a work-item takes a run of rows, for CPU runtimes; see
 * cl/pipeline.cl. */
#include "variant.h"

enum {
    HELD_ASIDE = 1024 + 64 + 64, /* reals around a row's terms: FRONT, CHUNK of
                                  * cl/pipeline.cl, and what the driver may need */
    LEAST_HELD = 1024,
    HELD_STEP = LEAST_HELD / 4,
    STRIP_LANES = 64,      /* softmaxes of a strip, */
    LEAST_STRIP = 16,      /* columns, the next power of two, */
    STRIP_BYTES = 1 << 18, /* and bytes that a strip's terms may have */
    LEAST_RUN = 4,         /* rows: at the ends of a run memory waits */
    MOST_GROUPS = 64       /* for each compute unit */
};

/* The next of 4, 5, 6, 7 times a power of two: few programs, little room unused. */
static size_t class_of(size_t cols)
{
    size_t step = HELD_STEP;
    while (8 * step < cols)
        step *= 2;
    size_t steps = (cols + step - 1) / step;
    return (steps > 4 ? steps : 4) * step;
}

/* Columns of a strip that have room, see STRIP in cl/strip.cl: x, and a dy as
 * large beside it. */
static size_t strip_cols(const struct problem *p, const struct traits *t)
{
    size_t cols = LEAST_STRIP, room = t->local_bytes / 2;
    room = room < STRIP_BYTES ? room : STRIP_BYTES;
    while (cols < p->cols && cols < MAX_COLS)
        cols *= 2;
    return cols <= room / (STRIP_LANES * sizeof(float)) ? cols : 0;
}

size_t clsm_config_hold_cols(const struct config *config, const struct problem *p,
                             const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    if (v->row_per_lane && v->any_axis)
        return strip_cols(p, t);
    size_t cols = p->cols < MAX_COLS ? class_of(p->cols) : MAX_COLS;
    size_t room = t->local_bytes / sizeof(float);
    size_t most = room > HELD_ASIDE ? (room - HELD_ASIDE) / HELD_STEP * HELD_STEP : 0;
    bool holds = v->pipelined && v->geometry == ROW_RUN_PER_ITEM && !v->exact_cols;
    return !holds || p->cols > most ? 0 : cols < most ? cols : most;
}

size_t clsm_config_runs(const struct config *config, size_t rows,
                        const struct traits *t)
{
    size_t most = MOST_GROUPS * (size_t)t->compute_units;
    size_t run = clsm_variants[config->variant].pipelined ? LEAST_RUN : 1;
    size_t beside = clsm_variants[config->variant].row_per_lane
                        ? clsm_config_workers(config, t)
                        : 1;
    rows = (rows + beside - 1) / beside; /* these are not shared */
    while (run > 1 && rows < run * t->compute_units)
        run /= 2;
    size_t runs = rows / run ? rows / run : 1;
    return runs < most ? runs : most;
}
