/* SPDX-License-Identifier: MIT */
/* `clsoftmax bench`: the chosen variant against the copy bandwidth and a plain C loop.
 */
#include "arena.h"
#include "copy_clblast.h"
#include "measure.h"
#include "shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "Usage: clsoftmax bench [options]\n\n"
    "Time the variant that the library chooses, shape by shape: median, GB/s (each\n"
    "element read once and written once), and the share of what a plain copy of as "
    "many\n"
    "bytes reaches in the same run. Buffers are rotated so that caches are cold. A "
    "plain\n"
    "C loop on one core of the host stands beside it.\n\n"
    "  --device D       index, gpu, cpu, part of a name, or all; or set CLSM_DEVICE\n"
    "  --shapes LIST    as 4096x1024,64x50257; otherwise a list of row lengths\n"
    "  --mib N          MiB of x and y for each shape of that list (512; on a CPU 64)\n"
    "  --op NAME        the operation; the first of those below by default\n"
    "  --type T         the type; f32 by default\n"
    "  --k N            how many top-k finds in each row (1)\n"
    "  --form F         one of the forms below, for every problem\n"
    "  --repeats N      runs a shape that are timed (30), on a GPU in five lines "
    "of\n                   16 or more\n"
    "  --json FILE      write the results as JSON (- for stdout)\n\n"
    "Example:\n  clsoftmax bench --device gpu --type bf16\n  clsoftmax bench --shapes "
    "4096x4096,1x1048576\n";

struct job {
    struct bench_options o;
    cJSON *json;
};

/* The loop that any C programmer writes; f32 only. */
static void c_loop(const float *x, float *y, size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++, x += cols, y += cols) {
        float max = -INFINITY, sum = 0;
        for (size_t c = 0; c < cols; c++)
            max = x[c] > max ? x[c] : max;
        for (size_t c = 0; c < cols; c++)
            sum += y[c] = expf(x[c] - max);
        for (size_t c = 0; c < cols; c++)
            y[c] /= sum;
    }
}

/* GB/s of that loop on at most a few million elements of the shape; 0 without memory.
 */
static double c_loop_speed(size_t rows, size_t cols)
{
    size_t most = ((size_t)1 << 22) / cols;
    rows = rows < most ? rows : most ? most : 1;
    float *x = malloc(rows * cols * sizeof *x), *y = malloc(rows * cols * sizeof *y);
    double best = 0;
    for (int run = 0; x && y && run < 3; run++) {
        for (size_t i = 0; run == 0 && i < rows * cols; i++)
            x[i] = y[i] = (float)(i * 2654435761u % 1000) * 0.004f;
        double start = now();
        c_loop(x, y, rows, cols);
        double speed = 8e-9 * (double)(rows * cols) / (now() - start);
        best = run && speed > best ? speed : best;
    }
    free(x);
    free(y);
    return best;
}

struct row {
    clsm_problem problem;
    clsm_plan_info info;
    double bytes, seconds, copy_seconds, c_speed;
    const char *copied_by;
};

static void print(struct job *job, const struct session *s, const struct row *r)
{
    double speed = r->bytes / r->seconds * 1e-9;
    double copy = r->bytes / r->copy_seconds * 1e-9;
    char takes[32] = "", loop[16] = "-";
    if (r->c_speed > 0)
        snprintf(loop, sizeof loop, "%.2f", r->c_speed);
    if (r->info.registers)
        snprintf(takes, sizeof takes, "  %u registers%s", r->info.registers,
                 r->info.spill_bytes ? ", SPILLS" : "");
    printf("%9zu x %-8zu %-22s %10.2f %9.1f %9.1f %6.1f%% %9s%s\n", r->problem.rows,
           r->problem.cols, r->info.variant, r->seconds * 1e6, speed, copy,
           100 * speed / copy, loop, takes);
    fflush(stdout);
    cJSON *j = bench_json(&job->o, s, &r->problem, r->info.variant, r->seconds,
                          r->bytes, r->copy_seconds);
    cJSON_AddStringToObject(j, "copied_by", r->copied_by);
    cJSON_AddNumberToObject(j, "of_copy", speed / copy);
    if (r->c_speed > 0)
        cJSON_AddNumberToObject(j, "c_loop_gb_per_s", r->c_speed);
    else
        cJSON_AddNullToObject(j, "c_loop_gb_per_s");
    cJSON_AddItemToArray(job->json, j);
}

static clsm_status time_shape(const struct session *s, const struct bench_options *o,
                              const struct arena *arena, struct row *r)
{
    clsm_plan *plan;
    clsm_status status = clsm_plan_create(s->engine, &r->problem, &plan);
    if (status != CLSM_OK)
        return status;
    status = clsm_plan_get_info(plan, &r->info);
    if (status == CLSM_OK)
        status = measure_plan(s, plan, arena->sets, arena->set_count,
                              (unsigned)o->repeats, &r->seconds);
    clsm_plan_destroy(plan);
    uint64_t bytes = bench_bytes(o, &r->problem, r->info.bytes);
    r->bytes = (double)bytes;
    return status == CLSM_OK ? measure_copy(s, bytes, arena->set_count,
                                            &r->copy_seconds, &r->copied_by)
                             : status;
}

static clsm_status bench_shape(const struct session *s, struct job *job,
                               struct arena *arena, size_t rows, size_t cols)
{
    struct row r = {.info = {.struct_bytes = sizeof r.info}};
    bool fits;
    bench_problem(&job->o, rows, cols, &r.problem);
    clsm_status status = arena_sets(arena, &r.problem, false, &fits);
    if (status == CLSM_OK && !fits)
        printf("%9zu x %-8zu does not fit the device's memory\n", rows, cols);
    if (status != CLSM_OK || !fits)
        return status;
    status = time_shape(s, &job->o, arena, &r);
    if (status != CLSM_OK)
        return status;
    /* the table's first, which is what the loop does */
    if (job->o.op == (clsm_op)0 && !job->o.form)
        r.c_speed = c_loop_speed(rows, cols);
    print(job, s, &r);
    return CLSM_OK;
}

static int bench_on(const struct session *s, void *context)
{
    struct job *job = context;
    struct arena arena = {.session = s, .cold_bytes = measure_cold_bytes(s)};
    clsm_status status = CLSM_OK;
    struct shapes shapes;
    bench_shapes(&job->o, s, &shapes);
    printf("device %u: %s, driver %s\n", s->info.index, s->info.name, s->info.driver);
    print_clblast_copy(s);
    printf("%s %s, %s\n%9s x %-8s %-22s %10s %9s %9s %7s %9s\n",
           clsm_op_name(job->o.op), clsm_type_name(job->o.type), bench_form(&job->o),
           "rows", "cols", "variant", "us", "GB/s", "copy GB/s", "share", "C GB/s");
    for (unsigned i = 0; status == CLSM_OK && i < shapes.count; i++)
        status = bench_shape(s, job, &arena, shapes.rows[i], shapes.cols[i]);
    arena_free(&arena);
    return status == CLSM_OK ? EXIT_FINE : complain_status(status, "bench");
}

int bench_command(int argc, char **argv)
{
    struct job job;
    int result = bench_parse(argc, argv, help, false, &job.o);
    if (result != -1)
        return result;
    job.json = cJSON_CreateArray();
    result = on_devices(job.o.device, bench_on, &job);
    if (job.o.json_path && !json_write(job.o.json_path, job.json))
        result = EXIT_FAILED;
    cJSON_Delete(job.json);
    return result;
}
