/* SPDX-License-Identifier: MIT */
/* What stands in the operands changes no timing, so that one kind of number does for
 * all that are real. */
#include "sets.h"

#include "input.h"

#include <stdlib.h>
#include <string.h>

enum { DRAWN = 1 << 20 }; /* elements drawn; the rest is copied from them */

static double real_of(clsm_operand operand)
{
    return operand == CLSM_FROM_MAX ? 5 : operand == CLSM_FROM_SUM ? 1000 : 1;
}

void sets_draw(const clsm_problem *p, clsm_operand tensor, void *data, size_t n,
               size_t element_bytes)
{
    bool is_mask = tensor == CLSM_MASK;
    if (tensor == CLSM_X || tensor == CLSM_Y || tensor == CLSM_DY) {
        clsm_type type = tensor == CLSM_X   ? p->x_type
                         : tensor == CLSM_Y ? p->y_type
                                            : p->dy_type;
        input_fill(INPUT_NORMAL, 1, type, data, 0, 1, n);
    } else if (tensor == CLSM_TARGETS || (is_mask && p->mask_type == CLSM_MASK_BOOL)) {
        memset(data, 0, n * element_bytes); /* little-endian: one byte tells */
        uint64_t state = 3;
        for (size_t e = 0; e < n; e++)
            ((unsigned char *)data)[e * element_bytes] =
                (unsigned char)(is_mask ? 1
                                        : random_next(&state) %
                                              (p->cols < 256 ? p->cols : 256));
    } else if (is_mask) {
        input_fill(INPUT_NORMAL, 2, p->mask_type == CLSM_MASK_F16 ? CLSM_F16 : CLSM_F32,
                   data, 0, 1, n);
    } else if (tensor == CLSM_INDICES || tensor == CLSM_BAD_TARGETS) {
        memset(data, 0, n * element_bytes);
    } else {
        double v = real_of(tensor);
        for (size_t e = 0; e < n; e++)
            clsm_convert(CLSM_F64, &v, element_bytes == 8 ? CLSM_F64 : CLSM_F32,
                         (char *)data + e * element_bytes, 1);
    }
}

/* Copy the first `some` bytes of a buffer on to its end. */
static bool repeat(const struct session *s, cl_mem buffer, size_t some, size_t bytes)
{
    bool good = true;
    for (size_t at = some; good && at < bytes; at += some)
        good = clEnqueueCopyBuffer(s->queue, buffer, buffer, 0, at,
                                   bytes - at < some ? bytes - at : some, 0, NULL,
                                   NULL) == CL_SUCCESS;
    return good && clFinish(s->queue) == CL_SUCCESS;
}

/* Random numbers for the first part of a buffer, which is then copied on: drawing
 * hundreds of millions would take longer than what is measured. */
static bool fill_drawn(const struct session *s, const clsm_problem *p,
                       clsm_operand tensor, cl_mem buffer, size_t elements,
                       size_t element_bytes)
{
    size_t some = elements < DRAWN ? elements : DRAWN;
    void *data = malloc(some * element_bytes);
    bool good = data != NULL;
    if (good) {
        sets_draw(p, tensor, data, some, element_bytes);
        good = clEnqueueWriteBuffer(s->queue, buffer, CL_TRUE, 0, some * element_bytes,
                                    data, 0, NULL, NULL) == CL_SUCCESS;
    }
    free(data);
    return good && repeat(s, buffer, some * element_bytes, elements * element_bytes);
}

cl_mem sets_buffer(const struct session *s, const clsm_problem *p, clsm_operand tensor,
                   size_t elements, size_t element_bytes)
{
    cl_mem buffer = session_buffer(s, elements * element_bytes, NULL);
    if (!buffer || fill_drawn(s, p, tensor, buffer, elements, element_bytes))
        return buffer;
    clReleaseMemObject(buffer);
    return NULL;
}

clsm_args sets_args(const clsm_problem *p)
{
    return (clsm_args){
        .struct_bytes = sizeof(clsm_args),
        .rows = p->rows,
        .cols = p->cols,
        .x_row_stride = p->x_row_stride,
        .y_row_stride = p->y_row_stride,
        .mask_stride = p->mask_stride,
        .causal_offset = p->causal_offset,
        .grad_scale = p->grad_scale,
    };
}

clsm_status sets_bytes(const clsm_problem *p, uint64_t *all, uint64_t *largest)
{
    *all = *largest = 0;
    for (int t = CLSM_X; t < CLSM_OPERAND_COUNT; t++) {
        size_t elements, element_bytes;
        clsm_status status =
            clsm_problem_extent(p, (clsm_operand)t, &elements, &element_bytes);
        if (status != CLSM_OK)
            return status;
        uint64_t bytes = (uint64_t)elements * element_bytes;
        *all += bytes;
        *largest = bytes > *largest ? bytes : *largest;
    }
    return CLSM_OK;
}
