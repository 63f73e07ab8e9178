/* SPDX-License-Identifier: MIT */
/* The loops that any C programmer writes, in a file that is compiled as fast as can be.
 */
#ifndef CPU_PEERS_C_SOFTMAX_H
#define CPU_PEERS_C_SOFTMAX_H

#include <stddef.h>

/* Softmax of packed rows. */
void c_softmax(const float *x, float *y, size_t rows, size_t cols);

#endif
