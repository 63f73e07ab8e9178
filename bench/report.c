/* SPDX-License-Identifier: MIT */
/* The table: a line for a result. */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *mark_name(enum mark mark)
{
    static const char *const names[] = {
#define MARK_NAME(name, text) [MARK_##name] = text,
        MARKS(MARK_NAME)
#undef MARK_NAME
    };
    return names[mark];
}

#define LINE "%-28s %-4s %-22s %-30s %10s %10s %8s %8s %7s %6s  %s"

void report_begin(const struct limit *limit)
{
    const clsm_device_info *info = &limit->session->info;
    limit->report->on_terminal = isatty(STDERR_FILENO);
    printf("device %u: %s, driver %s\n", info->index, info->name, info->driver);
    printf("GB/s of the bytes that must be moved; copy: as many bytes copied in this "
           "run;\nr/s: registers, bytes spilled%s\n\n",
           limit->peers ? "; a peer's time over ours, < where the peer is faster" : "");
    printf(LINE "\n", "what", "type", "shape", "configuration", "r/s", "us", "GB/s",
           "copy", "value", "goal", "");
    fflush(stdout);
}

static void wipe_progress(const struct report *report)
{
    if (report->on_terminal)
        fprintf(stderr, "\r\033[K");
}

void report_progress(const struct report *report, size_t n, size_t of,
                     const struct limit_case *c)
{
    char key[160];
    if (!report->on_terminal)
        return;
    case_key(c, key, sizeof key);
    fprintf(stderr, "\r\033[K%zu of %zu: %s %s", n, of, c->goal->group, key);
}

static void print_shape(const struct limit_case *c, char *text, size_t bytes)
{
    int n = snprintf(text, bytes, "%zu x %zu", c->rows, c->cols);
    if (c->inner > 1)
        snprintf(text + n, bytes - (size_t)n, " x %zu", c->inner);
}

static void print_name(const struct limit_case *c, char *text, size_t bytes)
{
    bool plain = strcmp(c->form->name, "plain") == 0;
    snprintf(text, bytes, "%s%s%s", clsm_op_name(c->op), plain ? "" : " ",
             plain ? "" : c->form->name);
}

/* Shares as percents, ratios as such. */
static void print_value(enum against against, double value, char *text, size_t bytes)
{
    bool ratio = against == TORCH || against == LAUNCH || against == NORMAL;
    if (against == ULP)
        snprintf(text, bytes, "%.4gulp", value);
    else if (against == SECONDS)
        snprintf(text, bytes, "%.3fs", value);
    else
        snprintf(text, bytes, ratio ? "%.2fx" : "%.1f%%", ratio ? value : 100 * value);
}

static void print_peers(const struct limit *limit, const struct result *r)
{
    const cJSON *all = peers_of(limit->peers, &r->of), *one;
    bool timed = r->seconds > 0 && r->of.goal->kind != LATENCY && !r->threads;
    if (r->of.goal->peer > 0 && r->peer)
        printf("  best peer %.2fx of %.1fx,", r->peer_ratio, r->of.goal->peer);
    cJSON_ArrayForEach(one, all) if (timed && cJSON_IsNumber(one))
    {
        double ratio = one->valuedouble / r->seconds;
        printf("  %s %.2fx%s", one->string, ratio, ratio < 1 ? "<" : "");
    }
}

static void print_line(const struct limit *limit, const struct result *r)
{
    char name[64], shape[64], usage[32] = "-", value[16] = "-", goal[16] = "-";
    char us[16] = "-", speed[16] = "-", copy[16] = "-";
    const struct goal *g = r->of.goal;
    double bytes = (double)r->info.bytes * 1e-9;
    print_name(&r->of, name, sizeof name);
    print_shape(&r->of, shape, sizeof shape);
    if (r->info.registers)
        snprintf(usage, sizeof usage, "%u/%llu", r->info.registers,
                 (unsigned long long)r->info.spill_bytes);
    if (r->seconds > 0)
        snprintf(us, sizeof us, "%.2f", r->seconds * 1e6);
    if (r->seconds > 0 && r->copy_seconds > 0) {
        snprintf(speed, sizeof speed, "%.1f", bytes / r->seconds);
        snprintf(copy, sizeof copy, "%.1f", bytes / r->copy_seconds);
    }
    if (r->mark != MARK_FAILED && r->mark != MARK_TOO_LARGE && r->mark != MARK_NO_PEER)
        print_value(g->against, r->value, value, sizeof value);
    if (g->against != NOTHING)
        print_value(g->against, g->goal, goal, sizeof goal);
    printf(LINE, name, clsm_type_name(r->of.type), shape, r->info.variant, usage, us,
           speed, copy, value, goal, mark_name(r->mark));
    print_peers(limit, r);
    printf("%s%s\n", r->note[0] ? "  " : "", r->note);
}

static const double CLEARLY = 0.99; /* of a time, is less than it */

static void add_peers(const struct limit *limit, const struct result *r)
{
    struct report *report = limit->report;
    const cJSON *all = peers_of(limit->peers, &r->of), *one;
    cJSON_ArrayForEach(one, all)
    {
        unsigned i = 0;
        if (!cJSON_IsNumber(one) || r->seconds <= 0 || one->valuedouble <= 0)
            continue;
        while (i < report->peer_count &&
               strcmp(report->peers[i].name, one->string) != 0)
            i++;
        if (i == MAX_PEERS)
            continue;
        struct against_peer *peer = &report->peers[i];
        if (i == report->peer_count) {
            report->peer_count++;
            snprintf(peer->name, sizeof peer->name, "%s", one->string);
        }
        peer->log_ratio += log(one->valuedouble / r->seconds);
        peer->cases++;
        peer->faster += one->valuedouble < r->seconds;
        peer->clearly += one->valuedouble < CLEARLY * r->seconds;
    }
}

/* Peers are held against each case once, in whatever group it came first. */
static bool is_timed(const struct result *r)
{
    enum kind kind = r->of.goal->kind;
    return r->seconds > 0 && (kind == TIMED || kind == RANDOM || kind == SWEEP);
}

static bool is_new(const struct report *report, const struct result *r)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct limit_case *a = &report->results[i].of, *b = &r->of;
        if (is_timed(&report->results[i]) && a->op == b->op && a->type == b->type &&
            a->form == b->form && a->rows == b->rows && a->cols == b->cols &&
            a->inner == b->inner)
            return false;
    }
    return true;
}

static void keep(struct report *report, const struct result *r)
{
    if (report->count == report->room) {
        size_t room = report->room ? 2 * report->room : 256;
        struct result *more = realloc(report->results, room * sizeof *more);
        if (!more) {
            report->failed = true;
            return;
        }
        report->results = more;
        report->room = room;
    }
    report->results[report->count++] = *r;
}

void report_result(struct limit *limit, struct result *r)
{
    const struct goal *goal = r->of.goal;
    if (goal->against == TORCH && r->seconds > 0)
        r->value = peer_seconds(peers_of(limit->peers, &r->of), "torch") / r->seconds;
    judge_result(r);
    wipe_progress(limit->report);
    if (!limit->quiet || r->mark != MARK_PASS)
        print_line(limit, r);
    fflush(stdout);
    if (is_timed(r) && is_new(limit->report, r))
        add_peers(limit, r);
    keep(limit->report, r);
}

void report_free(struct report *report)
{
    free(report->results);
    *report = (struct report){0};
}
