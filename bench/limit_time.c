/* SPDX-License-Identifier: MIT */
/* Timing one case and the copy that is its ceiling. */
#include "limit.h"
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A copy that was timed, to be used again for as many bytes. */
struct copies {
    struct copies *next;
    uint64_t bytes;
    double seconds;
    const char *how;
};

/* Within this ratio of bytes a copy's speed is taken to be the same. */
static const double ALIKE = 0.01;

static const struct copies *find_copy(const struct copies *c, uint64_t bytes)
{
    for (; c; c = c->next)
        if (fabs((double)c->bytes - (double)bytes) <= ALIKE * (double)bytes)
            return c;
    return NULL;
}

static clsm_status copy_of(struct limit *limit, uint64_t bytes, struct result *r)
{
    const struct copies *known = find_copy(limit->copies, bytes);
    if (!known) {
        struct copies *c = calloc(1, sizeof *c);
        if (!c)
            return out_of_memory();
        *c = (struct copies){limit->copies, bytes, 0, ""};
        clsm_status status = measure_copy(limit->session, bytes, limit->arena.set_count,
                                          &c->seconds, &c->how);
        if (status != CLSM_OK) {
            free(c);
            return status;
        }
        known = limit->copies = c;
    }
    r->copy_seconds = known->seconds * (double)bytes / (double)known->bytes;
    r->copied_by = known->how;
    return CLSM_OK;
}

void copies_free(struct copies *copies)
{
    while (copies) {
        struct copies *next = copies->next;
        free(copies);
        copies = next;
    }
}

/* The message of a call that failed; drivers' logs are long, their first line tells. */
void keep_failure(clsm_status status, const char *what, struct result *r)
{
    const char *message = last_failure();
    r->mark = MARK_FAILED;
    snprintf(r->note, sizeof r->note, "%s: %s: %.150s", what, clsm_status_name(status),
             message);
    for (char *at = r->note; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
}

clsm_plan *plan_of(const struct session *s, const clsm_problem *p, struct result *r)
{
    clsm_plan *plan;
    clsm_status status = clsm_plan_create(s->engine, p, &plan);
    r->info = (clsm_plan_info){.struct_bytes = sizeof r->info};
    if (status == CLSM_OK)
        status = clsm_plan_get_info(plan, &r->info);
    if (status != CLSM_OK)
        keep_failure(status, "plan", r);
    return plan;
}

void choose_case(struct limit *limit, const struct limit_case *c, struct result *r)
{
    clsm_problem p;
    *r = (struct result){.of = *c, .mark = MARK_NO_GOAL};
    case_problem(c, &p);
    clsm_plan_destroy(plan_of(limit->session, &p, r));
}

static void time_plan(struct limit *limit, clsm_plan *plan, struct result *r)
{
    const struct arena *a = &limit->arena;
    clsm_status status = measure_plan(limit->session, plan, a->sets, a->set_count,
                                      limit->repeats, &r->seconds);
    if (status != CLSM_OK) {
        keep_failure(status, "enqueue", r);
        return;
    }
    status = copy_of(limit, r->info.bytes, r);
    if (status != CLSM_OK)
        keep_failure(status, "copy", r);
    else
        r->value = r->copy_seconds / r->seconds;
}

void time_case(struct limit *limit, const struct limit_case *c, struct result *r)
{
    clsm_problem p;
    bool fits;
    *r = (struct result){.of = *c, .mark = MARK_NO_GOAL};
    case_problem(c, &p);
    clsm_plan *plan = plan_of(limit->session, &p, r);
    if (!plan)
        return;
    if (c->form->left_out)
        r->info.bytes -= c->form->left_out(&p);
    clsm_status status = arena_sets(&limit->arena, &p, c->form->in_place, &fits);
    if (status != CLSM_OK)
        keep_failure(status, "buffers", r);
    else if (!fits)
        r->mark = MARK_TOO_LARGE;
    else
        time_plan(limit, plan, r);
    clsm_plan_destroy(plan);
}

void judge_result(struct result *r)
{
    const struct goal *goal = r->of.goal;
    if (r->mark == MARK_FAILED || r->mark == MARK_TOO_LARGE)
        return;
    bool met = goal_is_most(goal) ? r->value <= goal->goal : r->value >= goal->goal;
    bool lacks_peer =
        goal->against == TORCH ? !(r->value > 0) : met && goal->peer > 0 && !r->peer;
    r->mark = goal->against == NOTHING               ? MARK_NO_GOAL
              : lacks_peer                           ? MARK_NO_PEER
              : met && !(r->peer_ratio < goal->peer) ? MARK_PASS
                                                     : MARK_SHORT;
}
