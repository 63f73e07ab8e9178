/* SPDX-License-Identifier: MIT */
/*
 * A ring of problems and threads that take one plan at a time of the first problem that
 * has one to be made. The library's choice comes first: its explanation lists the
 * others.
 */
#include "ahead.h"

#include "measure.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_JOBS = 64, TEXT_BYTES = 32768 };

struct slot {
    struct plans plans;
    unsigned taken, made; /* of plans.count, which grows when the first is made */
};

struct ahead {
    clsm_engine *engine;
    const clsm_problem *problems;
    size_t n;
    struct ahead_wishes wishes;
    pthread_t threads[MAX_JOBS];
    unsigned started;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t changed;
    bool stop;
    size_t next;        /* problem to be handed out */
    bool handed_out;    /* the one before it is still in use */
    struct slot *slots; /* problem i has slot i % depth */
};

static struct slot *slot_of(struct ahead *a, size_t problem)
{
    return &a->slots[problem % a->wishes.depth];
}

static void begin(struct ahead *a, size_t problem)
{
    struct slot *s = slot_of(a, problem);
    if (problem >= a->n)
        return;
    *s = (struct slot){.plans = {.problem = &a->problems[problem], .count = 1}};
}

static void end(struct slot *s)
{
    for (unsigned i = 0; i < s->plans.count; i++)
        clsm_plan_destroy(s->plans.of[i].plan);
    *s = (struct slot){0};
}

/* The next "NAME SECONDS us" of an explanation's estimates, and the place behind it. */
static const char *next_estimate(const char *text, char name[CONFIG_BYTES],
                                 double *microseconds)
{
    static const char head[] = "estimates ";
    int length = 0;
    const char *at = strncmp(text, "; ", 2) == 0 ? text + 1 : strstr(text, head);
    if (at && *at != ' ')
        at += sizeof head - 1;
    _Static_assert(CONFIG_BYTES == 64, "what sscanf takes");
    bool good = at && sscanf(at, "%63s %lf us%n", name, microseconds, &length) == 2;
    return good && length ? at + length : NULL;
}

/* From the estimates, which others to make plans of. */
static void list_others(struct plans *p, const char *text, double within)
{
    char name[CONFIG_BYTES];
    double us, best = INFINITY;
    for (const char *at = text; (at = next_estimate(at, name, &us));)
        best = us < best ? us : best;
    for (const char *at = text; (at = next_estimate(at, name, &us));) {
        if (strcmp(name, p->of[0].config) == 0) {
            p->of[0].estimated = us * 1e-6;
        } else if (us <= within * best && p->count < MAX_CONFIGS) {
            memcpy(p->of[p->count].config, name, sizeof name);
            p->of[p->count++].estimated = us * 1e-6;
        } else {
            p->left_out++;
        }
    }
}

/* The library's own choice; under the lock, what else there would be. */
static void make_first(struct ahead *a, struct plans *p)
{
    clsm_plan_info info = {.struct_bytes = sizeof info};
    char *text = malloc(TEXT_BYTES);
    clsm_status status = text ? CLSM_OK : out_of_memory();
    if (status == CLSM_OK)
        status = clsm_plan_create(a->engine, p->problem, &p->of[0].plan);
    if (status == CLSM_OK)
        status = clsm_plan_get_info(p->of[0].plan, &info);
    if (status == CLSM_OK)
        status = clsm_plan_explain(p->of[0].plan, text, TEXT_BYTES, NULL);
    pthread_mutex_lock(&a->lock);
    memcpy(p->of[0].config, info.variant, sizeof p->of[0].config);
    if (status == CLSM_OK)
        list_others(p, text, a->wishes.within);
    else
        snprintf(p->message, sizeof p->message, "%.100s: %.150s",
                 clsm_status_text(status), last_failure());
    pthread_mutex_unlock(&a->lock);
    free(text);
}

/* Plan `place` of a problem, without the lock: nobody else has taken it. */
static void make(struct ahead *a, struct plans *p, unsigned place)
{
    clsm_problem problem = *p->problem;
    if (!place) {
        make_first(a, p);
        return;
    }
    problem.variant = p->of[place].config;
    clsm_plan_create(a->engine, &problem, &p->of[place].plan);
}

/* The first problem with a plan that nobody has taken; NULL: none just now. */
static struct slot *find_work(struct ahead *a)
{
    size_t end = a->next + a->wishes.depth - a->handed_out;
    for (size_t i = a->next; i < end && i < a->n; i++) {
        struct slot *s = slot_of(a, i);
        if (s->taken < s->plans.count)
            return s;
    }
    return NULL;
}

static void *work(void *argument)
{
    struct ahead *a = argument;
    pthread_mutex_lock(&a->lock);
    while (!a->stop) {
        struct slot *s = find_work(a);
        if (!s) {
            pthread_cond_wait(&a->changed, &a->lock);
            continue;
        }
        unsigned place = s->taken++;
        pthread_mutex_unlock(&a->lock);
        make(a, &s->plans, place);
        pthread_mutex_lock(&a->lock);
        s->made++;
        pthread_cond_broadcast(&a->changed);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

struct ahead *ahead_start(clsm_engine *engine, const clsm_problem *problems, size_t n,
                          const struct ahead_wishes *wishes)
{
    struct ahead *a = calloc(1, sizeof *a);
    struct slot *slots = calloc(wishes->depth, sizeof *slots);
    if (!a || !slots) {
        free(a);
        free(slots);
        return NULL;
    }
    a->engine = engine;
    a->problems = problems;
    a->n = n;
    a->wishes = *wishes;
    a->slots = slots;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    for (size_t i = 0; i < wishes->depth; i++)
        begin(a, i);
    while (a->started < wishes->jobs && a->started < MAX_JOBS &&
           pthread_create(&a->threads[a->started], NULL, work, a) == 0)
        a->started++;
    if (a->started)
        return a;
    ahead_stop(a);
    return NULL;
}

const struct plans *ahead_next(struct ahead *a)
{
    struct slot *s = NULL;
    pthread_mutex_lock(&a->lock);
    if (a->handed_out) {
        end(slot_of(a, a->next - 1));
        begin(a, a->next - 1 + a->wishes.depth);
        a->handed_out = false;
        pthread_cond_broadcast(&a->changed);
    }
    if (a->next < a->n) {
        s = slot_of(a, a->next);
        while (s->made < s->plans.count)
            pthread_cond_wait(&a->changed, &a->lock);
        a->next++;
        a->handed_out = true;
    }
    pthread_mutex_unlock(&a->lock);
    return s ? &s->plans : NULL;
}

void ahead_stop(struct ahead *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    for (unsigned i = 0; i < a->started; i++)
        pthread_join(a->threads[i], NULL);
    for (size_t i = 0; i < a->wishes.depth; i++)
        end(&a->slots[i]);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    free(a->slots);
    free(a);
}
