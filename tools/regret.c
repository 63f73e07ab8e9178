/* SPDX-License-Identifier: MIT */
/* Timing the problems: the library's choice first, then the other configurations, and
 * the chosen and the best one again, since the best of many timings is lucky. */
#include "regret.h"

#include "ahead.h"
#include "arena.h"
#include "drawn.h"
#include "listed.h"
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_JOBS = 16, PROBLEMS_AHEAD = 6, MIB_GPU = 256, MIB_CPU = 16 };
enum { WRITE_AFTER = 20 }; /* seconds, in case the run does not reach its end */
enum { TURNS = 5 };        /* of the chosen and the best one */

struct run {
    const struct session *s;
    const struct bench_options *o;
    clsm_problem *problems;
    struct result *results;
    size_t mib; /* of the largest problem drawn */
    size_t found, done, skipped;
    struct ahead *ahead;
    struct arena arena;
    double start, written; /* seconds */
    cJSON *json, *list;    /* the whole file, and this device's problems */
};

/* A line that the next one takes the place of. */
static void progress(const struct run *run, const char *what, unsigned i, unsigned n)
{
    size_t at = run->done + run->skipped;
    if (!isatty(STDERR_FILENO))
        return;
    if (!what)
        fprintf(stderr, "\r\033[K");
    else if (n)
        fprintf(stderr, "\r%zu of %zu: %s %u of %u\033[K", at + 1, run->found, what, i,
                n);
    else
        fprintf(stderr, "\r%zu of %zu: %s\033[K", at + 1, run->found, what);
}

/* The chosen and the best one again, in several turns, the least of each: other
 * programs have their share of a CPU for a while, and a GPU's driver of what takes
 * microseconds. */
static void time_in_turns(const struct run *run, const struct plans *plans,
                          struct result *r)
{
    const struct arena *sets = &run->arena;
    const unsigned which[2] = {0, r->best};
    for (unsigned i = 0; i < 2 * TURNS; i++) {
        struct timing *t = &r->timings[which[i % 2]];
        double seconds;
        if (measure_plan(run->s, plans->of[which[i % 2]].plan, sets->sets,
                         sets->set_count, (unsigned)run->o->repeats,
                         &seconds) == CLSM_OK)
            t->seconds = i < 2 ? seconds : fmin(t->seconds, seconds);
    }
}

/* `limit`: seconds of first runs beyond which it is not worth more. Returns these. */
static double time_one(const struct run *run, clsm_plan *plan, double limit,
                       struct timing *t)
{
    const struct arena *sets = &run->arena;
    clsm_status status = CLSM_ERR_BUILD;
    if (plan)
        status = measure_first(run->s, plan, sets->sets, sets->set_count, &t->seconds);
    double first = t->seconds;
    t->outcome = status != CLSM_OK ? NOT_BUILT : t->seconds > limit ? TRIED : TIMED;
    if (t->outcome == TIMED &&
        measure_plan(run->s, plan, sets->sets, sets->set_count,
                     (unsigned)run->o->repeats, &t->seconds) != CLSM_OK)
        t->outcome = NOT_BUILT;
    return first;
}

static unsigned best_of(const struct result *r)
{
    unsigned best = 0;
    for (unsigned i = 1; i < r->count; i++)
        if (r->timings[i].outcome == TIMED &&
            r->timings[i].seconds < r->timings[best].seconds)
            best = i;
    return best;
}

/* False if the chosen one does not run. */
static bool time_all(const struct run *run, const struct plans *plans, struct result *r)
{
    double limit = INFINITY; /* a first run pays for more than later ones */
    for (unsigned i = 0; i < plans->count; i++) {
        struct timing *t = &r->timings[r->count++];
        progress(run, "timing configuration", i + 1, plans->count);
        memcpy(t->config, plans->of[i].config, sizeof t->config);
        t->estimated = plans->of[i].estimated;
        double first = time_one(run, plans->of[i].plan, limit, t);
        if (!i && t->outcome != TIMED)
            return false;
        if (!i)
            limit = GIVE_UP * fmax(first, t->seconds);
    }
    r->best = best_of(r);
    if (r->best) {
        time_in_turns(run, plans, r);
        if (r->timings[0].seconds <= r->timings[r->best].seconds)
            r->best = 0;
    }
    r->regret = r->timings[0].seconds / r->timings[r->best].seconds;
    return true;
}

/* One problem; false, with the reason printed, if it has to be skipped. */
static bool measure_problem(struct run *run, const struct plans *plans,
                            struct result *r)
{
    bool fits, good = false;
    const char *why = plans->message;
    clsm_plan_info info = {.struct_bytes = sizeof info};
    *r = (struct result){.problem = *plans->problem, .left_out = plans->left_out};
    if (plans->of[0].plan) {
        progress(run, "filling buffers", 0, 0);
        clsm_status status = arena_sets(&run->arena, plans->problem, false, &fits);
        why = status != CLSM_OK ? "no buffers"
              : !fits           ? "it does not fit the device's memory"
                                : "the chosen configuration does not run";
        if (status == CLSM_OK && fits) {
            r->timings = calloc(plans->count, sizeof *r->timings);
            good = r->timings && time_all(run, plans, r);
        }
        clsm_plan_get_info(plans->of[0].plan, &info);
        r->bytes = info.bytes;
    }
    progress(run, NULL, 0, 0);
    if (!good) {
        char name[64];
        drawn_name(&r->problem, name, sizeof name);
        printf("%s, %zu x %zu skipped: %s\n", name, r->problem.rows, r->problem.cols,
               why);
        free(r->timings);
    }
    return good;
}

static void keep(struct run *run)
{
    cJSON_AddItemToArray(run->list, regret_json(&run->results[run->done]));
    regret_print(stdout, run->done + run->skipped + 1, &run->results[run->done]);
    run->done++;
    const char *path = run->o->json_path;
    if (path && strcmp(path, "-") != 0 && now() - run->written > WRITE_AFTER) {
        json_write(path, run->json);
        run->written = now();
    }
}

static void measure_all(struct run *run)
{
    double end = run->o->seconds ? run->start + (double)run->o->seconds : 1e18;
    while (now() < end) {
        progress(run, "waiting for programs", 0, 0);
        const struct plans *plans = ahead_next(run->ahead);
        if (!plans)
            break;
        if (measure_problem(run, plans, &run->results[run->done]))
            keep(run);
        else
            run->skipped++;
    }
    progress(run, NULL, 0, 0);
}

static int draw_all(struct run *run)
{
    uint64_t state = run->o->seed;
    run->problems = calloc(run->o->random, sizeof *run->problems);
    if (!run->problems)
        return complain(EXIT_FAILED, "out of memory");
    for (; run->found < run->o->random; run->found++) {
        clsm_status status =
            drawn_problem(&state, run->mib, &run->problems[run->found]);
        if (status != CLSM_OK)
            return complain_status(status, "drawing");
    }
    return EXIT_FINE;
}

/* Leaves those whose operation has the form. */
static int dress_all(struct run *run)
{
    size_t all = run->found;
    run->found = 0;
    for (size_t i = 0; i < all; i++)
        if (!run->o->form || form_wear(run->o->form, &run->problems[i]))
            run->problems[run->found++] = run->problems[i];
    return run->found
               ? EXIT_FINE
               : complain(EXIT_FAILED, "no operation of %zu problems has --form %s",
                          all, bench_form(run->o));
}

/* Those of a file, or drawn. */
static int find_problems(struct run *run)
{
    int result = !run->o->problems ? draw_all(run)
                 : listed_problems(run->o->problems, bench_form(run->o), &run->problems,
                                   &run->found)
                     ? EXIT_FINE
                     : EXIT_FAILED;
    if (result == EXIT_FINE)
        result = dress_all(run);
    if (result != EXIT_FINE)
        return result;
    run->results = calloc(run->found, sizeof *run->results);
    return run->results ? EXIT_FINE : complain(EXIT_FAILED, "out of memory");
}

static struct ahead_wishes wishes_of(const struct run *run)
{
    bool cpu = run->s->info.type & CL_DEVICE_TYPE_CPU;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t jobs = cores < 1 ? 1 : cores < MAX_JOBS ? (size_t)cores : MAX_JOBS;
    return (struct ahead_wishes){
        .within = run->o->within,
        .jobs = (unsigned)(run->o->jobs ? run->o->jobs : jobs),
        /* on a CPU building would be timed along */
        .depth = cpu ? 1 : PROBLEMS_AHEAD,
    };
}

/* Device, where the problems come from, and the list that they are added to. */
static void begin_json(struct run *run)
{
    cJSON *j = cJSON_CreateObject();
    cJSON_AddItemToObject(j, "device", json_device(&run->s->info));
    if (run->o->problems) {
        cJSON_AddStringToObject(j, "problems_of", run->o->problems);
    } else {
        cJSON_AddNumberToObject(j, "seed", (double)run->o->seed);
        cJSON_AddNumberToObject(j, "mib", (double)run->mib);
    }
    cJSON_AddNumberToObject(j, "within", run->o->within);
    cJSON_AddStringToObject(j, "form", bench_form(run->o));
    cJSON_AddItemToObject(j, "problems", run->list = cJSON_CreateArray());
    cJSON_AddItemToArray(run->json, j);
}

static void print_head(const struct run *run, unsigned jobs)
{
    const clsm_device_info *d = &run->s->info;
    printf("device %u: %s, driver %s; ", d->index, d->name, d->driver);
    regret_print_source(stdout, run->o, run->found);
    if (run->o->random)
        printf(", 1 to %zu MiB", run->mib);
    printf("; programs built by %u threads\n", jobs);
    regret_print_head(stdout);
}

static int measure_found(struct run *run)
{
    struct ahead_wishes wishes = wishes_of(run);
    run->ahead = ahead_start(run->s->engine, run->problems, run->found, &wishes);
    if (!run->ahead)
        return complain(EXIT_FAILED, "no threads to build in");
    begin_json(run);
    print_head(run, wishes.jobs);
    measure_all(run);
    double seconds = now() - run->start;
    ahead_stop(run->ahead);
    regret_summarise(stdout, run->s->info.name, run->o, run->results, run->done,
                     run->skipped);
    printf("%zu of %zu problems in %.1f s\n", run->done, run->found, seconds);
    return run->done ? EXIT_FINE : complain(EXIT_FAILED, "no problem was measured");
}

/* Every shares-th problem; the cache on disk keeps its programs. */
static int build_share(struct run *run)
{
    size_t n = 0, built = 0;
    struct ahead_wishes wishes = wishes_of(run);
    const struct plans *plans;
    for (size_t i = run->o->share - 1; i < run->found; i += run->o->shares)
        run->problems[n++] = run->problems[i];
    run->found = n;
    wishes.jobs = run->o->jobs ? wishes.jobs : 1;
    run->ahead = ahead_start(run->s->engine, run->problems, run->found, &wishes);
    if (!run->ahead)
        return complain(EXIT_FAILED, "no threads to build in");
    for (; (plans = ahead_next(run->ahead)); run->skipped++) {
        progress(run, "built", 0, 0);
        for (unsigned i = 0; i < plans->count; i++)
            built += plans->of[i].plan != NULL;
    }
    progress(run, NULL, 0, 0);
    ahead_stop(run->ahead);
    printf("share %u of %u: %zu plans of %zu problems built in %.1f s\n", run->o->share,
           run->o->shares, built, run->found, now() - run->start);
    return EXIT_FINE;
}

int regret_on(const struct session *s, const struct bench_options *o, cJSON *json)
{
    struct run run = {.s = s, .o = o, .json = json, .start = now(), .written = now()};
    run.arena = (struct arena){.session = s, .cold_bytes = measure_cold_bytes(s)};
    bool cpu = s->info.type & CL_DEVICE_TYPE_CPU;
    run.mib = o->mib ? o->mib : cpu ? MIB_CPU : MIB_GPU;
    int result = find_problems(&run);
    if (result == EXIT_FINE)
        result = o->shares ? build_share(&run) : measure_found(&run);
    for (size_t i = 0; i < run.done; i++)
        free(run.results[i].timings);
    arena_free(&run.arena);
    free(run.results);
    free(run.problems);
    return result;
}
