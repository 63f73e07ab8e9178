/* SPDX-License-Identifier: MIT */
/* The parts of clsoftmax-limit: timing a case, judging it, telling it. */
#ifndef LIMIT_H
#define LIMIT_H

#include "arena.h"
#include "command.h"
#include "goals.h"

/* What became of a case. */
#define MARKS(X)                                                                       \
    X(PASS, "pass")                                                                    \
    X(SHORT, "short")                                                                  \
    X(NO_PEER, "no peer")                                                              \
    X(NO_GOAL, "-")                                                                    \
    X(TOO_LARGE, "no room")                                                            \
    X(FAILED, "error")

enum mark {
#define MARK_ENUM(name, text) MARK_##name,
    MARKS(MARK_ENUM)
#undef MARK_ENUM
        MARK_COUNT
};

struct result {
    struct limit_case of;
    clsm_plan_info info; /* bytes: those that must be moved */
    double seconds, copy_seconds;
    const char *copied_by;
    double value;      /* to be compared with the goal */
    double peer_ratio; /* the best peer's time over ours; 0 without one */
    const char *peer;  /* its name */
    unsigned threads;  /* that all had; 0: all there are */
    enum mark mark;
    char note[256]; /* what else there is to say; an error's message */
};

struct copies; /* copies that were timed in this run, by their bytes */
struct report; /* what was told in this run */

struct limit {
    const struct session *session;
    struct selection selection;
    unsigned repeats;
    unsigned enqueues; /* before one finish, where latency is timed */
    bool quiet;        /* tell only what is no pass */
    struct arena arena;
    struct copies *copies;
    struct report *report;
    const cJSON *peers; /* the peers' file; NULL without one */
};

/* Time one case against a copy of as many bytes; `value` becomes the share of it. */
void time_case(struct limit *limit, const struct limit_case *c, struct result *result);

/* The configuration chosen for a case; "" with the result marked failed if there is
 * none. */
void choose_case(struct limit *limit, const struct limit_case *c,
                 struct result *result);

/* A plan with its info in the result; NULL with the result marked as failed. */
clsm_plan *plan_of(const struct session *session, const clsm_problem *problem,
                   struct result *result);

/* Mark a result as failed, with the message of the library's last call. */
void keep_failure(clsm_status status, const char *what, struct result *result);

void copies_free(struct copies *copies);

/* Mark a result's value by its goal. */
void judge_result(struct result *result);

/* Where the choice changes along the lengths of a type: both sides timed and told. */
void time_cliffs(struct limit *limit, const struct limit_case *c);

/* Enqueues back to back against those of an empty kernel: timed and told. */
void time_latency(struct limit *limit, const struct limit_case *c);

/* A plan where there is none yet: timed and told. */
void time_build(struct limit *limit, const struct limit_case *c);

/* A plan with an open shape against one that knows it: timed and told. */
void time_open(struct limit *limit, const struct limit_case *c);

/* All times of peers for a case, as {name: seconds}; NULL without any. */
const cJSON *peers_of(const cJSON *peers, const struct limit_case *c);

/* Seconds of one of them; 0 where it has none. */
double peer_seconds(const cJSON *of_case, const char *peer);

/* Read a peers' file; NULL with a message said. Free with cJSON_Delete(). */
cJSON *peers_read(const char *path);

#endif
