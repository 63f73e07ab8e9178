/* SPDX-License-Identifier: MIT */
/* log_softmax with the row's max and sum given: reads x once. */
#define OP_GIVEN 1
#include "op_log_softmax.cl"
