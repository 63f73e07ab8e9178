/* SPDX-License-Identifier: MIT */
/* Three loops a row. Compiled alone with -O3 -ffast-math -march=native and the widest
 * vectors, so that gcc takes expf from libmvec; nothing else here may be. */
#include "c_softmax.h"

#include <math.h>

static void c_row(const float *restrict x, float *restrict y, size_t cols)
{
    float max = x[0], sum = 0;
    for (size_t c = 0; c < cols; c++)
        max = x[c] > max ? x[c] : max;
    for (size_t c = 0; c < cols; c++)
        sum += y[c] = expf(x[c] - max);
    const float scale = 1 / sum;
    for (size_t c = 0; c < cols; c++)
        y[c] *= scale;
}

void c_softmax(const float *x, float *y, size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++)
        c_row(x + r * cols, y + r * cols, cols);
}
