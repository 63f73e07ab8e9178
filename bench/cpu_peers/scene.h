/* SPDX-License-Identifier: MIT */
/* One run of clsoftmax-cpu-peers, and what is set up for one of its cases. */
#ifndef CPU_PEERS_SCENE_H
#define CPU_PEERS_SCENE_H

#include "candidate.h"
#include "limit.h"

struct cpu_run {
    struct limit limit;    /* the reports' view: session, rounds, results */
    struct pages pages[2]; /* of a case's stage, and of one to be compared with it */
    cJSON *peers;     /* limit.peers, written to: {cases: {key: {name: seconds}}} */
    unsigned threads; /* that were asked for; 0: all */
    const char *device, *self;
    unsigned timings, disturbed; /* of all cases */
    double bytes;                /* of x */
    cJSON *scaling; /* by threads.c: the JSON of a run for each number of threads */
};

struct scene {
    struct cpu_run *run;
    const struct limit_case *of;
    struct result result;
    clsm_plan *plan;
    struct stage stage, twin; /* twin: empty, or what scene_twin() made */
    struct candidates all;
};

/* Plan and buffers; false with the result marked if that fails. Close in any case. */
bool scene_open(struct cpu_run *run, const struct limit_case *c, struct scene *scene);

/* The same shape again, of another type or form; false as above. */
bool scene_twin(struct scene *scene, clsm_type type, const struct form *form);

/* All copies; the best one will be c. */
void scene_copies(struct scene *scene);

/* Check all: a peer or copy that is wrong is left out with a note, and if we are, the
 * result is marked failed. False then. */
bool scene_check(struct scene *scene);

/* Rounds, and the copy's time for as many bytes as the plan has to move; false with the
 * result marked if one fails. */
bool scene_time(struct scene *scene);

/* More to say of the result, after a comma. */
void scene_note(struct scene *scene, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Tell the result and let all go. */
void scene_close(struct scene *scene);

/* The runners: one for each kind of goal. */
void time_against_peers(struct cpu_run *run, const struct limit_case *c);
void time_input(struct cpu_run *run, const struct limit_case *c);
void find_errors(struct cpu_run *run, const struct limit_case *c);
void time_threads(struct cpu_run *run, const struct limit_case *c);

/* The table of goals, under the results. */
void print_goal_table(const struct cpu_run *run);

#endif
