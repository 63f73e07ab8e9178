/* SPDX-License-Identifier: MIT */
/* Checking the buffers of one enqueue. */
#include "buffers.h"

#include "status.h"

/* One tensor of a call: what it needs, and its place in memory, in bytes of the buffer
 * that it is or is part of. */
struct span {
    const char *name;
    clsm_buffer buffer;
    bool read, written;
    const struct layout *layout;  /* NULL: not of x's shape */
    size_t extent, element_bytes; /* extent: elements */
    cl_mem memory;
    size_t first, end;
};

enum { MAX_SPANS = CLSM_OPERAND_COUNT + FIRST_OPERAND };

static clsm_status ask(cl_mem buffer, cl_mem_info what, size_t bytes, void *value)
{
    cl_int error = clGetMemObjectInfo(buffer, what, bytes, value, NULL);
    return error == CL_SUCCESS ? CLSM_OK : clsm_fail_cl(error, "clGetMemObjectInfo");
}

/* A buffer of our context, with access allowed? */
static clsm_status check_kind(const clsm_plan *plan, const struct span *s)
{
    const cl_mem buffer = s->buffer.memory;
    cl_mem_object_type kind;
    cl_context context;
    cl_mem_flags flags;
    if (!buffer)
        return clsm_fail(CLSM_ERR_NULL, "buffer %s is NULL", s->name);
    TRY(ask(buffer, CL_MEM_TYPE, sizeof kind, &kind));
    if (kind != CL_MEM_OBJECT_BUFFER)
        return clsm_fail(CLSM_ERR_BUFFER,
                         "%s is a memory object of type 0x%x, not a buffer", s->name,
                         (unsigned)kind);
    TRY(ask(buffer, CL_MEM_CONTEXT, sizeof context, &context));
    if (context != plan->engine->context)
        return clsm_fail(CLSM_ERR_CONTEXT,
                         "buffer %s is of context %p, expected the plan's %p", s->name,
                         (void *)context, (void *)plan->engine->context);
    TRY(ask(buffer, CL_MEM_FLAGS, sizeof flags, &flags));
    if (s->written && flags & CL_MEM_READ_ONLY)
        return clsm_fail(CLSM_ERR_ACCESS,
                         "buffer %s was created CL_MEM_READ_ONLY, but it is written",
                         s->name);
    if (s->read && flags & CL_MEM_WRITE_ONLY)
        return clsm_fail(CLSM_ERR_ACCESS,
                         "buffer %s was created CL_MEM_WRITE_ONLY, but it is read",
                         s->name);
    return CLSM_OK;
}

/* Does it hold the tensor? Fills in where that stands. */
static clsm_status check_extent(struct span *s)
{
    cl_mem parent;
    size_t bytes, start, element = s->element_bytes;
    const clsm_buffer *buffer = &s->buffer;
    TRY(ask(buffer->memory, CL_MEM_SIZE, sizeof bytes, &bytes));
    if (s->extent > SIZE_MAX / element ||
        buffer->offset > SIZE_MAX / element - s->extent ||
        (buffer->offset + s->extent) * element > bytes)
        return clsm_fail(
            CLSM_ERR_BUFFER,
            "buffer %s has %zu bytes, expected at least (%s_offset %zu + extent "
            "%zu) x %zu bytes",
            s->name, bytes, s->name, buffer->offset, s->extent, element);
    TRY(ask(buffer->memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent));
    TRY(ask(buffer->memory, CL_MEM_OFFSET, sizeof start, &start));
    start = parent ? start : 0;
    s->memory = parent ? parent : buffer->memory;
    s->first = start + buffer->offset * element;
    s->end = s->first + s->extent * element;
    return CLSM_OK;
}

/* The same elements in the same order, so that each is read by who writes it. Not where
 * a list of the largest is written, which is looked for again when it has run out. */
static bool are_same(const struct problem *p, const struct span *a,
                     const struct span *b)
{
    return clsm_problem_y(p) != CLSM_Y_K && a->layout && b->layout &&
           a->first == b->first && a->layout->cols == b->layout->cols &&
           clsm_type_bytes(a->layout->type) == clsm_type_bytes(b->layout->type) &&
           a->layout->col_stride == b->layout->col_stride &&
           (a->layout->row_stride == b->layout->row_stride || p->rows == 1) &&
           (a->layout->matrix_stride == b->layout->matrix_stride ||
            p->rows <= p->queries);
}

static clsm_status check_overlap(const struct problem *p, const struct span *a,
                                 const struct span *b)
{
    bool apart = a->memory != b->memory || a->end <= b->first || b->end <= a->first ||
                 a->first == a->end || b->first == b->end; /* one has no elements */
    if (apart || (!a->written && !b->written) || are_same(p, a, b))
        return CLSM_OK;
    return clsm_fail(CLSM_ERR_OVERLAP,
                     "%s at bytes %zu to %zu and %s at bytes %zu to %zu of one buffer "
                     "overlap; expected %snone in common",
                     a->name, a->first, a->end, b->name, b->first, b->end,
                     clsm_problem_y(p) == CLSM_Y_K || !a->layout || !b->layout
                         ? ""
                         : "the same elements or ");
}

static struct span tensor_span(const char *name, cl_mem memory, size_t offset,
                               bool written, const struct layout *l,
                               const struct problem *p)
{
    return (struct span){.name = name,
                         .buffer = {memory, offset},
                         .read = !written,
                         .written = written,
                         .layout = l,
                         .extent = clsm_layout_extent(l, p),
                         .element_bytes = clsm_type_bytes(l->type)};
}

static struct span operand_span(const clsm_args *args, clsm_operand operand,
                                const struct problem *p)
{
    return (struct span){.name = clsm_operand_name(operand),
                         .buffer = args->operand[operand],
                         .read = !clsm_operand_is_written(operand) ||
                                 operand == CLSM_BAD_TARGETS,
                         .written = clsm_operand_is_written(operand),
                         .layout = operand == CLSM_DY ? &p->dy : NULL,
                         .extent = clsm_operand_extent(operand, p),
                         .element_bytes = clsm_operand_bytes(operand, p)};
}

/* x and y, then the operands that take part. */
static unsigned list_spans(const clsm_args *args, const struct problem *p,
                           struct span *spans)
{
    unsigned n = 0;
    spans[n++] = tensor_span("x", args->x, args->x_offset, false, &p->x, p);
    if (clsm_problem_y(p) != CLSM_Y_NONE)
        spans[n++] = tensor_span("y", args->y, args->y_offset, true, &p->y, p);
    for (unsigned o = 0; o < CLSM_OPERAND_COUNT; o++)
        if (clsm_has(p, (clsm_operand)o))
            spans[n++] = operand_span(args, (clsm_operand)o, p);
    return n;
}

/* A buffer for an operand that the plan does not have was meant to be used. */
static clsm_status check_others(const clsm_args *args, const struct problem *p)
{
    for (unsigned o = 0; o < CLSM_OPERAND_COUNT; o++)
        if (args->operand[o].memory && !clsm_has(p, (clsm_operand)o))
            return clsm_fail(
                CLSM_ERR_VALUE,
                "args.operand: %s is %p, expected NULL: the plan's problem "
                "has no such operand",
                clsm_operand_name((clsm_operand)o), (void *)args->operand[o].memory);
    return CLSM_OK;
}

clsm_status clsm_buffers_check(const clsm_plan *plan, const clsm_args *args,
                               const struct problem *p)
{
    struct span spans[MAX_SPANS];
    TRY(check_others(args, p));
    unsigned n = list_spans(args, p, spans);
    for (unsigned i = 0; i < n; i++) {
        if (!spans[i].extent && !spans[i].buffer.memory)
            continue; /* a tensor without elements may have no buffer */
        TRY(check_kind(plan, &spans[i]));
        TRY(check_extent(&spans[i]));
        for (unsigned j = 0; j < i; j++)
            TRY(check_overlap(p, &spans[j], &spans[i]));
    }
    return CLSM_OK;
}
