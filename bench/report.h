/* SPDX-License-Identifier: MIT */
/* Telling results: a line each, sums at the end, and all of it as JSON. */
#ifndef REPORT_H
#define REPORT_H

#include "limit.h"

enum { MAX_PEERS = 16 };

/* How all cases together stand against one peer. */
struct against_peer {
    char name[32];
    double log_ratio; /* summed logarithms of the peer's time over ours */
    unsigned cases, faster, clearly; /* where it is faster, and by more than 1% */
};

struct report {
    struct result *results;
    size_t count, room;
    struct against_peer peers[MAX_PEERS];
    unsigned peer_count;
    bool on_terminal, failed; /* failed: without memory for all that was told */
};

void report_begin(const struct limit *limit);

/* What is being done, on the terminal only: the n-th of so many cases. */
void report_progress(const struct report *report, size_t n, size_t of,
                     const struct limit_case *c);

/* Judge a result, print it and keep it. */
void report_result(struct limit *limit, struct result *result);

/* Peers, and how many cases got which mark. */
void report_totals(const struct limit *limit);

/* Groups, spills, and the totals. */
void report_end(struct limit *limit);
void report_free(struct report *report);

const char *mark_name(enum mark mark);

/* A group's results: how many, how many of them meet their goal, the worst of them, and
 * the middle. */
struct group_sum {
    const char *name;
    unsigned cases, met, judged;
    const struct result *worst;
    double median;
};

/* The sum of the group that begins at results[*at], which moves on behind it; false
 * behind the last one. */
bool report_group(const struct report *report, size_t *at, struct group_sum *sum);

/* All of it, to cJSON_Delete(). */
cJSON *report_json(const struct limit *limit);

/* The cases alone, as peers.py takes them. */
cJSON *cases_json(const struct case_list *list);

#endif
