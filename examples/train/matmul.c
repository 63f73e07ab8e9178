/* SPDX-License-Identifier: MIT */
/* CLBlast's SGEMM, or a plain kernel of one work-item an element. */
#include "matmul.h"

#ifdef HAVE_CLBLAST
#include <clblast_c.h>

const char *const matmul_by = "CLBlast";

static CLBlastTranspose side(struct matrix x)
{
    return x.transposed ? CLBlastTransposeYes : CLBlastTransposeNo;
}

void matmul(const struct device *d, size_t m, size_t n, size_t k, struct matrix a,
            struct matrix b, struct matrix c)
{
    cl_command_queue queue = d->queue;
    check((int)CLBlastSgemm(CLBlastLayoutRowMajor, side(a), side(b), m, n, k, 1,
                            a.memory, a.at, a.cols, b.memory, b.at, b.cols, 0, c.memory,
                            c.at, c.cols, &queue, NULL),
          "CLBlastSgemm");
}
#else
const char *const matmul_by = "a plain kernel";

void matmul(const struct device *d, size_t m, size_t n, size_t k, struct matrix a,
            struct matrix b, struct matrix c)
{
    const cl_uint one = 1, cols = (cl_uint)n, inner = (cl_uint)k;
    const cl_uint *a_row = a.transposed ? &one : &a.cols;
    const cl_uint *a_col = a.transposed ? &a.cols : &one;
    const cl_uint *b_row = b.transposed ? &one : &b.cols;
    const cl_uint *b_col = b.transposed ? &b.cols : &one;
    LAUNCH(d, KERNEL_matmul, m * n, ARG(cols), ARG(inner), ARG(a.memory), ARG(a.at),
           ARG(*a_row), ARG(*a_col), ARG(b.memory), ARG(b.at), ARG(*b_row), ARG(*b_col),
           ARG(c.memory), ARG(c.at));
}
#endif
