/* SPDX-License-Identifier: MIT */
/* `clsoftmax verify`: a user's own conformance run over the table of variants. */
#include "command.h"
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "Usage: clsoftmax verify [options]\n\n"
    "Run every variant on a device with random input of many kinds (outliers, ties, "
    "inf,\n"
    "NaN, subnormal numbers) at the edges of its row lengths, and compare each result\n"
    "with the double-precision reference: error bound, guard zones, same bits "
    "twice.\n\n"
    "  --device D       index, gpu, cpu, part of a name, or all; or set CLSM_DEVICE\n"
    "  --variant V      only this one, as 'tree' or 'tree:WG=128'\n"
    "  --op NAME        only this operation\n"
    "  --type T         only this type\n"
    "  --mixed          input and output types apart too (16 pairs instead of 4)\n"
    "  --seed N         another random input (default: from the clock)\n"
    "  --json FILE      write the results as JSON (- for stdout)\n\n"
    "Example:\n  clsoftmax verify --device all\n  clsoftmax verify --variant online "
    "--type bf16\n";

struct job {
    const char *device, *variant, *op, *type, *json_path;
    bool mixed, show_progress;
    size_t seed;
    cJSON *json;
    unsigned done, total, run, failed, unfit;
};

enum { TYPES = 4, OPS = 2, MAX_LENGTHS = 24 };

static bool wanted(const char *wish, const char *name)
{
    size_t n = wish ? strlen(wish) : 0;
    return !wish || strcmp(wish, name) == 0 ||
           (strncmp(wish, name, n) == 0 && name[n] == ':');
}

/* Row lengths around each parameter of a configuration ("WG=64" gives 63, 64, 65), and
 * some that are around none. */
static unsigned edge_lengths(const char *config, size_t lengths[MAX_LENGTHS])
{
    static const size_t always[] = {1, 2, 3, 100, 997, 4099};
    unsigned n = sizeof always / sizeof *always;
    memcpy(lengths, always, sizeof always);
    for (const char *at = strchr(config, '='); at; at = strchr(at + 1, '=')) {
        size_t p = strtoul(at + 1, NULL, 10);
        size_t around[] = {p - 1, p, p + 1, 2 * p, 4 * p + 1};
        for (size_t i = 0; i < 5 && n < MAX_LENGTHS; i++)
            if (around[i])
                lengths[n++] = around[i];
    }
    return n;
}

static void progress(const struct job *job, const char *what)
{
    if (job->show_progress)
        fprintf(stderr, "\r%3u%% %-48s", job->total ? 100 * job->done / job->total : 0,
                what);
}

/* One variant, operation and pair of types, at all its lengths. */
static void verify_one(const struct session *s, struct job *job, const char *config,
                       clsm_op op, clsm_type x, clsm_type y)
{
    size_t lengths[MAX_LENGTHS];
    unsigned n = edge_lengths(config, lengths), passed = 0;
    double worst = 0, max_ulp = 0;
    char what[128];
    struct verdict v = {.status = CLSM_OK};
    snprintf(what, sizeof what, "%-22s %-11s %4s -> %-4s", config, clsm_op_name(op),
             clsm_type_name(x), clsm_type_name(y));
    progress(job, what);
    for (unsigned i = 0; i < n; i++) {
        struct trial trial = {
            .mixed = true, .seed = job->seed + i, .x_offset = i % 3, .y_offset = i % 2};
        clsm_problem_init(&trial.problem, op, x, INPUT_KIND_COUNT + 3, lengths[i]);
        trial.problem.y_type = y;
        trial.problem.variant = config;
        trial.problem.nonfinite = i % 2 ? CLSM_NONFINITE_LIMIT : CLSM_NONFINITE_DEFAULT;
        bool good = trial_run(s, &trial, NULL, &v);
        if (v.status == CLSM_ERR_VARIANT || v.status == CLSM_ERR_UNSUPPORTED)
            break;
        passed += good;
        worst = v.report.worst > worst ? v.report.worst : worst;
        max_ulp = v.report.max_ulp > max_ulp ? v.report.max_ulp : max_ulp;
        if (!good)
            printf("FAIL %s cols %zu seed %llu: %s\n", what, lengths[i],
                   (unsigned long long)trial.seed, v.complaint);
    }
    job->done++;
    if (v.status == CLSM_ERR_VARIANT || v.status == CLSM_ERR_UNSUPPORTED) {
        job->unfit++;
        return;
    }
    job->run++;
    job->failed += passed < n;
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "device", s->info.name);
    cJSON_AddStringToObject(j, "variant", config);
    cJSON_AddStringToObject(j, "op", clsm_op_name(op));
    cJSON_AddStringToObject(j, "x_type", clsm_type_name(x));
    cJSON_AddStringToObject(j, "y_type", clsm_type_name(y));
    cJSON_AddNumberToObject(j, "lengths", n);
    cJSON_AddNumberToObject(j, "passed", passed);
    cJSON_AddNumberToObject(j, "worst_of_bound", worst);
    cJSON_AddNumberToObject(j, "max_ulp", max_ulp);
    cJSON_AddItemToArray(job->json, j);
    if (job->show_progress)
        fprintf(stderr, "\r%54s\r", "");
    printf("%s %s  %u lengths, worst %.3f of the bound\n",
           passed == n ? "pass" : "FAIL", what, n, worst);
    fflush(stdout);
}

/* Every configuration, operation and pair of types that is asked for. */
static void each(const struct session *s, struct job *job, bool count_only)
{
    for (unsigned i = 0; clsm_config_name(i); i++) {
        char config[64];
        snprintf(config, sizeof config, "%s", clsm_config_name(i));
        if (!wanted(job->variant, config))
            continue;
        for (unsigned k = 0; k < OPS * TYPES * TYPES; k++) {
            clsm_op op = (clsm_op)(k % OPS);
            clsm_type x = (clsm_type)(k / OPS % TYPES),
                      y = (clsm_type)(k / OPS / TYPES);
            if ((x != y && !job->mixed) || !wanted(job->op, clsm_op_name(op)) ||
                (!wanted(job->type, clsm_type_name(x)) &&
                 !wanted(job->type, clsm_type_name(y))))
                continue;
            if (count_only)
                job->total++;
            else
                verify_one(s, job, config, op, x, y);
        }
    }
}

static int verify_on(const struct session *s, void *context)
{
    struct job *job = context;
    unsigned failed_before = job->failed, run_before = job->run;
    time_t start = time(NULL);
    job->done = job->total = job->unfit = 0;
    printf("device %u: %s, driver %s\n", s->info.index, s->info.name, s->info.driver);
    each(s, job, true);
    each(s, job, false);
    unsigned run = job->run - run_before, failed = job->failed - failed_before;
    printf("%s: %u passed, %u failed, %u do not fit the device, %.0f s, seed %zu\n",
           s->info.name, run - failed, failed, job->unfit, difftime(time(NULL), start),
           job->seed);
    return failed ? EXIT_FAILED : EXIT_FINE;
}

static int verify(struct job *job)
{
    job->json = cJSON_CreateArray();
    job->show_progress = isatty(STDERR_FILENO);
    int result = on_devices(job->device, verify_on, job);
    if (job->json_path && !json_write(job->json_path, job->json))
        result = EXIT_FAILED;
    cJSON_Delete(job->json);
    if (!result && !job->run)
        return complain(EXIT_FAILED,
                        "nothing was verified: no such variant, operation or "
                        "type fits the device");
    return result;
}

static int check_names(const struct job *job)
{
    clsm_op op;
    clsm_type type;
    if (job->op && clsm_op_find(job->op, &op) != CLSM_OK)
        return complain(EXIT_USAGE, "--op: %s", clsm_last_message());
    if (job->type && clsm_type_find(job->type, &type) != CLSM_OK)
        return complain(EXIT_USAGE, "--type: %s", clsm_last_message());
    for (unsigned i = 0; job->variant && clsm_config_name(i); i++)
        if (wanted(job->variant, clsm_config_name(i)))
            return EXIT_FINE;
    return job->variant ? complain(EXIT_USAGE, "no variant \"%s\"", job->variant)
                        : EXIT_FINE;
}

int verify_command(int argc, char **argv)
{
    static const struct option options[] = {{"device", required_argument, NULL, 'd'},
                                            {"variant", required_argument, NULL, 'v'},
                                            {"op", required_argument, NULL, 'o'},
                                            {"type", required_argument, NULL, 't'},
                                            {"mixed", no_argument, NULL, 'm'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"json", required_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct job job = {.seed = (size_t)time(NULL)};
    for (int o; (o = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (o) {
        case 'd':
            job.device = optarg;
            break;
        case 'v':
            job.variant = optarg;
            break;
        case 'o':
            job.op = optarg;
            break;
        case 't':
            job.type = optarg;
            break;
        case 'm':
            job.mixed = true;
            break;
        case 'j':
            job.json_path = optarg;
            break;
        case 's':
            if (!parse_size(optarg, 0, SIZE_MAX / 2, &job.seed))
                return complain(EXIT_USAGE, "--seed is \"%s\", not a number", optarg);
            break;
        case 'h':
            print_help(help);
            return EXIT_FINE;
        default:
            return usage_error("verify");
        }
    }
    if (optind != argc)
        return usage_error("verify");
    int result = check_names(&job);
    return result ? result : verify(&job);
}
