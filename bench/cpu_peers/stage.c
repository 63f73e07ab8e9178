/* SPDX-License-Identifier: MIT */
/* Huge pages with a buffer over each: every candidate works on the same addresses. */
#define _DEFAULT_SOURCE /* madvise */
#include "stage.h"

#include "sets.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    HUGE_PAGE = 2 << 20,
    STEP_BYTES = 4096, /* sets begin on multiples of it: all alike aligned */
    SPARE_BYTES = 64,  /* behind each set: XNNPACK reads a little too far */
    MOST_SETS = 64,
    DRAWN = 1 << 18 /* numbers drawn; the rest is copied from them */
};

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* At least so many bytes in huge pages, where the system has them. */
static void *provide(struct pages *pages, int i, size_t bytes)
{
    if (pages->of[i].bytes >= bytes)
        return pages->of[i].at;
    free(pages->of[i].at);
    bytes = round_up(bytes, HUGE_PAGE);
    void *at = aligned_alloc(HUGE_PAGE, bytes);
#ifdef MADV_HUGEPAGE
    if (at)
        madvise(at, bytes, MADV_HUGEPAGE);
#endif
    pages->of[i].at = at;
    pages->of[i].bytes = at ? bytes : 0;
    return at;
}

void pages_free(struct pages *pages)
{
    for (int i = 0; i < PARTS; i++)
        free(pages->of[i].at);
    *pages = (struct pages){0};
}

/* Extents and steps of all tensors that take part, and of a y to copy x to. */
static clsm_status lay_out(struct stage *stage, const struct form *form)
{
    for (int t = CLSM_X; t < CLSM_OPERAND_COUNT; t++) {
        struct part *part = &stage->of[t - CLSM_X];
        clsm_status status = clsm_problem_extent(&stage->problem, (clsm_operand)t,
                                                 &part->elements, &part->element_bytes);
        if (status != CLSM_OK)
            return status;
        part->offset = t == CLSM_X ? form->x_offset : t == CLSM_Y ? form->y_offset : 0;
        size_t bytes = part->elements * part->element_bytes;
        if (t == CLSM_X)
            stage->x_bytes = bytes;
        else if (t == CLSM_Y && bytes < stage->x_bytes)
            bytes = stage->x_bytes;
        bytes += part->offset * part->element_bytes;
        part->step = bytes ? round_up(bytes + SPARE_BYTES, STEP_BYTES) : 0;
    }
    return CLSM_OK;
}

/* As many sets as leave caches cold, or one; 0 if that is too much. */
static unsigned count_sets(const struct stage *stage, uint64_t cold_bytes)
{
    uint64_t all = 0, largest = 0;
    for (int i = 0; i < PARTS; i++) {
        all += stage->of[i].step;
        largest = stage->of[i].step > largest ? stage->of[i].step : largest;
    }
    uint64_t sets = all ? cold_bytes / all + 1 : 1;
    sets = sets < MOST_SETS ? sets : MOST_SETS;
    while (sets && !session_has_room(stage->session, largest * sets, all * sets))
        sets--;
    return (unsigned)sets;
}

/* Put the form's numbers in the place of those from N(0, 1), row by row. */
static clsm_status shape_input(const struct stage *stage, const struct form *form,
                               void *data)
{
    const clsm_problem *p = &stage->problem;
    double *row = malloc(p->cols * sizeof *row);
    size_t bytes = p->cols * clsm_type_bytes(p->x_type);
    clsm_status status = row ? CLSM_OK : out_of_memory();
    for (size_t r = 0; status == CLSM_OK && r < p->rows; r++) {
        char *x = (char *)data + r * bytes;
        status = clsm_convert(p->x_type, x, CLSM_F64, row, p->cols);
        for (size_t c = 0; c < p->cols; c++)
            row[c] = form->input(row[c], c, p->cols);
        if (status == CLSM_OK)
            status = clsm_convert(CLSM_F64, row, p->x_type, x, p->cols);
    }
    free(row);
    return status;
}

/* The first set is drawn, and the others are copies of it. */
static clsm_status fill(const struct stage *stage, int tensor, const struct form *form)
{
    const struct part *part = &stage->of[tensor - CLSM_X];
    memset(part->at, 0, part->step * stage->sets);
    if (tensor == CLSM_Y)
        return CLSM_OK;
    char *first = stage_at(stage, tensor, 0);
    size_t some = part->elements < DRAWN ? part->elements : DRAWN;
    size_t all = part->elements * part->element_bytes;
    sets_draw(&stage->problem, (clsm_operand)tensor, first, some, part->element_bytes);
    some *= part->element_bytes;
    for (size_t at = some; at < all; at += some)
        memcpy(first + at, first, all - at < some ? all - at : some);
    clsm_status status =
        tensor == CLSM_X && form->input ? shape_input(stage, form, first) : CLSM_OK;
    for (unsigned set = 1; set < stage->sets; set++)
        memcpy(stage_at(stage, tensor, set), first, all);
    return status;
}

static clsm_status make_part(struct stage *stage, struct pages *pages, int tensor,
                             const struct form *form)
{
    struct part *part = &stage->of[tensor - CLSM_X];
    size_t bytes = part->step * stage->sets;
    cl_int error;
    if (!bytes)
        return CLSM_OK;
    part->at = provide(pages, tensor - CLSM_X, bytes);
    clsm_status status = part->at ? fill(stage, tensor, form) : out_of_memory();
    if (status != CLSM_OK)
        return status;
    part->memory =
        clCreateBuffer(stage->session->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                       bytes, part->at, &error);
    return part->memory ? CLSM_OK
                        : failed(CLSM_ERR_OPENCL, "the device refused a buffer");
}

clsm_status stage_make(const struct session *s, struct pages *pages,
                       const clsm_problem *problem, const struct form *form,
                       uint64_t cold_bytes, struct stage *stage, bool *fits)
{
    *stage =
        (struct stage){.session = s, .problem = *problem, .in_place = form->in_place};
    clsm_status status = lay_out(stage, form);
    stage->sets = status == CLSM_OK ? count_sets(stage, cold_bytes) : 0;
    *fits = stage->sets;
    for (int t = CLSM_X; status == CLSM_OK && *fits && t < CLSM_OPERAND_COUNT; t++)
        status = make_part(stage, pages, t, form);
    return status;
}

void stage_free(struct stage *stage)
{
    for (int i = 0; i < PARTS; i++)
        if (stage->of[i].memory)
            clReleaseMemObject(stage->of[i].memory);
    *stage = (struct stage){0};
}

void *stage_at(const struct stage *stage, int tensor, unsigned set)
{
    const struct part *part = &stage->of[tensor - CLSM_X];
    return part->at ? part->at + set * part->step + part->offset * part->element_bytes
                    : NULL;
}

clsm_args stage_args(const struct stage *stage, unsigned set)
{
    clsm_args args = sets_args(&stage->problem);
    for (int t = CLSM_X; t < CLSM_OPERAND_COUNT; t++) {
        const struct part *part = &stage->of[t - CLSM_X];
        size_t offset =
            part->memory ? part->offset + set * part->step / part->element_bytes : 0;
        if (t == CLSM_X) {
            args.x = part->memory;
            args.x_offset = offset;
        } else if (t == CLSM_Y) {
            args.y = part->memory;
            args.y_offset = offset;
        } else {
            args.operand[t] = (clsm_buffer){part->memory, offset};
        }
    }
    if (stage->in_place) {
        args.y = args.x;
        args.y_offset = args.x_offset;
    }
    return args;
}

/* Mapping a buffer over the host's memory brings that up to date. */
clsm_status stage_sync(const struct stage *stage)
{
    cl_command_queue queue = stage->session->queue;
    for (int i = 0; i < PARTS; i++) {
        const struct part *part = &stage->of[i];
        cl_int error;
        if (!part->memory)
            continue;
        void *at = clEnqueueMapBuffer(queue, part->memory, CL_TRUE, CL_MAP_READ, 0,
                                      part->step * stage->sets, 0, NULL, NULL, &error);
        if (!at || clEnqueueUnmapMemObject(queue, part->memory, at, 0, NULL, NULL) !=
                       CL_SUCCESS)
            return failed(CLSM_ERR_OPENCL, "a buffer could not be mapped");
    }
    return clFinish(queue) == CL_SUCCESS ? CLSM_OK
                                         : failed(CLSM_ERR_OPENCL, "clFinish failed");
}
