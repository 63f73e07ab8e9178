/* SPDX-License-Identifier: MIT */
/*
 * Cliffs: where two neighbouring lengths get different configurations, the last length
 * of one and the first of the other should be about as fast. The places are found on
 * plans alone, by bisection between lengths of a coarse grid; all lengths are multiples
 * of 8.
 */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEP = 8, MAX_CLIFFS = 64, PARTS = 4 /* of the grid between two powers of 2 */ };

/* A length and what is chosen for it. */
struct place {
    size_t cols;
    char variant[CONFIG_BYTES];
};

struct cliffs {
    struct limit *limit;
    struct limit_case like;
    struct place pairs[MAX_CLIFFS][2];
    unsigned count;
    bool more;   /* than there is room for */
    bool failed; /* a plan could not be made, and that was told */
};

static struct limit_case case_at(const struct cliffs *c, size_t cols)
{
    struct limit_case one = c->like;
    one.cols = cols;
    one.rows = case_rows(one.type, cols, c->limit->selection.scale);
    return one;
}

static struct place place_at(struct cliffs *c, size_t cols)
{
    struct place place = {.cols = cols};
    struct result r;
    struct limit_case one = case_at(c, cols);
    choose_case(c->limit, &one, &r);
    if (r.mark == MARK_FAILED && !c->failed) {
        report_result(c->limit, &r);
        c->failed = true;
    }
    memcpy(place.variant, r.info.variant, sizeof place.variant);
    return place;
}

/* All switches between two lengths; what differs and differs back between them stays
 * unseen. */
static void find_between(struct cliffs *c, const struct place *a, const struct place *b)
{
    if (strcmp(a->variant, b->variant) == 0)
        return;
    if (b->cols - a->cols > STEP) {
        struct place middle = place_at(c, (a->cols + b->cols) / 2 / STEP * STEP);
        find_between(c, a, &middle);
        find_between(c, &middle, b);
    } else if (c->count < MAX_CLIFFS) {
        c->pairs[c->count][0] = *a;
        c->pairs[c->count++][1] = *b;
    } else {
        c->more = true;
    }
}

static void find_all(struct cliffs *c)
{
    struct place last = place_at(c, STEP);
    for (size_t power = STEP; power < LONGEST; power *= 2)
        for (size_t part = 1; part <= PARTS; part++) {
            size_t cols = (power + power * part / PARTS) / STEP * STEP;
            if (cols <= last.cols || cols > c->like.cols)
                continue;
            struct place next = place_at(c, cols);
            find_between(c, &last, &next);
            last = next;
        }
}

/* One cliff: both sides timed, the loss of the slower one told as the second's result.
 */
static void tell(struct cliffs *c, const struct place pair[2])
{
    struct result r[2];
    for (int side = 0; side < 2; side++) {
        struct limit_case one = case_at(c, pair[side].cols);
        time_case(c->limit, &one, &r[side]);
        if (r[side].mark == MARK_FAILED || r[side].mark == MARK_TOO_LARGE) {
            report_result(c->limit, &r[side]);
            return;
        }
    }
    snprintf(r[1].note, sizeof r[1].note, "%zu cols %s %.1f%%, %zu cols %s %.1f%%",
             pair[0].cols, pair[0].variant, 100 * r[0].value, pair[1].cols,
             pair[1].variant, 100 * r[1].value);
    r[1].value = 1 - fmin(r[0].value, r[1].value) / fmax(r[0].value, r[1].value);
    report_result(c->limit, &r[1]);
}

void time_cliffs(struct limit *limit, const struct limit_case *like)
{
    struct cliffs c = {.limit = limit, .like = *like};
    find_all(&c);
    for (unsigned i = 0; i < c.count; i++) {
        struct limit_case one = case_at(&c, c.pairs[i][1].cols);
        report_progress(limit->report, i + 1, c.count, &one);
        tell(&c, c.pairs[i]);
    }
    if (!c.count && !c.failed)
        printf("%s: one configuration for all lengths that are multiples of %d\n",
               clsm_type_name(like->type), STEP);
    if (c.more)
        complain(0, "%s: only the first %d cliffs were timed",
                 clsm_type_name(like->type), MAX_CLIFFS);
}
