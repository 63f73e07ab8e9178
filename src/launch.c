/* SPDX-License-Identifier: MIT */
/* Setting a kernel's arguments and queueing it, once or several times. */
#include "launch.h"

#include "status.h"

/* Work-groups of one launch: rows beyond are looped over. */
enum {
    CPU_GROUPS_PER_UNIT = 64,
    GPU_SLOW_TIMES = 8,     /* times as many where they start slowly */
    GPU_GROUP_BYTES = 4096, /* that take longer to move than a work-group to start, */
    GPU_SLOW_BYTES = 2048,  /* or that are enough where it starts slowly */
    GPU_MOST_GROUPS = 1 << 21
};

/* Does each work-group compute for long what all its rows have in common? */
static bool starts_slowly(const struct problem *p)
{
    return clsm_problem_is_loss_gradient(p);
}

/* As many as a GPU runs at once, or as many more as move enough each. What starts
 * slowly goes on to other rows sooner. */
static size_t most_on_gpu(const clsm_plan *plan, const struct config *config,
                          const struct problem *p)
{
    bool slow = starts_slowly(p);
    size_t at_once =
        plan->engine->traits.compute_units * UNIT_ITEMS / clsm_config_wg(config);
    uint64_t limit = slow ? at_once * GPU_SLOW_TIMES : GPU_MOST_GROUPS;
    uint64_t paid = clsm_problem_bytes(p) / (slow ? GPU_SLOW_BYTES : GPU_GROUP_BYTES);
    paid = paid < limit ? paid : limit;
    return paid > at_once ? (size_t)paid : at_once;
}

/* On a GPU one turn, which goes through memory from one end to the other, unless
 * work-groups are too small for that or start slowly. */
static size_t groups_of(const clsm_plan *plan, const struct config *config,
                        const struct problem *p)
{
    const struct traits *t = &plan->engine->traits;
    size_t rows = p->rows * p->inner;
    if (clsm_variants[config->variant].pipelined) /* parts of rows do not come here */
        return clsm_config_runs(config, rows, t);
    size_t per_group = clsm_config_rows_per_group(config, &plan->problem, t);
    size_t needed = rows / per_group + (rows % per_group != 0);
    size_t most = t->bits & TRAIT_CPU ? t->compute_units * CPU_GROUPS_PER_UNIT
                                      : most_on_gpu(plan, config, p);
    return needed < most ? needed : most;
}

/* A number as its kernel reads it: the bits of a double or of a float. */
static cl_ulong bits_of(const struct problem *p, double v)
{
    union {
        double v;
        cl_ulong bits;
    } f64 = {v};
    union {
        float v;
        cl_uint bits;
    } f32 = {(float)v};
    return clsm_problem_is_f64(p) ? f64.bits : f32.bits;
}

static struct place place_of(const struct layout *l, size_t offset)
{
    return (struct place){offset, l->matrix_stride, l->row_stride, l->col_stride};
}

struct shape clsm_launch_shape(const struct problem *p, const clsm_args *args)
{
    return (struct shape){.rows = p->rows * p->inner,
                          .cols = p->cols,
                          .inner = p->inner,
                          .queries = p->queries,
                          .heads = p->heads,
                          .x = place_of(&p->x, args->x_offset),
                          .y = place_of(&p->y, args->y_offset),
                          .dy = place_of(&p->dy, args->operand[CLSM_DY].offset),
                          .mask_batch = p->mask_stride.batch,
                          .mask_head = p->mask_stride.head,
                          .mask_row = p->mask_stride.row,
                          .mask_col = p->mask_stride.col,
                          .mask_inner = p->mask_stride.inner,
                          .position = (cl_ulong)(cl_long)p->causal_offset,
                          .window = p->window,
                          .ignore = (cl_ulong)p->ignore_index,
                          .scale = bits_of(p, p->scale),
                          .softcap = bits_of(p, p->softcap),
                          .smoothing = bits_of(p, p->label_smoothing),
                          .z_loss = bits_of(p, p->z_loss),
                          .grad_scale = bits_of(p, p->grad_scale),
#define ROW(NAME, name) .at_##name = args->operand[CLSM_##NAME].offset,
                          CLSM_OPERANDS(ROW)
#undef ROW
    };
}

static clsm_status set_tensors(const clsm_plan *plan, const clsm_args *args,
                               const struct problem *p)
{
    cl_uint next = FIRST_OPERAND;
    CL(clSetKernelArg, plan->kernel, X_ARGUMENT, sizeof args->x, &args->x);
    if (clsm_problem_y(p) != CLSM_Y_NONE)
        CL(clSetKernelArg, plan->kernel, Y_ARGUMENT, sizeof args->y, &args->y);
    for (unsigned o = 0; o < CLSM_OPERAND_COUNT; o++)
        if (clsm_has(p, (clsm_operand)o))
            CL(clSetKernelArg, plan->kernel, next++, sizeof(cl_mem),
               &args->operand[o].memory);
    return CLSM_OK;
}

/* What happens to one enqueue: a launch, or several. */
struct launch {
    clsm_plan *plan;
    cl_command_queue queue;
    const struct config *config;
    struct shape shape;
    cl_uint n_wait; /* events to wait for, until the first launch */
    const cl_event *wait;
};

static clsm_status launch_groups(struct launch *l, size_t groups, cl_event *done)
{
    size_t local = clsm_config_wg(l->config), global = local * groups;
    CL(clSetKernelArg, l->plan->kernel, l->plan->shape_argument, sizeof l->shape,
       &l->shape);
    CL(clEnqueueNDRangeKernel, l->queue, l->plan->kernel, 1, NULL, &global, &local,
       l->n_wait, l->wait, done);
    l->n_wait = 0;
    l->wait = NULL;
    return CLSM_OK;
}

/* Work-groups of some rows that wait for one another. They loop over their parts: more
 * than there is room for would start when the others end, and find nothing to do. */
static size_t waiting_groups(const struct launch *l, size_t tiles)
{
    const struct traits *t = &l->plan->engine->traits;
    size_t parts = l->shape.parts, groups = tiles * parts;
    size_t most =
        t->compute_units * clsm_config_resident(l->config, &l->plan->problem, t);
    groups = groups < most ? groups : most;
    if (clsm_variants[l->config->variant].settled) /* as many for each part */
        groups -= groups % parts;
    return groups;
}

/* One launch for some rows. */
static clsm_status launch_stage(struct launch *l, size_t rows, unsigned stage,
                                size_t pieces, cl_event *done)
{
    const struct traits *t = &l->plan->engine->traits;
    size_t per_group = clsm_config_rows_per_group(l->config, &l->plan->problem, t);
    size_t tiles = (rows + per_group - 1) / per_group;
    l->shape.stage = stage;
    l->shape.groups = clsm_stage_groups(stage, l->shape.parts, pieces);
    return launch_groups(l,
                         clsm_variants[l->config->variant].launches
                             ? tiles * l->shape.groups
                             : waiting_groups(l, tiles),
                         done);
}

/* Some rows that work-groups share, in one launch or several. */
static clsm_status launch_shared_rows(struct launch *l, size_t rows, size_t pieces,
                                      cl_event *done)
{
    struct shared *shared = l->plan->engine->shared;
    struct turns *turns = &shared->turns;
    unsigned stages = clsm_config_stages(l->config, &l->plan->problem), launched = 0;
    TRY(clsm_turns_wait(turns, l->queue));
    TRY(clsm_shared_epoch(shared, l->queue, rows, &l->shape.epoch));
    l->shape.launch_rows = rows;
    for (unsigned stage = 0; stages; stage++, stages >>= 1) {
        if (!(stages & 1))
            continue;
        if (launched++)
            TRY(clsm_turns_wait(turns, l->queue));
        cl_event *wish = stages == 1 ? done : NULL, event = NULL;
        TRY(launch_stage(l, rows, stage, pieces,
                         wish || turns->with_events ? &event : NULL));
        clsm_turns_took(turns, event);
        if (wish) {
            CL(clRetainEvent, event);
            *wish = event;
        }
    }
    return CLSM_OK;
}

/* As many rows at once as the shared memory has records for. */
static clsm_status launch_shared(struct launch *l, const struct problem *p,
                                 cl_event *done)
{
    const struct variant *v = &clsm_variants[l->config->variant];
    struct shared *shared = l->plan->engine->shared;
    const struct problem *sized = v->packs || v->ahead ? &l->plan->problem : p;
    size_t rows = l->shape.rows, most, pieces;
    clsm_status status = CLSM_OK;
    l->shape.parts = clsm_config_parts(l->config, sized, &l->plan->engine->traits);
    pieces = clsm_config_pieces(l->config, sized, &l->plan->engine->traits);
    most = clsm_config_launch_rows(l->config, sized, &l->plan->engine->traits,
                                   shared->records);
    pthread_mutex_lock(&shared->lock);
    for (size_t r = 0; r < rows && status == CLSM_OK; r += most) {
        bool last = rows - r <= most;
        l->shape.first_row = r;
        status =
            launch_shared_rows(l, last ? rows - r : most, pieces, last ? done : NULL);
    }
    pthread_mutex_unlock(&shared->lock);
    return status;
}

clsm_status clsm_launch(clsm_plan *plan, cl_command_queue queue, const clsm_args *args,
                        const struct problem *p, cl_uint n_wait, const cl_event *wait,
                        cl_event *done)
{
    const struct config *config = &plan->choice.ranked[plan->chosen].config;
    struct launch l = {plan, queue, config, clsm_launch_shape(p, args), n_wait, wait};
    pthread_mutex_lock(&plan->lock);
    clsm_status status = set_tensors(plan, args, p);
    if (status == CLSM_OK)
        status = clsm_variants[config->variant].geometry == ROW_PER_GROUPS
                     ? launch_shared(&l, p, done)
                     : launch_groups(&l, groups_of(plan, config, p), done);
    pthread_mutex_unlock(&plan->lock);
    return status;
}
