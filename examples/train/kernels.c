/* SPDX-License-Identifier: MIT */
/*
 * The example's own OpenCL kernels: plain, one work-item an element, in the order of
 * KERNELS. They are there to be read; only the matrix product takes time, and CLBlast
 * replaces it.
 */
#include "device.h"

/* Kernels are written as code, not as strings; the preprocessor makes the strings. */
#define SOURCE(...) #__VA_ARGS__ "\n"

/* c = a b, with b of n columns. Element (i, j) of a stands at i * a_row + j * a_col,
 * and so with b, which makes a transposed matrix the same as any other. */
static const char matmul[] =
    SOURCE(kernel void matmul(uint n, uint k, global const float *a, uint a_at,
                              uint a_row, uint a_col, global const float *b, uint b_at,
                              uint b_row, uint b_col, global float *c, uint c_at) {
        uint id = get_global_id(0), i = id / n, j = id % n;
        float sum = 0;
        for (uint l = 0; l < k; l++)
            sum += a[a_at + i * a_row + l * a_col] * b[b_at + l * b_row + j * b_col];
        c[c_at + id] = sum;
    });

static const char add_bias[] = SOURCE(kernel void add_bias(
    global float *z, global const float *bias, uint bias_at, uint cols) {
    uint id = get_global_id(0);
    z[id] += bias[bias_at + id % cols];
});

static const char add_bias_relu[] = SOURCE(kernel void add_bias_relu(
    global float *z, global const float *bias, uint bias_at, uint cols) {
    uint id = get_global_id(0);
    float sum = z[id] + bias[bias_at + id % cols];
    z[id] = sum < 0 ? 0 : sum;
});

/* d, the gradient of ReLU's output y, becomes that of its input. */
static const char relu_backward[] =
    SOURCE(kernel void relu_backward(global float *d, global const float *y) {
        uint id = get_global_id(0);
        if (y[id] <= 0)
            d[id] = 0;
    });

/* A bias's gradient: the sum of the rows of d, a work-item a column. */
static const char sum_rows[] = SOURCE(kernel void sum_rows(
    global const float *d, uint rows, uint cols, global float *out, uint out_at) {
    uint col = get_global_id(0);
    float sum = 0;
    for (uint row = 0; row < rows; row++)
        sum += d[row * cols + col];
    out[out_at + col] = sum;
});

/* One step of Adam (Kingma and Ba, 2014). correct_m and correct_v are 1 - beta^step:
 * the averages begin at 0 and are too small by that at first. */
static const char adam[] = SOURCE(
    kernel void adam(global float *p, global const float *gradient, global float *m,
                     global float *v, float rate, float correct_m, float correct_v) {
        uint id = get_global_id(0);
        float g = gradient[id];
        m[id] = 0.9f * m[id] + 0.1f * g;
        v[id] = 0.999f * v[id] + 0.001f * g * g;
        p[id] -= rate * (m[id] / correct_m) / (sqrt(v[id] / correct_v) + 1e-8f);
    });

const char *const kernel_sources[KERNEL_COUNT] = {
#define KERNEL_SOURCE(name) name,
    KERNELS(KERNEL_SOURCE)
#undef KERNEL_SOURCE
};
