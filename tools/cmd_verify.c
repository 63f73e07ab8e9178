/* SPDX-License-Identifier: MIT */
/* `clsoftmax verify`: a user's own conformance run over the table of variants. */
#include "cell.h"
#include "command.h"
#include "dress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "Usage: clsoftmax verify [options]\n\n"
    "Run every variant on a device with random input of many kinds (outliers, ties,\n"
    "inf, NaN, subnormal numbers) at the edges of its row lengths, in place too, and\n"
    "compare each result with the double-precision reference: error bound, guard\n"
    "zones, same bits twice. One variant, operation and type takes seconds, all of\n"
    "them hours.\n\n"
    "  --device D       index, gpu, cpu, part of a name, or all; or set CLSM_DEVICE\n"
    "  --variant V      only this one, as 'tree' or 'tree:WG=128'\n"
    "  --op NAME        only this operation\n"
    "  --type T         only this type\n"
    "  --mixed          input and output types apart too (16 pairs instead of 4)\n"
    "  --forms          every combination of masks, scales, statistics, weights, ...;\n"
    "                   by default each operation takes one of them with each variant\n"
    "  --seed N         another random input (default: from the clock)\n"
    "  --json FILE      write the results as JSON (- for stdout)\n\n"
    "Example:\n  clsoftmax verify --device all\n  clsoftmax verify --variant online "
    "--type bf16\n";

struct job {
    const char *device, *variant, *op, *type, *json_path;
    bool mixed, forms, show_progress;
    size_t seed;
    cJSON *json;
    unsigned done, total, run, failed, unfit;
};

#define PLUS_ONE(...) +1
enum { TYPES = 0 CLSM_TYPES(PLUS_ONE) };

static bool wanted(const char *wish, const char *name)
{
    size_t n = wish ? strlen(wish) : 0;
    return !wish || strcmp(wish, name) == 0 ||
           (strncmp(wish, name, n) == 0 && name[n] == ':');
}

static void progress(const struct job *job, const char *what)
{
    if (job->show_progress)
        fprintf(stderr, "\r%3u%% %-58s", job->total ? 100 * job->done / job->total : 0,
                what);
}

static void add_json(const struct session *s, const struct job *job,
                     const struct cell *cell)
{
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "device", s->info.name);
    cJSON_AddStringToObject(j, "variant", cell->config);
    cJSON_AddStringToObject(j, "op", clsm_op_name(cell->op));
    cJSON_AddStringToObject(j, "x_type", clsm_type_name(cell->x));
    cJSON_AddStringToObject(j, "y_type", clsm_type_name(cell->y));
    cJSON_AddNumberToObject(j, "seed", (double)job->seed);
    cJSON_AddNumberToObject(j, "run", cell->run);
    cJSON_AddNumberToObject(j, "passed", cell->passed);
    cJSON_AddNumberToObject(j, "worst_of_bound", cell->worst);
    cJSON_AddNumberToObject(j, "max_ulp", cell->max_ulp);
    cJSON_AddItemToArray(job->json, j);
}

static void verify_cell(const struct session *s, struct job *job, struct cell *cell)
{
    snprintf(cell->name, sizeof cell->name, "%-22s %-20s %4s -> %-4s", cell->config,
             clsm_op_name(cell->op), clsm_type_name(cell->x), clsm_type_name(cell->y));
    progress(job, cell->name);
    cell->seed = job->seed;
    cell->dress = job->forms ? 0 : 1 + job->done % (dress_count() - 1);
    cell_verify(s, cell);
    job->done++;
    if (job->show_progress)
        fprintf(stderr, "\r%64s\r", "");
    if (cell->unfit) {
        job->unfit++;
        return;
    }
    job->run++;
    job->failed += cell->passed < cell->run;
    add_json(s, job, cell);
    printf("%s %s  %u trials, worst %.3f of the bound\n",
           cell->passed == cell->run ? "pass" : "FAIL", cell->name, cell->run,
           cell->worst);
    fflush(stdout);
}

/* Every configuration, operation and pair of types that is asked for. */
static void each(const struct session *s, struct job *job, bool count_only)
{
    for (unsigned i = 0; clsm_config_name(i); i++) {
        char config[CONFIG_BYTES];
        snprintf(config, sizeof config, "%s", clsm_config_name(i));
        if (!wanted(job->variant, config))
            continue;
        for (unsigned k = 0; k < CLSM_OP_COUNT * TYPES * TYPES; k++) {
            struct cell cell = {.config = config,
                                .op = (clsm_op)(k % CLSM_OP_COUNT),
                                .x = (clsm_type)(k / CLSM_OP_COUNT % TYPES),
                                .y = (clsm_type)(k / CLSM_OP_COUNT / TYPES)};
            if ((cell.x != cell.y && !job->mixed) ||
                !wanted(job->op, clsm_op_name(cell.op)) ||
                (!wanted(job->type, clsm_type_name(cell.x)) &&
                 !wanted(job->type, clsm_type_name(cell.y))))
                continue;
            if (count_only)
                job->total++;
            else
                verify_cell(s, job, &cell);
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
                                            {"forms", no_argument, NULL, 'f'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"json", required_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct job job = {.seed = (size_t)time(NULL)};
    int result;
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
        case 'f':
            job.forms = true;
            break;
        case 'j':
            result = json_option(optarg, &job.json_path);
            if (result != -1)
                return result;
            break;
        case 's':
            if (!parse_size(optarg, 0, UINT32_MAX, &job.seed))
                return complain(EXIT_USAGE,
                                "--seed is \"%s\", expected a number up to 2^32 - 1",
                                optarg);
            break;
        case 'h':
            print_help(help);
            return EXIT_FINE;
        default:
            return usage_error("verify");
        }
    }
    if (optind != argc)
        return extra_argument("verify", argv[optind]);
    result = check_names(&job);
    return result ? result : verify(&job);
}
