/* SPDX-License-Identifier: MIT */
/* The files that `clsoftmax run` writes: all or none. */
#include "run.h"

#include <stdio.h>

static void tell(const struct run_job *job, int t)
{
    const struct npy *a = &job->tensors[t];
    const char *type = a->type == NPY_I32   ? "i32"
                       : a->type == NPY_U32 ? "u32"
                                            : clsm_type_name((clsm_type)a->type);
    const char *what = t + CLSM_X == CLSM_Y
                           ? clsm_op_name(job->problem.op)
                           : clsm_operand_name((clsm_operand)(t + CLSM_X));
    printf("output    %s: %s %s\n", job->out[t], what, type);
}

int run_write(struct run_job *job)
{
    struct staged staged[RUN_TENSORS];
    char error[512];
    int n = 0, done = 0;
    bool good = true;
    for (int t = 0; t < RUN_TENSORS && good; t++)
        if (job->out[t]) {
            good = npy_stage(job->out[t], &job->tensors[t], &staged[n], error,
                             sizeof error);
            n += good;
        }
    for (; good && done < n; done++)
        good = npy_commit(&staged[done], error, sizeof error);
    for (; done < n; done++)
        staged_discard(&staged[done]);
    for (int t = 0; t < RUN_TENSORS && good; t++)
        if (job->out[t])
            tell(job, t);
    return good ? EXIT_FINE : complain(EXIT_FAILED, "%s", error);
}
