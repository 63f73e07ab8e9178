/* SPDX-License-Identifier: MIT */
/* `clsoftmax run`: the main job, a .npy file of logits in, one of probabilities out. */
#include "command.h"
#include "judge.h"
#include "measure.h"
#include "npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: clsoftmax run [options] IN.npy OUT.npy\n\n"
    "Read an array of logits, compute softmax along one axis on an OpenCL device, "
    "write\n"
    "an array of the same shape. IN holds f2, f4 or f8 in either byte order, of 1 to "
    "8\n"
    "dimensions, C or Fortran order, or raw 16-bit numbers with --type bf16.\n\n"
    "  --op NAME        the operation; the first of those below by default\n"
    "  --axis N         the axis that sums to 1; -1 (default) is the last\n"
    "  --type bf16      IN holds bf16 as raw 16-bit integers\n"
    "  --out-type T     f32, f16, bf16 or f64; IN's type by default\n"
    "  --nonfinite P    default or limit: what rows with inf become (see clsoftmax.h)\n"
    "  --device D       index, gpu, cpu or part of a name; or set CLSM_DEVICE\n"
    "  --variant V      a variant, as 'tree' or 'tree:WG=128'; or set CLSM_VARIANT\n"
    "  --verify         compare with the double-precision reference\n"
    "  --labels L.npy   integer labels: print the accuracy of the largest probability\n"
    "  --explain        tell all that the plan knows\n\n"
    "Example:\n"
    "  clsoftmax run examples/data/digits_logits.npy probs.npy --verify\n"
    "  clsoftmax run --axis 1 --out-type f32 scores_f16.npy probs.npy\n";

struct job {
    const char *in, *out, *device, *labels;
    clsm_op op;
    clsm_nonfinite nonfinite;
    const char *variant;
    long axis;
    bool bf16, verify, explain, has_out_type;
    clsm_type out_type;
    struct npy x, y;
    clsm_problem problem;
};

/* See the array as (rows, cols, inner) around the axis. */
static int shape_problem(struct job *job)
{
    const struct npy *x = &job->x;
    long axis = job->axis < 0 ? job->axis + x->dims : job->axis;
    if (axis < 0 || axis >= x->dims)
        return complain(EXIT_USAGE, "--axis is %ld, expected -%d to %d for %s",
                        job->axis, x->dims, x->dims - 1, job->in);
    size_t rows = 1, inner = 1;
    for (int d = 0; d < axis; d++)
        rows *= x->shape[d];
    for (int d = (int)axis + 1; d < x->dims; d++)
        inner *= x->shape[d];
    clsm_problem_init(&job->problem, job->op, x->type, rows, x->shape[axis]);
    job->problem.inner = inner;
    job->problem.y_type = job->has_out_type ? job->out_type : x->type;
    job->problem.nonfinite = job->nonfinite;
    job->problem.variant = job->variant;
    return EXIT_FINE;
}

static void print_plan(const struct session *s, const struct job *job, clsm_plan *plan)
{
    clsm_plan_info info = {.struct_bytes = sizeof info};
    char text[8192];
    clsm_plan_get_info(plan, &info);
    printf("device    %s (%s)\nvariant   %s: %s\n", s->info.name, s->info.reason,
           info.variant, info.reason);
    if (job->explain && clsm_plan_explain(plan, text, sizeof text, NULL) == CLSM_OK)
        fputs(text, stdout);
}

/* On the device: upload, run, time, read back into job->y. */
static int compute(const struct session *s, struct job *job, clsm_plan *plan)
{
    size_t x_bytes = job->x.count * clsm_type_bytes(job->x.type);
    size_t y_bytes = job->y.count * clsm_type_bytes(job->y.type);
    cl_mem x = session_buffer(s, x_bytes, job->x.data),
           y = session_buffer(s, y_bytes, NULL);
    int result = EXIT_FINE;
    clsm_plan_info info = {.struct_bytes = sizeof info};
    clsm_plan_get_info(plan, &info);
    double seconds = 0;
    clsm_status status = CLSM_OK;
    if (!x || !y)
        result = complain(EXIT_FAILED, "%s has no room for %zu + %zu bytes",
                          s->info.name, x_bytes, y_bytes);
    if (!result && job->y.count)
        status = measure_plan(s, plan, &x, &y, 1, 5, &seconds);
    if (status != CLSM_OK)
        result = complain_status(status, "enqueue");
    if (!result && y_bytes &&
        clEnqueueReadBuffer(s->queue, y, CL_TRUE, 0, y_bytes, job->y.data, 0, NULL,
                            NULL) != CL_SUCCESS)
        result =
            complain(EXIT_FAILED, "cannot read the result back from %s", s->info.name);
    if (!result)
        printf(
            "time      %.3f us, %.2f GB/s effective (%llu bytes read once and written "
            "once)\n",
            seconds * 1e6, seconds > 0 ? (double)info.bytes / seconds * 1e-9 : 0.0,
            (unsigned long long)info.bytes);
    if (x)
        clReleaseMemObject(x);
    if (y)
        clReleaseMemObject(y);
    return result;
}

static int run_on(const struct session *s, void *context)
{
    struct job *job = context;
    clsm_plan *plan;
    clsm_status status = clsm_plan_create(s->engine, &job->problem, &plan);
    if (status != CLSM_OK)
        return complain_status(status, "plan");
    print_plan(s, job, plan);
    job->y = job->x;
    job->y.type = job->problem.y_type;
    job->y.data =
        malloc(job->y.count ? job->y.count * clsm_type_bytes(job->y.type) : 1);
    int result = job->y.data ? compute(s, job, plan)
                             : complain(EXIT_FAILED, "out of memory for the result");
    clsm_plan_destroy(plan);
    if (!result && job->verify)
        result = judge_result(&job->problem, job->x.data, job->y.data);
    if (!result && job->labels)
        result = judge_labels(&job->problem, job->y.data, job->labels);
    return result;
}

static int run(struct job *job)
{
    char error[512];
    if (!npy_read(job->in, job->bf16 ? NPY_BF16 : NPY_FLOATS, &job->x, error, sizeof error))
        return complain(EXIT_FAILED, "%s", error);
    int result = shape_problem(job);
    if (!result)
        printf("input     %s: %zu softmaxes of %zu %s\n", job->in,
               job->problem.rows * job->problem.inner, job->problem.cols,
               clsm_type_name(job->x.type));
    if (!result)
        result = on_devices(job->device, run_on, job);
    if (!result && !npy_write(job->out, &job->y, error, sizeof error))
        result = complain(EXIT_FAILED, "%s", error);
    if (!result)
        printf("output    %s: %s %s\n", job->out, clsm_op_name(job->op),
               clsm_type_name(job->y.type));
    npy_free(&job->x);
    npy_free(&job->y);
    return result;
}

static int parse_option(int o, struct job *job)
{
    clsm_type type;
    char *end;
    switch (o) {
    case 'o':
        return clsm_op_find(optarg, &job->op) == CLSM_OK
                   ? EXIT_FINE
                   : complain(EXIT_USAGE, "--op: %s", clsm_last_message());
    case 'a':
        job->axis = strtol(optarg, &end, 10);
        return *optarg && !*end
                   ? EXIT_FINE
                   : complain(EXIT_USAGE, "--axis is \"%s\", not a number", optarg);
    case 't':
        job->bf16 = strcmp(optarg, "bf16") == 0;
        return job->bf16 ? EXIT_FINE
                         : complain(EXIT_USAGE,
                                    "--type is \"%s\"; only bf16 has to be "
                                    "said, others stand in the file",
                                    optarg);
    case 'T':
        job->has_out_type = clsm_type_find(optarg, &type) == CLSM_OK;
        job->out_type = job->has_out_type ? type : CLSM_F32;
        return job->has_out_type
                   ? EXIT_FINE
                   : complain(EXIT_USAGE, "--out-type: %s", clsm_last_message());
    case 'n':
        job->nonfinite = strcmp(optarg, "limit") == 0 ? CLSM_NONFINITE_LIMIT
                                                      : CLSM_NONFINITE_DEFAULT;
        return job->nonfinite || strcmp(optarg, "default") == 0
                   ? EXIT_FINE
                   : complain(EXIT_USAGE,
                              "--nonfinite is \"%s\", expected default or limit",
                              optarg);
    case 'd':
        job->device = optarg;
        return EXIT_FINE;
    case 'v':
        job->variant = optarg;
        return EXIT_FINE;
    case 'l':
        job->labels = optarg;
        return EXIT_FINE;
    case 'V':
        job->verify = true;
        return EXIT_FINE;
    case 'e':
        job->explain = true;
        return EXIT_FINE;
    default:
        return usage_error("run");
    }
}

int run_command(int argc, char **argv)
{
    static const struct option options[] = {{"op", required_argument, NULL, 'o'},
                                            {"axis", required_argument, NULL, 'a'},
                                            {"type", required_argument, NULL, 't'},
                                            {"out-type", required_argument, NULL, 'T'},
                                            {"nonfinite", required_argument, NULL, 'n'},
                                            {"device", required_argument, NULL, 'd'},
                                            {"variant", required_argument, NULL, 'v'},
                                            {"labels", required_argument, NULL, 'l'},
                                            {"verify", no_argument, NULL, 'V'},
                                            {"explain", no_argument, NULL, 'e'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct job job = {.axis = -1};
    for (int o; (o = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (o == 'h') {
            print_help(help);
            return EXIT_FINE;
        }
        int result = parse_option(o, &job);
        if (result)
            return result;
    }
    if (argc - optind != 2)
        return complain(EXIT_USAGE, "run needs IN.npy and OUT.npy; see 'clsoftmax run "
                                    "--help'");
    if (job.device && strcmp(job.device, "all") == 0)
        return complain(EXIT_USAGE, "run works on one device, not on all");
    job.in = argv[optind];
    job.out = argv[optind + 1];
    return run(&job);
}
