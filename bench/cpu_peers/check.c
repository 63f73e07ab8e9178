/* SPDX-License-Identifier: MIT */
/* Candidates against clsm_check_args(). */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Some rows of the first set as a problem of its own. */
struct slice {
    const struct stage *stage;
    size_t from, rows;
    const void *x; /* as it was before */
};

/* Elements of a tensor in front of a row: none where all rows share it. */
static size_t skipped(const struct stage *stage, int tensor, size_t row)
{
    clsm_problem before = stage->problem;
    size_t elements = 0, element_bytes;
    before.rows = row;
    if (row)
        clsm_problem_extent(&before, (clsm_operand)tensor, &elements, &element_bytes);
    return elements < stage->of[tensor - CLSM_X].elements ? elements : 0;
}

static clsm_status check_slice(const struct slice *s, clsm_report *report)
{
    clsm_host_args view = {.struct_bytes = sizeof view};
    clsm_problem p = s->stage->problem;
    p.rows = s->rows;
    for (int t = CLSM_X; t < CLSM_OPERAND_COUNT; t++) {
        const struct part *part = &s->stage->of[t - CLSM_X];
        char *at = stage_at(s->stage, t, 0);
        if (!at || (!part->elements && t != CLSM_Y))
            continue;
        at += skipped(s->stage, t, s->from) * part->element_bytes;
        if (t >= 0)
            view.operand[t] = at;
        else if (t == CLSM_Y)
            view.y = at;
    }
    size_t before = s->from * p.cols * clsm_type_bytes(p.x_type);
    view.x = (const char *)s->x + before;
    if (s->stage->in_place)
        view.y = (char *)stage_at(s->stage, CLSM_X, 0) + before;
    *report = (clsm_report){.struct_bytes = sizeof *report};
    return clsm_check_args(&p, &view, report);
}

static bool is_right(const struct candidate *c, const clsm_report *report)
{
    const double loose = clsm_type_bytes(c->stage->problem.y_type) == 2 ? 4 : 16000;
    return c->role == ROLE_OURS ? report->pass : report->worst <= loose;
}

static bool judge(const struct candidate *c, clsm_status status,
                  const clsm_report *report, char *text, size_t bytes)
{
    if (status != CLSM_OK)
        snprintf(text, bytes, "%s: %s", c->name, last_failure());
    else if (!is_right(c, report))
        snprintf(text, bytes,
                 "%s is wrong: %.3g times the bound, expected %g and got %g", c->name,
                 report->worst, report->expected, report->got);
    else
        return true;
    return false;
}

static bool check_both_ends(const struct candidate *c, size_t rows, const void *x,
                            double *ulp, char *text, size_t bytes)
{
    size_t all = c->stage->problem.rows;
    struct slice ends[] = {{c->stage, 0, rows, x}, {c->stage, all - rows, rows, x}};
    for (unsigned i = 0; i < (rows < all ? 2 : 1); i++) {
        clsm_report report;
        clsm_status status = check_slice(&ends[i], &report);
        *ulp = fmax(*ulp, status == CLSM_OK ? report.max_ulp : 0);
        if (!judge(c, status, &report, text, bytes))
            return false;
    }
    return true;
}

/* What was computed before must not pass; where y is x, keep x. */
static void *prepare(const struct stage *stage)
{
    void *x = stage_at(stage, CLSM_X, 0), *kept = NULL;
    if (!stage->in_place)
        memset(stage_at(stage, CLSM_Y, 0), 0xff, stage->x_bytes);
    else if ((kept = malloc(stage->x_bytes)))
        memcpy(kept, x, stage->x_bytes);
    return stage->in_place ? kept : x;
}

static bool check_copy(struct candidate *c, char *text, size_t bytes)
{
    const struct stage *stage = c->stage;
    void *x = stage_at(stage, CLSM_X, 0), *y = stage_at(stage, CLSM_Y, 0);
    memset(y, 0xff, stage->x_bytes);
    snprintf(text, bytes, "%s copies something else", c->name);
    return c->run(c, 0) && stage_sync(stage) == CLSM_OK &&
           memcmp(x, y, stage->x_bytes) == 0;
}

bool check_candidate(struct candidate *c, size_t elements, double *ulp, char *text,
                     size_t bytes)
{
    const struct stage *stage = c->stage;
    *ulp = 0;
    if (c->role == ROLE_COPY)
        return check_copy(c, text, bytes);
    size_t rows = elements / stage->problem.cols + 1;
    rows = rows < stage->problem.rows ? rows : stage->problem.rows;
    void *x = prepare(stage);
    snprintf(text, bytes, "%s cannot be run: %s", c->name, last_failure());
    bool good = x && c->run(c, 0) && stage_sync(stage) == CLSM_OK &&
                check_both_ends(c, rows, x, ulp, text, bytes);
    if (stage->in_place && x) {
        memcpy(stage_at(stage, CLSM_X, 0), x, stage->x_bytes);
        free(x);
    }
    return good;
}
