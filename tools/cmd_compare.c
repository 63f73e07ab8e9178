/* SPDX-License-Identifier: MIT */
/* `clsoftmax compare`: every variant that fits, and whether the right one is chosen. */
#include "arena.h"
#include "measure.h"
#include "regret.h"
#include "shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "Usage: clsoftmax compare [options]\n\n"
    "Time every variant that fits, shape by shape, mark the one that the library "
    "chooses\n"
    "(*) and print the regret: the chosen one's time over the best one's, with its\n"
    "geometric mean at the end. Where a configuration takes more than 30 times the "
    "best\n"
    "time, the variant's further ones are left out.\n\n"
    "  --device D       index, gpu, cpu, part of a name, or all; or set CLSM_DEVICE\n"
    "  --shapes LIST    as 4096x1024,64x50257; otherwise a list of row lengths\n"
    "  --mib N          MiB of x and y for each shape of that list (512; on a CPU 64)\n"
    "  --op NAME        the operation; the first of those below by default\n"
    "  --type T         the type; f32 by default\n"
    "  --k N            how many top-k finds in each row (1)\n"
    "  --form F         one of the forms below, for every problem\n"
    "  --repeats N      runs a configuration that are timed (30), on a GPU in five "
    "lines\n"
    "                   of 16 or more\n"
    "  --all            print every configuration, not only each variant's best\n"
    "  --json FILE      write all configurations as JSON (- for stdout)\n\n"
    "Random problems, operation, type and shape drawn, instead of shapes:\n"
    "  --random N       draw N problems of 1 MiB to --mib of traffic (256; on a CPU "
    "16)\n"
    "  --seed S         draw them from this seed, which makes them the same again (1)\n"
    "  --problems FILE  instead of drawing: those of a file that --json wrote, or of "
    "an\n"
    "                   array of objects with op, type, rows, cols and k\n"
    "  --form F         as above; operations that have no such form are left out\n"
    "  --within F       leave out configurations whose estimate is over F times the\n"
    "                   best one (4)\n"
    "  --seconds T      begin no further problem after T seconds\n"
    "  --jobs J         build in J threads while timing goes on; on a CPU, before it\n"
    "                   (the host's cores, at most 16)\n"
    "  --build I/N      time nothing, build the I-th of N shares of the programs into "
    "the\n"
    "                   cache on disk: for N processes, where a driver builds one "
    "program\n"
    "                   at a time in each; of one thread, unless --jobs says "
    "otherwise\n"
    "A configuration whose first runs take over 1.5 times the chosen one's is not\n"
    "timed further. Then the chosen and the best one are timed again, in five turns.\n"
    "At the end stands what each variant's estimates are over its times, the median\n"
    "near the best times: the choice rests on how they stand to one another.\n\n"
    "Example:\n  clsoftmax compare --device all\n"
    "  clsoftmax compare --shapes 4096x1024 --all\n"
    "  clsoftmax compare --random 200 --seconds 240 --json regret.json\n"
    "  clsoftmax compare --problems regret.json --within 2\n"
    "  for i in $(seq 8); do clsoftmax compare --random 300 --build $i/8 & done; "
    "wait\n";

/* HOPELESS: times slower than the best, beyond which a variant's further configurations
 * are not timed. */
enum { HOPELESS = 30 };

struct entry {
    char config[CONFIG_BYTES];
    double seconds;
    bool chosen;
};

struct job {
    struct bench_options o;
    cJSON *json;
    double log_regret, worst_regret; /* over all shapes of a device */
    unsigned shapes;
};

static bool same_variant(const char *a, const char *b)
{
    size_t n = strcspn(a, ":");
    return n == strcspn(b, ":") && strncmp(a, b, n) == 0;
}

/* Was the configuration before t[n], of the same variant, so slow that more of it would
 * only cost time? */
static bool hopeless(const struct entry *t, unsigned n, double best)
{
    return n && same_variant(t[n].config, t[n - 1].config) &&
           t[n - 1].seconds > HOPELESS * best;
}

/* Every configuration that fits and runs; the chosen one's name comes from a free plan.
 */
static unsigned time_all(const struct session *s, const struct job *job, clsm_problem p,
                         const struct arena *arena, struct entry *t, uint64_t *bytes)
{
    clsm_plan *plan;
    clsm_plan_info info = {.struct_bytes = sizeof info};
    if (clsm_plan_create(s->engine, &p, &plan) != CLSM_OK)
        return 0;
    clsm_plan_get_info(plan, &info);
    clsm_plan_destroy(plan);
    *bytes = bench_bytes(&job->o, &p, info.bytes);
    unsigned n = 0;
    double best = INFINITY;
    for (unsigned i = 0; n < MAX_CONFIGS && clsm_config_name(i); i++) {
        struct entry *one = &t[n];
        snprintf(one->config, sizeof one->config, "%s", clsm_config_name(i));
        one->chosen = strcmp(one->config, info.variant) == 0;
        if (!one->chosen && hopeless(t, n, best))
            continue;
        p.variant = one->config;
        if (clsm_plan_create(s->engine, &p, &plan) != CLSM_OK)
            continue;
        if (measure_plan(s, plan, arena->sets, arena->set_count,
                         (unsigned)job->o.repeats, &one->seconds) == CLSM_OK) {
            best = one->seconds < best ? one->seconds : best;
            n++;
        }
        clsm_plan_destroy(plan);
    }
    return n;
}

/* Is it the fastest of its variant's configurations? */
static bool is_best_of_variant(const struct entry *t, unsigned n, unsigned i)
{
    for (unsigned k = 0; k < n; k++)
        if (same_variant(t[k].config, t[i].config) && t[k].seconds < t[i].seconds)
            return false;
    return true;
}

static void report(struct job *job, const struct session *s, const clsm_problem *p,
                   const struct entry *t, unsigned n, double bytes, double copy_seconds)
{
    double best = INFINITY, chosen = 0;
    printf("%zu x %zu, copy %.1f GB/s\n", p->rows, p->cols,
           bytes / copy_seconds * 1e-9);
    for (unsigned i = 0; i < n; i++) {
        best = t[i].seconds < best ? t[i].seconds : best;
        chosen = t[i].chosen ? t[i].seconds : chosen;
        double speed = bytes / t[i].seconds * 1e-9;
        cJSON *j =
            bench_json(&job->o, s, p, t[i].config, t[i].seconds, bytes, copy_seconds);
        cJSON_AddBoolToObject(j, "chosen", t[i].chosen);
        cJSON_AddItemToArray(job->json, j);
        if (job->o.all || t[i].chosen || is_best_of_variant(t, n, i))
            printf(" %c %-24s %10.2f us %9.1f GB/s %6.1f%% of copy\n",
                   t[i].chosen ? '*' : ' ', t[i].config, t[i].seconds * 1e6, speed,
                   100 * copy_seconds / t[i].seconds);
    }
    if (!chosen)
        return;
    printf("   regret %.3f\n", chosen / best);
    fflush(stdout);
    job->log_regret += log(chosen / best);
    job->worst_regret = fmax(job->worst_regret, chosen / best);
    job->shapes++;
}

static int compare_shape(struct job *job, const struct session *s, struct arena *arena,
                         size_t rows, size_t cols)
{
    struct entry t[MAX_CONFIGS] = {0};
    double copy_seconds;
    uint64_t bytes = 0;
    const char *copied_by;
    clsm_problem p;
    bool fits;
    bench_problem(&job->o, rows, cols, &p);
    clsm_status status = arena_sets(arena, &p, false, &fits);
    if (status != CLSM_OK)
        return complain_status(status, "buffers");
    if (!fits) {
        printf("%zu x %zu does not fit the device's memory\n", rows, cols);
        return EXIT_FINE;
    }
    unsigned n = time_all(s, job, p, arena, t, &bytes);
    if (!n)
        return complain(EXIT_FAILED, "no variant ran: %s", last_failure());
    status = measure_copy(s, bytes, arena->set_count, &copy_seconds, &copied_by);
    if (status != CLSM_OK)
        return complain_status(status, "copy");
    report(job, s, &p, t, n, (double)bytes, copy_seconds);
    return EXIT_FINE;
}

static int compare_on(const struct session *s, void *context)
{
    struct job *job = context;
    struct shapes shapes;
    struct arena arena = {.session = s, .cold_bytes = measure_cold_bytes(s)};
    int result = EXIT_FINE;
    if (job->o.random || job->o.problems)
        return regret_on(s, &job->o, job->json);
    bench_shapes(&job->o, s, &shapes);
    job->log_regret = job->worst_regret = 0;
    job->shapes = 0;
    printf("device %u: %s, driver %s; %s %s, %s\n", s->info.index, s->info.name,
           s->info.driver, clsm_op_name(job->o.op), clsm_type_name(job->o.type),
           bench_form(&job->o));
    for (unsigned i = 0; !result && i < shapes.count; i++)
        result = compare_shape(job, s, &arena, shapes.rows[i], shapes.cols[i]);
    arena_free(&arena);
    if (!result && job->shapes)
        printf("%s: regret over %u shapes: geometric mean %.3f, worst %.3f\n",
               s->info.name, job->shapes, exp(job->log_regret / job->shapes),
               job->worst_regret);
    return result;
}

int compare_command(int argc, char **argv)
{
    struct job job;
    int result = bench_parse(argc, argv, help, true, &job.o);
    if (result != -1)
        return result;
    job.json = cJSON_CreateArray();
    result = on_devices(job.o.device, compare_on, &job);
    if (job.o.json_path && !json_write(job.o.json_path, job.json))
        result = EXIT_FAILED;
    cJSON_Delete(job.json);
    return result;
}
