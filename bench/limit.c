/* SPDX-License-Identifier: MIT */
/* clsoftmax-limit: how near the chosen variants come to what the device can do. */
#include "limit_options.h"
#include "measure.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>

static void time_and_tell(struct limit *limit, const struct limit_case *c)
{
    struct result r;
    time_case(limit, c, &r);
    report_result(limit, &r);
}

/* A device that has rested takes a moment to come up to its speed. */
static void wake(const struct limit *limit)
{
    double bytes = (double)((uint64_t)1 << 29) / limit->selection.scale, seconds;
    const char *how;
    for (int i = 0; i < 4; i++)
        measure_copy(limit->session, (uint64_t)bytes, 1, &seconds, &how);
}

static void run_all(struct limit *limit, const struct case_list *list)
{
    static void (*const runners[])(struct limit *, const struct limit_case *) = {
        [TIMED] = time_and_tell,  [RANDOM] = time_and_tell, [CLIFFS] = time_cliffs,
        [LATENCY] = time_latency, [SWEEP] = time_and_tell,  [BUILD] = time_build,
        [OPEN] = time_open,
    };
    wake(limit);
    report_begin(limit);
    for (size_t i = 0; i < list->count; i++) {
        report_progress(limit->report, i + 1, list->count, &list->at[i]);
        runners[list->at[i].goal->kind](limit, &list->at[i]);
    }
    report_end(limit);
}

static int exit_status_of(const struct report *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->results[i].mark == MARK_FAILED)
            return EXIT_FAILED;
    return report->failed ? complain(EXIT_FAILED, "out of memory for the results")
                          : EXIT_FINE;
}

static int limit_on(const struct limit_options *o, const struct session *s,
                    const struct case_list *list, const cJSON *peers)
{
    struct report report = {0};
    double cold = (double)measure_cold_bytes(s) / o->selection.scale;
    struct limit limit = {
        .session = s,
        .selection = o->selection,
        .repeats = (unsigned)o->repeats,
        .enqueues = 1000,
        .quiet = o->quiet,
        .arena = {.session = s, .cold_bytes = (uint64_t)cold},
        .report = &report,
        .peers = peers,
    };
    run_all(&limit, list);
    int result = exit_status_of(&report);
    if (o->json_path) {
        cJSON *json = report_json(&limit);
        result = json_write(o->json_path, json) ? result : EXIT_FAILED;
        cJSON_Delete(json);
    }
    arena_free(&limit.arena);
    copies_free(limit.copies);
    report_free(&report);
    return result;
}

static int open_and_run(const struct limit_options *o, const struct case_list *list)
{
    struct session s;
    cJSON *peers = o->peers_path ? peers_read(o->peers_path) : NULL;
    if (o->peers_path && !peers)
        return EXIT_FAILED;
    setenv("CLSM_CACHE", "off", 0);
    setenv("CUDA_CACHE_DISABLE", "1", 0);
    clsm_status status = session_open(o->device, &s);
    int result = status == CLSM_OK ? limit_on(o, &s, list, peers)
                                   : complain_status(status, "device");
    session_close(&s);
    cJSON_Delete(peers);
    return result;
}

int main(int argc, char **argv)
{
    struct limit_options o;
    struct case_list list;
    int result = limit_parse(argc, argv, &o);
    if (result != -1)
        return result;
    bool good = cases_make(&o.selection, &list);
    result = !good ? EXIT_FAILED : EXIT_FINE;
    if (good && o.list) {
        cJSON *json = cases_json(&list);
        result = json_write("-", json) ? EXIT_FINE : EXIT_FAILED;
        cJSON_Delete(json);
    } else if (good) {
        result = open_and_run(&o, &list);
    }
    free(list.at);
    return result;
}
