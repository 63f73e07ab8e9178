/* SPDX-License-Identifier: MIT */
/* The options of `clsoftmax run` against each other: does the operation have what was
 * said, and is nothing missing? And what each operation has. */
#include "run.h"

#include "staged.h"

#include <stdio.h>
#include <string.h>

static void print_operands(const clsm_op_info *op, bool written)
{
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++)
        if (run_is_written(o) == written && (op->needs | op->may) & CLSM_BIT(o))
            printf(op->needs & CLSM_BIT(o) ? " %s" : " [%s]",
                   clsm_operand_name((clsm_operand)o));
}

void run_print_operations(void)
{
    clsm_op_info op = {.struct_bytes = sizeof op};
    printf("\nWhat each takes (--in) -> and gives (--out), in brackets what it may:\n");
    for (int n = 0; n < CLSM_OP_COUNT; n++) {
        clsm_op_get_info((clsm_op)n, &op);
        printf("  %s:", clsm_op_name((clsm_op)n));
        print_operands(&op, false);
        printf(" ->");
        print_operands(&op, true);
        printf("\n");
    }
}

int run_check_operands(const struct run_job *job)
{
    const char *op = clsm_op_name(job->problem.op);
    bool any_out = job->op.y != CLSM_Y_NONE;
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++) {
        const char *name = clsm_operand_name((clsm_operand)o);
        const char *in = job->in[o - CLSM_X], *out = job->out[o - CLSM_X];
        any_out |= out != NULL;
        if ((in || out) && !((job->op.needs | job->op.may) & CLSM_BIT(o)))
            return complain(EXIT_USAGE, "%s %s: %s has no such tensor",
                            in ? "--in" : "--out", name, op);
        if (!in && !run_is_written(o) && job->op.needs & CLSM_BIT(o))
            return complain(EXIT_USAGE, "%s needs --in %s=FILE.npy", op, name);
    }
    return any_out
               ? EXIT_FINE
               : complain(EXIT_USAGE,
                          "%s has no OUT.npy: say what to write, as --out %s=FILE.npy",
                          op, clsm_operand_name(CLSM_MAX));
}

/* As the help names it. */
static const char *argument_name(int t)
{
    return t == 0                 ? "IN.npy"
           : t == CLSM_Y - CLSM_X ? "OUT.npy"
                                  : clsm_operand_name((clsm_operand)(t + CLSM_X));
}

int run_check_files(const struct run_job *job)
{
    for (int t = 0; t < RUN_TENSORS; t++)
        if ((job->in[t] && strcmp(job->in[t], "-") == 0) ||
            (job->out[t] && strcmp(job->out[t], "-") == 0))
            return complain(EXIT_USAGE,
                            "%s is \"-\": arrays are read from files and written to "
                            "files",
                            argument_name(t));
    for (int a = 0; a < RUN_TENSORS; a++)
        for (int b = 0; b < a; b++)
            if (job->out[a] && job->out[b] && staged_are_one(job->out[a], job->out[b]))
                return complain(EXIT_USAGE, "%s and %s are both to be written to %s",
                                argument_name(b), argument_name(a), job->out[a]);
    for (int a = 0; a < RUN_TENSORS; a++) {
        for (int b = 0; b < RUN_TENSORS; b++)
            if ((a != CLSM_Y - CLSM_X || b != 0) && job->out[a] && job->in[b] &&
                staged_are_one(job->out[a], job->in[b]))
                return complain(EXIT_USAGE, "%s is to be written over %s, %s",
                                argument_name(a), argument_name(b), job->in[b]);
        if (job->out[a] && job->labels && staged_are_one(job->out[a], job->labels))
            return complain(EXIT_USAGE, "%s is to be written over the labels, %s",
                            argument_name(a), job->labels);
    }
    if (job->device && strcmp(job->device, "all") == 0)
        return complain(EXIT_USAGE, "run works on one device, not on all");
    return EXIT_FINE;
}
