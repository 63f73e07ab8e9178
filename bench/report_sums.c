/* SPDX-License-Identifier: MIT */
/* What stands under the table: groups, spills, peers. */
#include "measure.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_value(const struct result *r)
{
    return r->mark == MARK_PASS || r->mark == MARK_SHORT || r->mark == MARK_NO_GOAL;
}

/* How far a value is from its goal: below 1 falls short, and the least is the worst. */
static double standing(const struct result *r)
{
    const struct goal *goal = r->of.goal;
    if (goal_is_most(goal))
        return r->value > 0 ? goal->goal / r->value : INFINITY;
    return goal->goal > 0 ? r->value / goal->goal : r->value;
}

static void add(struct group_sum *sum, const struct result *r, double *values,
                unsigned *n)
{
    sum->cases++;
    sum->met += r->mark == MARK_PASS;
    sum->judged += r->mark != MARK_NO_GOAL && r->mark != MARK_NO_PEER;
    if (!has_value(r))
        return;
    if (values)
        values[(*n)++] = r->value;
    if (!sum->worst || standing(r) < standing(sum->worst))
        sum->worst = r;
}

bool report_group(const struct report *report, size_t *at, struct group_sum *sum)
{
    if (*at >= report->count)
        return false;
    *sum = (struct group_sum){.name = report->results[*at].of.goal->group};
    double *values = calloc(report->count - *at, sizeof *values);
    unsigned n = 0;
    for (; *at < report->count; ++*at) {
        const struct result *r = &report->results[*at];
        if (strcmp(r->of.goal->group, sum->name) != 0)
            break;
        add(sum, r, values, &n);
    }
    if (n)
        sum->median = median(values, n);
    free(values);
    return true;
}

static void print_groups(const struct report *report)
{
    struct group_sum sum;
    char key[160];
    for (size_t at = 0; report_group(report, &at, &sum);) {
        printf("%-12s %4u cases, %4u of %4u met", sum.name, sum.cases, sum.met,
               sum.judged);
        if (sum.worst) {
            case_key(&sum.worst->of, key, sizeof key);
            printf("; median %.3f, worst %.3f at %s", sum.median, sum.worst->value,
                   key);
        }
        printf("\n");
    }
}

static void print_usage(const struct report *report)
{
    unsigned known = 0, spilling = 0;
    for (size_t i = 0; i < report->count; i++) {
        known += report->results[i].info.registers != 0;
        spilling += report->results[i].info.spill_bytes != 0;
    }
    if (known)
        printf("%u of the %u cases whose compiler tells it spill\n", spilling, known);
    else
        printf("no compiler told registers and spills\n");
}

static void print_peers(const struct report *report)
{
    for (unsigned i = 0; i < report->peer_count; i++) {
        const struct against_peer *p = &report->peers[i];
        printf("against %-16s %.3f times its speed over %u cases (geometric mean), "
               "slower in %u, by more than 1%% in %u\n",
               p->name, exp(p->log_ratio / p->cases), p->cases, p->faster, p->clearly);
    }
}

void report_totals(const struct limit *limit)
{
    const struct report *report = limit->report;
    unsigned marks[MARK_COUNT] = {0};
    for (size_t i = 0; i < report->count; i++)
        marks[report->results[i].mark]++;
    print_peers(report);
    printf("%u met, %u short", marks[MARK_PASS], marks[MARK_SHORT]);
    if (marks[MARK_NO_PEER])
        printf(", %u without the peer's time", marks[MARK_NO_PEER]);
    if (marks[MARK_TOO_LARGE])
        printf(", %u beyond the device's memory", marks[MARK_TOO_LARGE]);
    if (marks[MARK_FAILED])
        printf(", %u failed", marks[MARK_FAILED]);
    printf("\n");
}

void report_end(struct limit *limit)
{
    const struct report *report = limit->report;
    if (report->on_terminal)
        fprintf(stderr, "\r\033[K");
    printf("\n");
    print_groups(report);
    printf("\n");
    print_usage(report);
    report_totals(limit);
}
