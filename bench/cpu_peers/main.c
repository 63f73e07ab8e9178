/* SPDX-License-Identifier: MIT */
/* clsoftmax-cpu-peers: the library on a CPU beside copies and other libraries. */
#include "options.h"
#include "pin.h"
#include "report.h"
#include "scene.h"
#include "team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double COLD_BYTES = 512
                                 << 20; /* in front of 64 MiB: more than caches hold */

static void time_enqueue(struct cpu_run *run, const struct limit_case *c)
{
    pin_release(); /* who goes on queueing works beside the device's threads */
    time_latency(&run->limit, c);
    pin_self();
}

static void run_all(struct cpu_run *run, const struct case_list *list)
{
    static void (*const runners[])(struct cpu_run *, const struct limit_case *) = {
        [TIMED] = time_against_peers, [INPUTS] = time_input,    [ERRORS] = find_errors,
        [LATENCY] = time_enqueue,     [THREADS] = time_threads,
    };
    report_begin(&run->limit);
    for (size_t i = 0; i < list->count; i++) {
        report_progress(run->limit.report, i + 1, list->count, &list->at[i]);
        runners[list->at[i].goal->kind](run, &list->at[i]);
    }
    print_goal_table(run);
    report_totals(&run->limit);
}

static int finish(struct cpu_run *run, const struct cpu_options *o)
{
    const struct report *report = run->limit.report;
    int result = report->failed ? complain(EXIT_FAILED, "out of memory for the results")
                                : EXIT_FINE;
    for (size_t i = 0; i < report->count; i++)
        if (report->results[i].mark == MARK_FAILED)
            result = EXIT_FAILED;
    if (o->json_path) {
        cJSON *json = report_json(&run->limit);
        result = json_write(o->json_path, json) ? result : EXIT_FAILED;
        cJSON_Delete(json);
    }
    return result;
}

static int run_on(const struct cpu_options *o, const struct session *s,
                  const struct case_list *list, cJSON *peers, const char *self)
{
    struct report report = {0};
    struct cpu_run run = {
        .limit = {.session = s,
                  .selection = o->selection,
                  .repeats = (unsigned)o->rounds,
                  .enqueues = 100,
                  .quiet = o->quiet,
                  .arena = {.session = s,
                            .cold_bytes = (uint64_t)(COLD_BYTES / o->selection.scale)},
                  .report = &report,
                  .peers = peers},
        .peers = peers,
        .threads = (unsigned)o->threads,
        .device = o->device,
        .self = self,
        .bytes = o->bytes,
    };
    run_all(&run, list);
    int result = finish(&run, o);
    arena_free(&run.limit.arena);
    pages_free(&run.pages[0]);
    pages_free(&run.pages[1]);
    cJSON_Delete(run.scaling);
    report_free(&report);
    return result;
}

/* Peers before the device: who starts first in a process may run faster in it. */
static int open_and_run(const struct cpu_options *o, const struct case_list *list,
                        cJSON *peers, const char *self)
{
    unsigned threads = o->threads ? (unsigned)o->threads : pin_processors();
    struct session s = {0};
    pin_new_threads(0);
    if (!team_open(threads))
        return complain(EXIT_FAILED, "cannot start %u threads", threads);
    pin_new_threads(1);
    peers_open(threads);
    clsm_status status = session_open(o->device, &s);
    pin_new_threads(0); /* the device's, while the caller waits */
    pin_self();
    int result;
    if (status != CLSM_OK)
        result = complain_status(status, "device");
    else if (!(s.info.type & CL_DEVICE_TYPE_CPU))
        result = complain(EXIT_USAGE, "%s is no CPU device; see --device", s.info.name);
    else {
        printf("%u threads, %u compute units\n", threads, s.info.compute_units);
        result = run_on(o, &s, list, peers, self);
    }
    if (status == CLSM_OK && o->threads && s.info.compute_units != threads)
        complain(EXIT_FAILED, "%s did not take the number of threads", s.info.name);
    session_close(&s);
    peers_close();
    team_close();
    return result;
}

/* Runtimes read how many threads they may have when they are loaded. */
static void set_threads(size_t threads, char **argv)
{
    static const char *const names[] = {"OMP_NUM_THREADS", "POCL_MAX_PTHREAD_COUNT",
                                        "POCL_CPU_MAX_CU_COUNT"};
    char text[24];
    bool set = true;
    snprintf(text, sizeof text, "%zu", threads);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *now = getenv(names[i]);
        set = set && now && strcmp(now, text) == 0;
        setenv(names[i], text, 1);
    }
    if (!set && execv("/proc/self/exe", argv) != 0)
        complain(EXIT_FAILED, "cannot start again with %s threads", text);
}

static int run_cases(const struct cpu_options *o, const struct case_list *list,
                     const char *self)
{
    cJSON *peers = o->peers_path ? peers_read(o->peers_path) : cJSON_CreateObject();
    if (!peers)
        return EXIT_FAILED;
    if (!o->peers_path)
        cJSON_AddObjectToObject(peers, "cases");
    int result = open_and_run(o, list, peers, self);
    cJSON_Delete(peers);
    return result;
}

int main(int argc, char **argv)
{
    struct cpu_options o;
    struct case_list list;
    int result = cpu_parse(argc, argv, &o);
    if (result != -1)
        return result;
    if (o.threads)
        set_threads(o.threads, argv);
    if (!cases_make(&o.selection, &list))
        result = EXIT_FAILED;
    else if (o.list) {
        cJSON *json = cases_json(&list);
        result = json_write("-", json) ? EXIT_FINE : EXIT_FAILED;
        cJSON_Delete(json);
    } else {
        result = run_cases(&o, &list, argv[0]);
    }
    free(list.at);
    return result;
}
