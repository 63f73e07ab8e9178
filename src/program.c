/* SPDX-License-Identifier: MIT */
/*
 * A program's options say everything it is specialised on, so they are its key in
 * memory. Each is made once for an engine and kept as long. The engine's lock is not
 * held while one is built, so that different programs are built at the same time.
 */
#include "program.h"

#include "build.h"
#include "status.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct program *find(const clsm_engine *engine, const char *options)
{
    struct program *p = engine->programs;
    while (p && strcmp(p->options, options) != 0)
        p = p->next;
    return p;
}

/* Announce a program that is yet to be built; NULL: out of memory. */
static struct program *announce(clsm_engine *engine, const struct build *b)
{
    struct program *p = calloc(1, sizeof *p);
    char *options = malloc(strlen(b->options) + 1);
    if (!p || !options) {
        free(options);
        free(p);
        return NULL;
    }
    p->options = strcpy(options, b->options);
    p->next = engine->programs;
    engine->programs = p;
    return p;
}

/* Forget a program that could not be built: whoever waits for it tries for itself. */
static void withdraw(clsm_engine *engine, struct program *p)
{
    struct program **link = &engine->programs;
    while (*link != p)
        link = &(*link)->next;
    *link = p->next;
    free(p->options);
    free(p);
}

/* Announced under the lock, built without it. Nobody else looks into the program, or
 * takes it off the list, until it is told to be built. */
static clsm_status add(clsm_engine *engine, const struct build *b,
                       struct program **program)
{
    struct program *p = *program = announce(engine, b);
    cl_program built = NULL;
    double start = now();
    if (!p)
        return clsm_fail(CLSM_ERR_MEMORY, "out of memory");
    pthread_mutex_unlock(&engine->lock);
    clsm_status status =
        clsm_build_program(engine, b, &built, &p->from_disk, &p->usage);
    p->build_seconds = now() - start;
    pthread_mutex_lock(&engine->lock);
    if (status == CLSM_OK)
        p->program = built;
    else
        withdraw(engine, p);
    pthread_cond_broadcast(&engine->built);
    return status;
}

clsm_status clsm_program_get(clsm_engine *engine, const struct problem *p,
                             const struct config *config,
                             const struct program **program, bool *fresh)
{
    struct build b;
    struct program *found;
    clsm_status status = CLSM_OK;
    clsm_program_describe(p, config, &engine->traits, &b);
    pthread_mutex_lock(&engine->lock);
    while ((found = find(engine, b.options)) && !found->program)
        pthread_cond_wait(&engine->built, &engine->lock);
    *fresh = !found;
    if (*fresh)
        status = add(engine, &b, &found);
    *program = status == CLSM_OK ? found : NULL;
    pthread_mutex_unlock(&engine->lock);
    return status;
}

clsm_status clsm_program_probe(clsm_engine *engine, cl_program *program)
{
    struct build b;
    struct usage usage;
    bool was_on_disk;
    clsm_program_describe_probe(&engine->traits, &b);
    return clsm_build_program(engine, &b, program, &was_on_disk, &usage);
}

void clsm_programs_free(struct program *first)
{
    while (first) {
        struct program *next = first->next;
        clReleaseProgram(first->program);
        free(first->options);
        free(first);
        first = next;
    }
}
