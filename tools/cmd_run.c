/* SPDX-License-Identifier: MIT */
/* `clsoftmax run`: the main job, .npy files of logits in, probabilities and more out.
 */
#include "judge.h"
#include "run.h"

#include <stdio.h>

static const char help[] =
    "Usage: clsoftmax run [options] IN.npy [OUT.npy]\n\n"
    "Read an array, compute one operation along one axis on an OpenCL device, and "
    "write\n"
    "what it gives. IN holds logits; operations named for the backward pass take the\n"
    "saved output of the forward one instead, and a merge each slice's max (dy is its\n"
    "sum). IN is of f2, f4 or f8 in either byte order, of 1 to 8 dimensions, C or "
    "Fortran\n"
    "order, or raw 16-bit numbers with --type bf16. OUT, the operation's y, has IN's\n"
    "shape; its axis has length 1 where the operation gives one number per softmax, "
    "and k\n"
    "where it gives the k largest; OUT may be IN. Operations that give only max and "
    "sum\n"
    "have no OUT. The time is the median of 5 more runs, with what caches hold.\n\n"
    "  --op NAME        the operation; the first of those below by default\n"
    "  --axis N         the axis that sums to 1; -1 (default) is the last\n"
    "  --type bf16      IN holds bf16 as raw 16-bit integers; dy may too\n"
    "  --out-type T     f32, f16, bf16 or f64; IN's type by default\n"
    "  --nonfinite P    default or limit: what rows with inf become (see clsoftmax.h)\n"
    "  --device D       index, gpu, cpu or part of a name; or set CLSM_DEVICE\n"
    "  --variant V      a variant, as 'tree' or 'tree:WG=128'; or set CLSM_VARIANT\n"
    "  --verify         compare with the double-precision reference\n"
    "  --labels L.npy   integer labels: print the accuracy of the largest probability\n"
    "  --explain        tell all that the plan knows\n\n"
    "More arrays, each option as often as needed:\n"
    "  --in dy=F        as IN, of any float type\n"
    "  --in mask=F      f4 or f2 is added, bool or u1 masks where it is 0; its shape\n"
    "                   broadcasts to IN's as in NumPy, but behind the axis in all\n"
    "                   dimensions or in none, and so before the head\n"
    "  --in NAME=F      one number per softmax, IN's shape without the axis ((1,) "
    "where\n"
    "                   nothing is left), for temperature (0, or 2^-126 to 2^126),\n"
    "                   targets (i4 or i8), from_max, from_sum; one per head for "
    "slopes\n"
    "                   (ALiBi) and sinks; one per column for weights\n"
    "  --out NAME=F     write max, sum, lse or loss (IN's shape without the axis),\n"
    "                   indices (i4, OUT's shape) or bad_targets (u4, one number)\n"
    "The last three dimensions before the axis are batch, head and query; more of them "
    "are\n"
    "batches too.\n\n"
    "What logits are made of: --scale S, --temperature T, --softcap C, --causal,\n"
    "  --causal-offset N (query q sees columns up to q + N), --window N\n"
    "Losses and gradients: --ignore-index N, --label-smoothing E, --z-loss Z,\n"
    "  --grad-scale G (gradients are those of the sum of all losses)\n"
    "The k largest: --k N\n\n"
    "Example:\n"
    "  clsoftmax run examples/data/digits_logits.npy probs.npy --verify\n"
    "  clsoftmax run --axis 1 --out-type f32 scores_f16.npy probs.npy\n"
    "Attention: scores of shape (batch, head, query, key), a mask of (batch, 1, 1, "
    "key):\n"
    "  clsoftmax run --causal --scale 0.125 --in mask=keep.npy scores.npy probs.npy\n"
    "Training: logits of shape (rows, classes), targets of (rows,):\n"
    "  clsoftmax run --op cross_entropy --in targets=classes.npy --out loss=loss.npy "
    "\\\n"
    "      --label-smoothing 0.1 logits.npy gradient.npy\n";

static clsm_host_args view_of(struct run_job *job)
{
    clsm_host_args view = {.struct_bytes = sizeof view};
    view.x = run_tensor(job, CLSM_X)->data;
    view.y = run_tensor(job, CLSM_Y)->data;
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++)
        view.operand[o] = run_tensor(job, o)->data;
    return view;
}

static int run_on(const struct session *s, void *context)
{
    struct run_job *job = context;
    int result = run_compute(s, job);
    const clsm_host_args view = view_of(job);
    if (!result && job->op.needs & CLSM_BIT(CLSM_TARGETS))
        judge_loss(&job->problem, &view);
    if (!result && job->verify)
        result = judge_result(&job->problem, &view);
    if (!result && job->label)
        judge_labels(&job->problem, view.y, job->label);
    return result;
}

static int run(struct run_job *job)
{
    int result = run_read(job);
    if (!result)
        printf("input     %s: %zu softmaxes of %zu %s\n", job->in[0],
               run_softmaxes(job), job->problem.cols,
               clsm_type_name(job->problem.x_type));
    if (!result)
        result = on_devices(job->device, run_on, job);
    return result ? result : run_write(job);
}

int run_command(int argc, char **argv)
{
    struct run_job job = {.axis = -1};
    clsm_problem_init(&job.problem, (clsm_op)0, CLSM_F32, 0, 0);
    int result = run_parse(argc, argv, help, &job);
    if (result < 0)
        result = run(&job);
    run_free(&job);
    return result;
}
