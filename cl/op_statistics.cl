/* SPDX-License-Identifier: MIT */
/* max and sum(exp(x - max)) of each row, or of a slice of it: what merge_statistics and
 * the finishing operations go on from. */
#include "exp_terms.cl"
#include "keep_nothing.cl"
#define OP_WRITES WRITES_NOTHING
#include "no_result.cl"
