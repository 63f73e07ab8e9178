/* SPDX-License-Identifier: MIT */
/*
 * Checking a device's lanes before they are used. Drivers have been seen to disagree
 * with themselves about subgroup sizes, to leave the functions undeclared and to reduce
 * past the work-group; whatever fails here is not used.
 */
#include "lanes.h"
#include "program.h"

#include <math.h>

enum { WG = 128, GROUPS = 2, ITEMS = WG * GROUPS };

/* What a work-item reports, as cl/probe.cl has it. */
struct report {
    float size, lane, set, sets, max, sum, exp, exp_result, copied, unused[3];
};

/* Do the lanes of one work-group add up? All numbers are small integers or quarters.
 * Those that swap values are neighbours, as the kernels count them. */
static bool group_is_right(const struct report *item, bool swaps)
{
    for (int i = 0; i < WG; i++) {
        if (!(item[i].size >= 1 && item[i].size <= WG))
            return false;
        int size = (int)item[i].size;
        if (swaps && (item[i].lane != i % size || item[i].set != i / size))
            return false;
        float max = -1, sum = 0, members = 0;
        for (int j = 0; j < WG; j++) {
            if (item[j].set != item[i].set)
                continue;
            if (j != i && item[j].lane == item[i].lane)
                return false; /* two lanes of one number */
            float v = (float)(j * 37 % WG);
            max = v > max ? v : max;
            sum += v + 0.25f;
            members++;
        }
        if (item[i].size != members || item[i].lane >= members ||
            item[i].set >= item[i].sets || item[i].sets * members != WG ||
            item[i].max != max || item[i].sum != sum)
            return false;
    }
    return true;
}

/* Is exp within its bound, (3 + 1.3 |d|) 2^-24, and exactly 1 at 0? */
static bool exp_is_right(const struct report *item)
{
    for (int i = 0; i < WG; i++) {
        double d = -0.37f * (float)(i * 37 % WG), want = exp(d);
        double bound = want * (3 + 1.3 * -d) * 0x1p-24;
        bound = d == 0 ? 0 : bound;
        if (!(fabs(item[i].exp - want) <= bound &&
              fabs(item[i].exp_result - want) <= bound))
            return false;
    }
    return true;
}

/* Did a copy bring what stood there? */
static bool copy_is_right(const struct report *item, const struct report *before)
{
    for (int i = 0; i < WG; i++)
        if (item[i].copied != before[i].size)
            return false;
    return true;
}

static bool run(cl_command_queue queue, cl_kernel kernel, cl_mem out,
                struct report *items)
{
    const size_t global = ITEMS, local = WG;
    size_t bytes = ITEMS * sizeof *items;
    return clSetKernelArg(kernel, 0, sizeof out, &out) == CL_SUCCESS &&
           clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL,
                                  NULL) == CL_SUCCESS &&
           clEnqueueReadBuffer(queue, out, CL_TRUE, 0, bytes, items, 0, NULL, NULL) ==
               CL_SUCCESS;
}

static bool lanes_work(clsm_engine *engine)
{
    struct report before[ITEMS] = {{0}}, items[ITEMS] = {{0}};
    for (int i = 0; i < ITEMS; i++)
        before[i].size = (float)(i + 1);
    const bool swaps = engine->traits.bits & TRAIT_SWAP;
    cl_int error;
    cl_program program = NULL;
    if (clsm_program_probe(engine, &program) != CLSM_OK)
        return false;
    cl_kernel kernel = clCreateKernel(program, "clsm_probe", &error);
    cl_command_queue queue =
        clCreateCommandQueue(engine->context, engine->device, 0, &error);
    cl_mem out =
        clCreateBuffer(engine->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                       sizeof before, before, &error);
    bool works = kernel && queue && out && run(queue, kernel, out, items);
    for (int g = 0; works && g < GROUPS; g++)
        works = group_is_right(items + g * WG, swaps) && exp_is_right(items + g * WG) &&
                copy_is_right(items + g * WG, before + g * WG);
    if (out)
        clReleaseMemObject(out);
    if (queue)
        clReleaseCommandQueue(queue);
    if (kernel)
        clReleaseKernel(kernel);
    clReleaseProgram(program);
    return works;
}

void clsm_probe_lanes(clsm_engine *engine)
{
    struct traits *t = &engine->traits;
    if (!(t->bits & TRAIT_LANES))
        return;
    if (t->max_wg >= WG && lanes_work(engine))
        return;
    clsm_lanes_off(t);
    t->bits &= ~(unsigned)TRAIT_PTX;
}
