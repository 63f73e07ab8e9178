/* SPDX-License-Identifier: MIT */
/* What two runs of a trial leave behind: the same bits, none beside the outputs, and
 * what the reference says of them. */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include "tensors.h"

enum { COMPLAINT_BYTES = 256 };

/* Host copies of the tensors that are written; NULL for others. */
struct outputs {
    unsigned char *of[TENSORS];
};

/* False without memory; to be freed all the same. */
bool outputs_take(const struct tensors *t, struct outputs *outputs);
void outputs_free(struct outputs *outputs);

/* Back to the tensors. */
void outputs_put(const struct outputs *outputs, struct tensors *t);

/* The tensors after the second run, from what stood there before and what the first run
 * made of it; says in COMPLAINT_BYTES what is wrong, "" if nothing. */
void outputs_compare(const struct trial *trial, const struct tensors *t,
                     const struct outputs *before, const struct outputs *first,
                     char *complaint);

/* Against the reference: the report, whose struct_bytes is set, and what is wrong. */
clsm_status outputs_judge(const struct trial *trial, const struct tensors *t,
                          clsm_report *report, char *complaint);

#endif
