/* SPDX-License-Identifier: MIT */
/* The table of goals: a line for each group, with its worst values and a mark. */
#include "report.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How a goal and a value are said, by what they are held against. */
static const struct {
    const char *goal, *value;
} words[] = {
    [COPY] = {"at least %.2f c", "%.2f c"},
    [LAUNCH] = {"at most %.2f x an empty kernel", "%.2f x"},
    [NORMAL] = {"at most %.2f x N(0, 1)", "%.2f x"},
    [ULP] = {"at most %.3g ulp", "%.3g ulp"},
    [NOTHING] = {"shown above", "%.2f c"},
};

/* Of one group, from its results. */
struct line {
    const struct goal *goal;
    double worst, worst_peer; /* peer: INFINITY without any */
    unsigned cases, marks[MARK_COUNT];
};

static struct line line_of(const struct report *report, size_t from, size_t to)
{
    const struct goal *goal = report->results[from].of.goal;
    bool most = goal_is_most(goal);
    struct line line = {.goal = goal, .worst = most ? 0 : INFINITY};
    line.worst_peer = INFINITY;
    for (size_t i = from; i < to; i++) {
        const struct result *r = &report->results[i];
        line.cases++;
        line.marks[r->mark]++;
        if (r->mark == MARK_FAILED || r->mark == MARK_TOO_LARGE)
            continue;
        line.worst = most ? fmax(line.worst, r->value) : fmin(line.worst, r->value);
        if (r->peer)
            line.worst_peer = fmin(line.worst_peer, r->peer_ratio);
    }
    return line;
}

static const char *mark_of(const struct line *line)
{
    static const enum mark order[] = {MARK_FAILED, MARK_SHORT, MARK_NO_PEER,
                                      MARK_TOO_LARGE, MARK_PASS};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (line->marks[order[i]])
            return mark_name(order[i]);
    return mark_name(MARK_NO_GOAL);
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* `words` has no others */

static void print_line(const struct line *line)
{
    char goal[64], worst[48] = "-", met[32] = "";
    enum against against = line->goal->against;
    int n = snprintf(goal, sizeof goal, words[against].goal, line->goal->goal);
    if (line->goal->peer > 0)
        snprintf(goal + n, sizeof goal - (size_t)n, ", %.1f p", line->goal->peer);
    bool known = isfinite(line->worst) && line->worst > 0;
    n = known ? snprintf(worst, sizeof worst, words[against].value, line->worst) : 0;
    if (known && isfinite(line->worst_peer))
        snprintf(worst + n, sizeof worst - (size_t)n, ", %.2f p", line->worst_peer);
    else if (known && line->goal->peer > 0)
        snprintf(worst + n, sizeof worst - (size_t)n, ", no p");
    if (against != NOTHING)
        snprintf(met, sizeof met, "%u of %u", line->marks[MARK_PASS], line->cases);
    printf("| %-12s | %-31s | %-18s | %-8s | %-7s |\n", line->goal->group, goal, worst,
           met, mark_of(line));
}

/* A peer of the file that --peers names: in front of it everywhere? */
static void print_file_peers(const struct report *report)
{
    for (unsigned i = 0; i < report->peer_count; i++) {
        const struct against_peer *p = &report->peers[i];
        char measured[32], met[32];
        if (strncmp(p->name, "torch", 5) != 0)
            continue;
        snprintf(measured, sizeof measured, "%.2f x", exp(p->log_ratio / p->cases));
        snprintf(met, sizeof met, "%u of %u", p->cases - p->faster, p->cases);
        printf("| %-12s | %-31s | %-18s | %-8s | %-7s |\n", p->name,
               "ahead of it at every shape", measured, met,
               mark_name(p->faster ? MARK_SHORT : MARK_PASS));
    }
}

void print_goal_table(const struct cpu_run *run)
{
    const struct report *report = run->limit.report;
    struct group_sum sum;
    printf("\nc: share of the best copy of as many bytes; p: the best peer's time over "
           "ours;\nthe worst case of each group\n\n"
           "| %-12s | %-31s | %-18s | %-8s | %-7s |\n"
           "| --- | --- | --- | --- | --- |\n",
           "goal", "", "measured", "met", "");
    for (size_t at = 0, from = 0; report_group(report, &at, &sum); from = at) {
        struct line line = line_of(report, from, at);
        print_line(&line);
    }
    print_file_peers(report);
    if (2 * run->disturbed > run->timings)
        printf("\nothers used this machine: %u of %u timings were disturbed\n",
               run->disturbed, run->timings);
    printf("\n");
}
