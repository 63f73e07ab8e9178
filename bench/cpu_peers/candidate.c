/* SPDX-License-Identifier: MIT */
/* Making candidates and running one once: to its end, as a caller has to wait for it.
 */
#include "candidate.h"

#include <stdio.h>

static bool run_peer(struct candidate *c, unsigned set)
{
    return c->peer->run(c->call, stage_at(c->stage, CLSM_X, set),
                        stage_at(c->stage, CLSM_Y, set));
}

static bool run_plan(struct candidate *c, unsigned set)
{
    cl_command_queue queue = c->stage->session->queue;
    clsm_args args = stage_args(c->stage, set);
    return clsm_enqueue_args(c->plan, queue, &args, 0, NULL, NULL) == CLSM_OK &&
           clFinish(queue) == CL_SUCCESS;
}

static bool run_device_copy(struct candidate *c, unsigned set)
{
    cl_command_queue queue = c->stage->session->queue;
    const struct part *x = &c->stage->of[0], *y = &c->stage->of[CLSM_Y - CLSM_X];
    return clEnqueueCopyBuffer(queue, x->memory, y->memory,
                               set * x->step + x->offset * x->element_bytes,
                               set * y->step + y->offset * y->element_bytes,
                               c->stage->x_bytes, 0, NULL, NULL) == CL_SUCCESS &&
           clFinish(queue) == CL_SUCCESS;
}

/* NULL if there is no room. */
static struct candidate *add(struct candidates *all, const char *name, enum role role,
                             const struct stage *stage,
                             bool (*run)(struct candidate *, unsigned set))
{
    if (all->count == MOST_CANDIDATES)
        return NULL;
    struct candidate *c = &all->of[all->count++];
    *c = (struct candidate){.role = role, .stage = stage, .run = run};
    snprintf(c->name, sizeof c->name, "%s", name);
    return c;
}

/* A call for the stage's problem; false if the peer has none. */
static bool add_call(struct candidates *all, const struct peer *peer, const char *name,
                     const struct stage *stage)
{
    const clsm_problem *p = &stage->problem;
    void *call = peer->make(p->x_type, p->rows * p->inner, p->cols);
    struct candidate *c = call ? add(all, name, peer->role, stage, run_peer) : NULL;
    if (c) {
        c->peer = peer;
        c->call = call;
    } else if (call) {
        peer->drop(call);
    }
    return c;
}

void add_peers(struct candidates *all, const struct stage *stage,
               const struct stage *twin, enum role role)
{
    const struct peer *peer;
    for (unsigned i = 0; (peer = peer_at(i)); i++) {
        char name[24];
        if (peer->role != role || !peer_is_open(i))
            continue;
        snprintf(name, sizeof name, "%s bf16", peer->name);
        if (!add_call(all, peer, peer->name, stage) && twin)
            add_call(all, peer, name, twin);
    }
}

void add_device_copy(struct candidates *all, const struct stage *stage)
{
    add(all, "clEnqueueCopyBuffer", ROLE_COPY, stage, run_device_copy);
}

void add_plan(struct candidates *all, const char *name, const struct stage *stage,
              clsm_plan *plan)
{
    struct candidate *c = add(all, name, ROLE_OURS, stage, run_plan);
    if (c)
        c->plan = plan;
}

void candidates_free(struct candidates *all)
{
    for (unsigned i = 0; i < all->count; i++)
        if (all->of[i].call)
            all->of[i].peer->drop(all->of[i].call);
    all->count = 0;
}

const struct candidate *fastest(const struct candidates *all, enum role role)
{
    const struct candidate *best = NULL;
    for (unsigned i = 0; i < all->count; i++) {
        const struct candidate *c = &all->of[i];
        if (c->role == role && c->seconds > 0 && (!best || c->seconds < best->seconds))
            best = c;
    }
    return best;
}
