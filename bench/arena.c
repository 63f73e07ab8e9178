/* SPDX-License-Identifier: MIT */
/* Slabs that grow, and the sets of arguments that point into them. */
#include "arena.h"

#include "measure.h"
#include "sets.h"

#include <stdlib.h>

enum {
    MOST_SETS = 4096,  /* 64 KiB each fill a cache of 256 MiB */
    STEP_BYTES = 4096, /* sets begin on multiples of it: all alike aligned */
    IN_PLACE = 1 << 20
};

/* What one set of a problem takes. */
struct need {
    struct tensor {
        int tensor, content;
        size_t elements, element_bytes; /* elements up to the next set */
        cl_mem memory;
    } tensors[CLSM_OPERAND_COUNT + 2];
    unsigned count;
    uint64_t bytes, largest;
};

/* Two problems may share a tensor's slab where this is the same. What is only written
 * needs no content of its own; targets must be classes. */
static int content_of(const clsm_problem *p, int tensor, bool in_place)
{
    switch (tensor) {
    case CLSM_X: /* its gradient will stand there */
        return (int)p->x_type + (in_place ? IN_PLACE : 0);
    case CLSM_DY:
        return (int)p->dy_type;
    case CLSM_MASK:
        return (int)p->mask_type;
    case CLSM_TARGETS:
        return (int)p->target_type + 2 * (int)(p->cols < 256 ? p->cols : 256);
    default: /* numbers of a row are as wide as what is computed in */
        return p->x_type == CLSM_F64 || p->y_type == CLSM_F64;
    }
}

static clsm_status find_need(const clsm_problem *p, bool in_place, struct need *need)
{
    *need = (struct need){0};
    for (int t = CLSM_X; t < CLSM_OPERAND_COUNT; t++) {
        struct tensor *one = &need->tensors[need->count];
        clsm_status status = clsm_problem_extent(p, (clsm_operand)t, &one->elements,
                                                 &one->element_bytes);
        if (status != CLSM_OK)
            return status;
        if (!one->elements || (t == CLSM_Y && in_place))
            continue;
        size_t step = STEP_BYTES / one->element_bytes;
        one->tensor = t;
        one->content = content_of(p, t, in_place);
        one->elements = (one->elements + step - 1) / step * step;
        uint64_t bytes = (uint64_t)one->elements * one->element_bytes;
        need->bytes += bytes;
        need->largest = bytes > need->largest ? bytes : need->largest;
        need->count++;
    }
    return CLSM_OK;
}

static void drop(struct arena *a)
{
    for (unsigned i = 0; i < a->count; i++)
        clReleaseMemObject(a->slabs[i].memory);
    a->count = 0;
}

static uint64_t held(const struct arena *a)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < a->count; i++)
        bytes += a->slabs[i].bytes;
    return bytes;
}

static struct slab *find(struct arena *a, const struct tensor *t)
{
    for (unsigned i = 0; i < a->count; i++)
        if (a->slabs[i].tensor == t->tensor && a->slabs[i].content == t->content)
            return &a->slabs[i];
    return NULL;
}

/* The tensor's slab, made or made anew where it is too small; false without memory. */
static bool provide(struct arena *a, const clsm_problem *p, struct tensor *t,
                    unsigned sets)
{
    struct slab *slab = find(a, t);
    size_t bytes = t->elements * t->element_bytes * sets;
    if (slab && slab->bytes < bytes) {
        clReleaseMemObject(slab->memory);
        *slab = a->slabs[--a->count];
        slab = NULL;
    }
    if (!slab && a->count < MAX_SLABS) {
        cl_mem memory = sets_buffer(a->session, p, (clsm_operand)t->tensor,
                                    t->elements * sets, t->element_bytes);
        if (!memory)
            return false;
        slab = &a->slabs[a->count++];
        *slab = (struct slab){t->tensor, t->content, bytes, memory};
    }
    t->memory = slab ? slab->memory : NULL;
    return slab;
}

static bool provide_all(struct arena *a, const clsm_problem *p, struct need *need,
                        unsigned sets)
{
    for (unsigned i = 0; i < need->count; i++)
        if (!provide(a, p, &need->tensors[i], sets))
            return false;
    return true;
}

/* As many sets as are wished, or one, with all that is kept or without. */
static unsigned provide_sets(struct arena *a, const clsm_problem *p, struct need *need)
{
    uint64_t wish = a->cold_bytes / need->bytes + 1;
    unsigned sets = wish < MOST_SETS ? (unsigned)wish : MOST_SETS;
    const unsigned tries[] = {sets, sets, 1};
    for (unsigned i = 0; i < sizeof tries / sizeof *tries; i++) {
        if (i || a->count + need->count > MAX_SLABS)
            drop(a);
        if (session_has_room(a->session, need->largest * tries[i],
                             held(a) + need->bytes * tries[i]) &&
            provide_all(a, p, need, tries[i]))
            return tries[i];
    }
    return 0;
}

/* The i-th set: every tensor's i-th part. */
static clsm_args set_at(const clsm_problem *p, const struct need *need, bool in_place,
                        unsigned i)
{
    clsm_args args = sets_args(p);
    for (unsigned k = 0; k < need->count; k++) {
        const struct tensor *t = &need->tensors[k];
        size_t offset = i * t->elements;
        if (t->tensor == CLSM_X) {
            args.x = t->memory;
            args.x_offset = offset;
        } else if (t->tensor == CLSM_Y) {
            args.y = t->memory;
            args.y_offset = offset;
        } else {
            args.operand[t->tensor] = (clsm_buffer){t->memory, offset};
        }
    }
    if (in_place) {
        args.y = args.x;
        args.y_offset = args.x_offset;
    }
    return args;
}

clsm_status arena_sets(struct arena *a, const clsm_problem *problem, bool in_place,
                       bool *fits)
{
    struct need need;
    *fits = false;
    a->set_count = 0;
    clsm_status status = find_need(problem, in_place, &need);
    if (status != CLSM_OK || !need.bytes)
        return status;
    unsigned sets = provide_sets(a, problem, &need);
    if (sets > a->room) {
        clsm_args *more = realloc(a->sets, sets * sizeof *more);
        if (!more)
            return out_of_memory();
        a->sets = more;
        a->room = sets;
    }
    for (unsigned i = 0; i < sets; i++)
        a->sets[i] = set_at(problem, &need, in_place, i);
    a->set_count = sets;
    *fits = sets;
    return CLSM_OK;
}

void arena_free(struct arena *a)
{
    drop(a);
    free(a->sets);
    *a = (struct arena){0};
}
