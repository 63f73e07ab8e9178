/* SPDX-License-Identifier: MIT */
/* From one thread to all. A CPU runtime fixes its threads when it starts, so that each
 * number of them is a run of this program of its own, whose JSON is read. */
#include "scene.h"

#include "pin.h"
#include "report.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FEW = 4 }; /* up to here every number, then powers of two, and all */

static unsigned next_count(unsigned n, unsigned most)
{
    unsigned next = n < FEW ? n + 1 : 2 * n;
    return n < most && next > most ? most : next;
}

/* In the child: never returns. What it prints is told again from its JSON. */
static void become(const struct cpu_run *run, unsigned threads, const char *json_path)
{
    char count[16], rounds[16], bytes[32];
    snprintf(count, sizeof count, "%u", threads);
    snprintf(rounds, sizeof rounds, "%u", run->limit.repeats);
    snprintf(bytes, sizeof bytes, "%.0f", run->bytes);
    char *const argv[] = {(char *)run->self,
                          "--threads",
                          count,
                          "--only",
                          "threads",
                          "--rounds",
                          rounds,
                          "--bytes",
                          bytes,
                          "--device",
                          (char *)run->device,
                          "--json",
                          (char *)json_path,
                          NULL};
    pin_release();
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    execv("/proc/self/exe", argv);
    _exit(127);
}

static bool run_child(const struct cpu_run *run, unsigned threads, const char *path)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become(run, threads, path);
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/* What a run with so many threads found; NULL if it failed. */
static cJSON *results_with(const struct cpu_run *run, unsigned threads)
{
    char path[] = "/tmp/clsoftmax-threads-XXXXXX";
    int file = mkstemp(path);
    cJSON *json = NULL;
    if (file < 0)
        return NULL;
    close(file);
    if (run_child(run, threads, path))
        json = json_read(path);
    remove(path);
    if (cJSON_GetObjectItemCaseSensitive(json, "results"))
        return json;
    cJSON_Delete(json);
    return NULL;
}

static double number(const cJSON *of, const char *name)
{
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(of, name);
    return cJSON_IsNumber(n) ? n->valuedouble : 0;
}

static const cJSON *find_case(const cJSON *json, const struct limit_case *c)
{
    char key[160];
    const cJSON *one, *results = cJSON_GetObjectItemCaseSensitive(json, "results");
    case_key(c, key, sizeof key);
    cJSON_ArrayForEach(one, results)
    {
        const cJSON *its = cJSON_GetObjectItemCaseSensitive(one, "key");
        if (cJSON_IsString(its) && strcmp(its->valuestring, key) == 0)
            return one;
    }
    return NULL;
}

static void tell(struct cpu_run *run, const struct limit_case *c, unsigned threads,
                 const cJSON *found, double alone)
{
    struct result r = {.of = *c, .mark = MARK_NO_GOAL, .threads = threads};
    const cJSON *variant = cJSON_GetObjectItemCaseSensitive(found, "variant");
    r.seconds = number(found, "seconds");
    r.info.bytes = (uint64_t)number(found, "bytes");
    r.value = number(found, "of_copy");
    if (cJSON_IsString(variant))
        snprintf(r.info.variant, sizeof r.info.variant, "%s", variant->valuestring);
    if (r.seconds > 0) {
        r.copy_seconds = r.value * r.seconds;
        const cJSON *by = cJSON_GetObjectItemCaseSensitive(found, "copied_by");
        r.copied_by = cJSON_IsString(by) ? by->valuestring : "";
        snprintf(r.note, sizeof r.note,
                 "%u threads: %.2f times the speed of one; best peer %.2fx", threads,
                 alone / r.seconds, number(found, "of_best_peer"));
    } else {
        r.mark = MARK_FAILED;
        snprintf(r.note, sizeof r.note, "%u threads: that run failed", threads);
    }
    report_result(&run->limit, &r);
}

/* All numbers of threads, one after another, kept for the next case. */
static void run_all(struct cpu_run *run, unsigned most)
{
    run->scaling = cJSON_CreateArray();
    for (unsigned n = 1; n <= most; n = next_count(n, most)) {
        cJSON *json = results_with(run, n);
        cJSON_AddItemToArray(run->scaling, json ? json : cJSON_CreateNull());
    }
}

void time_threads(struct cpu_run *run, const struct limit_case *c)
{
    unsigned most = run->limit.session->info.compute_units, n = 1;
    const cJSON *json;
    double alone = 0;
    if (run->threads) { /* this is one of them */
        time_against_peers(run, c);
        return;
    }
    if (!run->scaling)
        run_all(run, most);
    cJSON_ArrayForEach(json, run->scaling)
    {
        const cJSON *found = find_case(json, c);
        if (n == 1)
            alone = number(found, "seconds");
        tell(run, c, n, found, alone);
        n = next_count(n, most);
    }
}
