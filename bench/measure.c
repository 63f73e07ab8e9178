/* SPDX-License-Identifier: MIT */
/* What is timed: enqueues of a plan, and copies, cold and repeated. */
#include "measure.h"
#include "line.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COLD_BYTES_GPU = 512 << 20, COLD_BYTES_CPU = 128 << 20 };

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

double median(double *v, unsigned n)
{
    qsort(v, n, sizeof *v, by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

struct plan_subject {
    clsm_plan *plan;
    const clsm_args *sets;
    unsigned count;
};

static clsm_status queue_plan(const struct session *s, void *self, unsigned i,
                              cl_event *event)
{
    struct plan_subject *p = self;
    return clsm_enqueue_args(p->plan, s->queue, &p->sets[i % p->count], 0, NULL, event);
}

clsm_status measure_plan(const struct session *s, clsm_plan *plan,
                         const clsm_args *sets, unsigned count, unsigned repeats,
                         double *seconds)
{
    struct plan_subject self = {plan, sets, count};
    clsm_plan_info info = {.struct_bytes = sizeof info};
    clsm_status status = clsm_plan_get_info(plan, &info);
    struct subject subject = {queue_plan, &self, info.launches > 1};
    return status == CLSM_OK ? time_median(s, &subject, count, repeats, seconds)
                             : status;
}

uint64_t measure_cold_bytes(const struct session *s)
{
    return s->info.type & CL_DEVICE_TYPE_CPU ? COLD_BYTES_CPU : COLD_BYTES_GPU;
}

/* Of two, since the very first may pay for loading the kernel; on a GPU of short lines,
 * to be compared with those that measure_plan() times. */
clsm_status measure_first(const struct session *s, clsm_plan *plan,
                          const clsm_args *sets, unsigned count, double *seconds)
{
    struct plan_subject self = {plan, sets, count};
    clsm_plan_info info = {.struct_bytes = sizeof info};
    clsm_status status = clsm_plan_get_info(plan, &info);
    struct subject subject = {queue_plan, &self, info.launches > 1};
    bool cpu = s->info.type & CL_DEVICE_TYPE_CPU;
    unsigned n = !cpu ? 3 : subject.several ? 2 : 1;
    double second;
    if (status == CLSM_OK)
        status = time_line(s, &subject, 0, n, seconds);
    if (status == CLSM_OK)
        status = time_line(s, &subject, n, n, &second);
    if (status == CLSM_OK && second < *seconds)
        *seconds = second;
    return status;
}

/* The i-th copy is of the i-th part of x. */
struct copy_subject {
    cl_mem x, y;
    unsigned sets;
    size_t bytes;     /* of one part */
    cl_kernel kernel; /* NULL: clEnqueueCopyBuffer */
    size_t local, global;
};

static clsm_status queue_copy(const struct session *s, void *self, unsigned i,
                              cl_event *event)
{
    struct copy_subject *c = self;
    size_t at = i % c->sets * c->bytes;
    cl_ulong packs = c->bytes / 16, first = at / 16;
    cl_int error;
    if (!c->kernel)
        error =
            clEnqueueCopyBuffer(s->queue, c->x, c->y, at, at, c->bytes, 0, NULL, event);
    else if ((error = clSetKernelArg(c->kernel, 0, sizeof c->x, &c->x)) == CL_SUCCESS &&
             (error = clSetKernelArg(c->kernel, 1, sizeof c->y, &c->y)) == CL_SUCCESS &&
             (error = clSetKernelArg(c->kernel, 2, sizeof first, &first)) ==
                 CL_SUCCESS &&
             (error = clSetKernelArg(c->kernel, 3, sizeof packs, &packs)) == CL_SUCCESS)
        error = clEnqueueNDRangeKernel(s->queue, c->kernel, 1, NULL, &c->global,
                                       &c->local, 0, NULL, event);
    return error == CL_SUCCESS ? CLSM_OK
                               : failed(CLSM_ERR_OPENCL, "the device refused a copy");
}

/* 16 bytes a work-item on a GPU; on a CPU each work-item has a run of its own, and
 * writes it past the caches where the compiler can. */
static const char copy_source[] =
    "__kernel void copy(const __global uint4 *x, __global uint4 *y, ulong first,\n"
    "                   ulong packs)\n"
    "{\n"
    "    x += first;\n"
    "    y += first;\n"
    "    for (size_t i = get_global_id(0); i < packs; i += get_global_size(0))\n"
    "        y[i] = x[i];\n"
    "}\n";

static const char copy_runs_source[] =
    "#define ahead(p)\n"
    "#define store(v, p) (*(p) = (v))\n"
    "#if defined PAST && defined __has_builtin\n"
    "#if __has_builtin(__builtin_nontemporal_store)\n"
    "#undef store\n"
    "#define store(v, p) __builtin_nontemporal_store(v, p)\n"
    "#endif\n"
    "#if __has_builtin(__builtin_prefetch)\n"
    "#undef ahead\n"
    "#define ahead(p) __builtin_prefetch(p, 0, 2)\n"
    "#endif\n"
    "#endif\n"
    "__kernel void copy(const __global uint8 *x, __global uint8 *y, ulong first,\n"
    "                   ulong packs)\n"
    "{\n"
    "    x += first / 2;\n"
    "    y += first / 2;\n"
    "    packs /= 4;\n"
    "    size_t each = packs / get_global_size(0) + 1, i = get_global_id(0) * each;\n"
    "    for (size_t end = min((size_t)packs, i + each); i < end; i++) {\n"
    "        ahead(x + 2 * i + 64);\n"
    "        uint8 a = x[2 * i], b = x[2 * i + 1];\n"
    "        store(a, y + 2 * i);\n"
    "        store(b, y + 2 * i + 1);\n"
    "    }\n"
    "}\n";

/* A kernel that copies, the `way`-th; NULL if there is none or it does not build. */
static cl_kernel copy_kernel(const struct session *s, struct copy_subject *c, int way)
{
    bool cpu = s->info.type & CL_DEVICE_TYPE_CPU;
    if (way >= (cpu ? 2 : 1))
        return NULL;
    c->local = cpu ? 1 : 256;
    c->global = cpu ? s->info.compute_units * 64 : c->bytes / 16 / 256 * 256 + 256;
    return session_kernel(s, cpu ? copy_runs_source : copy_source, "copy",
                          way ? "-w -DPAST" : "-w");
}

/* Memory that was never written may not be there: its reads would be too fast. */
static bool fill(const struct session *s, cl_mem buffer, size_t bytes)
{
    const cl_uint pattern = 0x3f800000;
    return buffer && clEnqueueFillBuffer(s->queue, buffer, &pattern, sizeof pattern, 0,
                                         bytes, 0, NULL, NULL) == CL_SUCCESS;
}

static void free_copy(struct copy_subject *c)
{
    if (c->x)
        clReleaseMemObject(c->x);
    if (c->y)
        clReleaseMemObject(c->y);
}

clsm_status measure_copy(const struct session *s, uint64_t bytes, unsigned sets,
                         double *seconds, const char **how)
{
    struct copy_subject c = {.sets = sets, .bytes = (size_t)(bytes / 2 + 63) / 64 * 64};
    double by_kernel;
    c.x = session_buffer(s, c.sets * c.bytes, NULL);
    c.y = session_buffer(s, c.sets * c.bytes, NULL);
    clsm_status status =
        fill(s, c.x, c.sets * c.bytes) && fill(s, c.y, c.sets * c.bytes)
            ? CLSM_OK
            : failed(CLSM_ERR_OPENCL, "no buffers to copy");
    *how = "clEnqueueCopyBuffer";
    struct subject subject = {queue_copy, &c, false};
    if (status == CLSM_OK)
        status = time_median(s, &subject, c.sets, 50, seconds);
    for (int way = 0; status == CLSM_OK && (c.kernel = copy_kernel(s, &c, way));
         way++) {
        if (time_median(s, &subject, c.sets, 50, &by_kernel) == CLSM_OK &&
            by_kernel < *seconds) {
            *seconds = by_kernel;
            *how = "copy kernel";
        }
        clReleaseKernel(c.kernel);
    }
    free_copy(&c);
    return status;
}
