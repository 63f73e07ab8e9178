/* SPDX-License-Identifier: MIT */
/* Making a plan: check, choose, build the best candidate that builds. */
#include "plan.h"

#include "status.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clsm_status check_types(const struct problem *p, const struct traits *t)
{
    if (clsm_problem_is_f64(p) && !(t->bits & TRAIT_F64))
        return clsm_fail(
            CLSM_ERR_UNSUPPORTED,
            "%s is f64, but the device has no cl_khr_fp64; expected f32, f16 or "
            "bf16",
            p->x.type == CLSM_F64   ? "problem.x_type"
            : p->y.type == CLSM_F64 ? "problem.y_type"
                                    : "problem.dy_type");
    return CLSM_OK;
}

/* The driver may grant a kernel fewer work-items than the device: too many registers.
 */
static clsm_status check_kernel(const clsm_plan *plan, cl_kernel kernel, size_t wg)
{
    size_t granted = 0;
    if (plan->engine->traits.bits & TRAIT_QUIRK_KERNEL_WG)
        return CLSM_OK;
    CL(clGetKernelWorkGroupInfo, kernel, plan->engine->device,
       CL_KERNEL_WORK_GROUP_SIZE, sizeof granted, &granted, NULL);
    if (granted >= wg)
        return CLSM_OK;
    clsm_keep_cl_error(CL_INVALID_WORK_GROUP_SIZE);
    return clsm_fail(CLSM_ERR_BUILD,
                     "the kernel needs %zu work-items, the driver grants %zu", wg,
                     granted);
}

/* The arguments that are the same in every enqueue. */
static clsm_status set_fixed(clsm_plan *plan, const struct config *config,
                             cl_kernel kernel)
{
    struct shared *shared = plan->engine->shared;
    plan->shape_argument = FIRST_OPERAND;
    for (unsigned o = 0; o < CLSM_OPERAND_COUNT; o++)
        plan->shape_argument += clsm_has(&plan->problem, (clsm_operand)o);
    if (clsm_problem_y(&plan->problem) == CLSM_Y_NONE)
        CL(clSetKernelArg, kernel, Y_ARGUMENT, sizeof(cl_mem), NULL);
    if (clsm_variants[config->variant].geometry != ROW_PER_GROUPS)
        return CLSM_OK;
    TRY(clsm_shared_need(shared));
    CL(clSetKernelArg, kernel, plan->shape_argument + 1, sizeof shared->memory,
       &shared->memory);
    return CLSM_OK;
}

static clsm_status build(clsm_plan *plan, const struct config *config)
{
    const struct program *program;
    bool fresh;
    TRY(clsm_program_get(plan->engine, &plan->problem, config, &program, &fresh));
    cl_int error;
    cl_kernel kernel = clCreateKernel(program->program, KERNEL_NAME, &error);
    if (error != CL_SUCCESS)
        return clsm_fail_cl(error, "clCreateKernel");
    clsm_status status = check_kernel(plan, kernel, clsm_config_wg(config));
    if (status == CLSM_OK)
        status = set_fixed(plan, config, kernel);
    if (status != CLSM_OK) {
        clReleaseKernel(kernel);
        return status;
    }
    plan->kernel = kernel;
    plan->build_seconds = fresh ? program->build_seconds : 0;
    plan->from_disk = program->from_disk;
    plan->usage = program->usage;
    return CLSM_OK;
}

/* Build the first candidate that the driver takes; without one, the first one's error.
 */
static clsm_status build_any(clsm_plan *plan)
{
    clsm_status status = CLSM_OK;
    cl_int error = CL_SUCCESS;
    assert(plan->choice.fit); /* or nothing had been chosen */
    for (unsigned i = 0; i < plan->choice.fit; i++) {
        clsm_status one = build(plan, &plan->choice.ranked[i].config);
        if (one == CLSM_OK) {
            plan->chosen = i;
            return CLSM_OK;
        }
        if (one != CLSM_ERR_BUILD && one != CLSM_ERR_OPENCL)
            return one;
        if (!i) {
            status = one;
            error = clsm_last_cl_error();
            snprintf(plan->failure, sizeof plan->failure, "%.4095s",
                     clsm_last_message());
        }
    }
    clsm_keep_cl_error(error);
    return clsm_fail(status, "%s", plan->failure);
}

/* The problem's own wish goes before the environment's. */
static clsm_status choose_wished(clsm_plan *plan, const char *wish)
{
    const char *from = wish ? "" : " (from CLSM_VARIANT)";
    wish = wish ? wish : getenv("CLSM_VARIANT");
    wish = wish && *wish ? wish : NULL;
    clsm_status status =
        clsm_choose(&plan->problem, &plan->engine->traits, wish, &plan->choice);
    if (status != CLSM_ERR_VARIANT)
        return status;
    char message[512];
    snprintf(message, sizeof message, "%.480s%s", clsm_last_message(), from);
    return clsm_fail(status, "%s", message);
}

static clsm_status prepare(clsm_plan *plan, const clsm_problem *problem)
{
    TRY(clsm_problem_complete(problem, &plan->given));
    TRY(clsm_problem_check(&plan->given, &plan->problem));
    TRY(check_types(&plan->problem, &plan->engine->traits));
    TRY(choose_wished(plan, problem->variant));
    plan->given.variant = NULL; /* the caller's string may go */
    struct problem largest = plan->problem;
    if (largest.open_rows)
        largest.rows = 1; /* or more */
    return clsm_problem_is_empty(&largest) ? CLSM_OK : build_any(plan);
}

clsm_status clsm_plan_create(clsm_engine *engine, const clsm_problem *problem,
                             clsm_plan **plan)
{
    NEED(plan);
    *plan = NULL;
    NEED(engine);
    clsm_plan *p = calloc(1, sizeof *p);
    if (!p)
        return clsm_fail(CLSM_ERR_MEMORY, "out of memory for a plan");
    p->engine = engine;
    clsm_status status = pthread_mutex_init(&p->lock, NULL) == 0
                             ? CLSM_OK
                             : clsm_fail(CLSM_ERR_MEMORY, "no mutex for a plan");
    if (status != CLSM_OK) {
        free(p);
        return status;
    }
    status = prepare(p, problem);
    clsm_engine_retain(engine);
    if (status != CLSM_OK)
        clsm_plan_destroy(p);
    else
        *plan = p;
    return status;
}

void clsm_plan_destroy(clsm_plan *plan)
{
    if (!plan)
        return;
    if (plan->kernel)
        clReleaseKernel(plan->kernel);
    pthread_mutex_destroy(&plan->lock);
    clsm_engine_destroy(plan->engine);
    free(plan);
}
