/* SPDX-License-Identifier: MIT */
/* The rig: its OpenCL objects are made once and outlive every job. */
#include "rig.h"

#include "engine.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, COLS = 37, N = ROWS * COLS, QUEUES = 2 };

struct fault_layer *layer;
static clsm_device_info device;
static cl_context context;
static cl_command_queue queues[QUEUES], aside; /* aside: to read and write buffers */
static unsigned queues_used = 1;
static cl_mem x, y, lse;
static clsm_problem problem;
static float input[N];

static struct fault_layer *find_layer(void)
{
    const char *path = getenv("OPENCL_LAYERS");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    return library ? dlsym(library, "fault_layer") : NULL;
}

const char *rig_open(void)
{
    unsigned count = 0;
    cl_int error;
    device.struct_bytes = sizeof device;
    clsm_device_count(&count); /* the first OpenCL call loads the layers */
    if (!count || clsm_device_find(NULL, &device) != CLSM_OK)
        return "no OpenCL device";
    if (!(layer = find_layer()))
        return "the OpenCL loader took no layer from OPENCL_LAYERS";
    for (int i = 0; i < N; i++)
        input[i] = (float)(i * 31 % 64) * 0.25f - 8;
    clsm_problem_init(&problem, CLSM_SOFTMAX, CLSM_F32, ROWS, COLS);
    problem.operands = CLSM_BIT(CLSM_LSE);
    context = clCreateContext(NULL, 1, &device.device, NULL, NULL, &error);
    for (unsigned q = 0; context && q < QUEUES; q++)
        queues[q] = clCreateCommandQueue(context, device.device, 0, &error);
    if (context)
        aside = clCreateCommandQueue(context, device.device, 0, &error);
    if (!queues[0] || !queues[1] || !aside)
        return "no context or queue on the device";
    x = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof input,
                       input, &error);
    y = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof input, NULL, &error);
    lse =
        clCreateBuffer(context, CL_MEM_READ_WRITE, ROWS * sizeof(float), NULL, &error);
    return x && y && lse ? NULL : "no memory on the device";
}

void rig_close(void)
{
    clReleaseMemObject(x);
    clReleaseMemObject(y);
    clReleaseMemObject(lse);
    for (unsigned q = 0; q < QUEUES; q++)
        clReleaseCommandQueue(queues[q]);
    clReleaseCommandQueue(aside);
    clReleaseContext(context);
}

void rig_reset(void)
{
    layer->watching = false;
    layer->calls = layer->bad_releases = 0;
    layer->log = NULL;
    rig_fail(NULL, 0, CL_OUT_OF_RESOURCES);
}

void rig_ask(const char *variant, unsigned n)
{
    problem.variant = variant;
    queues_used = n;
}

void rig_fail(const char *function, unsigned n, cl_int error)
{
    layer->function = function;
    layer->fail_at = n;
    layer->and_after = false;
    layer->error_after = CL_SUCCESS;
    layer->error = error;
    layer->calls = 0;
    layer->failed = NULL;
}

clsm_status rig_engine(clsm_engine **engine)
{
    *engine = (clsm_engine *)layer; /* an error must make it NULL */
    layer->watching = true;
    clsm_status status = clsm_engine_create(context, device.device, engine);
    layer->watching = false;
    return status;
}

clsm_status rig_plan(clsm_engine *engine, clsm_plan **plan)
{
    *plan = (clsm_plan *)layer;
    layer->watching = true;
    clsm_status status = clsm_plan_create(engine, &problem, plan);
    layer->watching = false;
    return status;
}

clsm_status rig_enqueue(clsm_plan *plan, unsigned on_queue, cl_event gate,
                        cl_event *done)
{
    static const float nothing[N];
    *done = (cl_event)layer;
    cl_int error = clEnqueueWriteBuffer(aside, y, CL_TRUE, 0, sizeof nothing, nothing,
                                        0, NULL, NULL);
    EXPECT(error == CL_SUCCESS, "clEnqueueWriteBuffer: %d", error);
    clsm_args args;
    EXPECT(clsm_args_init(plan, &args) == CLSM_OK, "%s", clsm_last_message());
    args.x = x;
    args.y = y;
    args.operand[CLSM_LSE].memory = lse;
    layer->watching = true;
    clsm_status status = clsm_enqueue_args(plan, queues[on_queue], &args, gate != NULL,
                                           gate ? &gate : NULL, done);
    layer->watching = false;
    return status;
}

void rig_destroy(clsm_engine *engine, clsm_plan *plan)
{
    layer->watching = true;
    clsm_engine_destroy(engine); /* the plan keeps what it needs */
    clsm_plan_destroy(plan);
    layer->watching = false;
}

void rig_check(cl_event done)
{
    float output[N], sums[ROWS];
    const clsm_host_args args = {.struct_bytes = sizeof args,
                                 .x = input,
                                 .y = output,
                                 .operand = {[CLSM_LSE] = sums}};
    clsm_report report = {.struct_bytes = sizeof report};
    cl_int error = clWaitForEvents(1, &done);
    clReleaseEvent(done);
    EXPECT(error == CL_SUCCESS, "clWaitForEvents: %d", error);
    error =
        clEnqueueReadBuffer(aside, y, CL_TRUE, 0, sizeof output, output, 0, NULL, NULL);
    EXPECT(error == CL_SUCCESS, "clEnqueueReadBuffer: %d", error);
    error =
        clEnqueueReadBuffer(aside, lse, CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL);
    EXPECT(error == CL_SUCCESS, "clEnqueueReadBuffer: %d", error);
    EXPECT(clsm_check_args(&problem, &args, &report) == CLSM_OK && report.pass,
           "a wrong result after call %u, %s", layer->fail_at, layer->failed);
}

const char *rig_explain(const clsm_plan *plan)
{
    static char text[4096];
    EXPECT(clsm_plan_explain(plan, text, sizeof text, NULL) == CLSM_OK, "%s",
           clsm_last_message());
    return text;
}

/* Nothing is handed out, and the message names the call that failed. */
static void keeps_promises(clsm_status status, const void *output, const char *step)
{
    const char *message = clsm_last_message();
    EXPECT(layer->failed, "%s: %s without a fault", step, message);
    EXPECT(!output, "%s failed, but hands something out", step);
    EXPECT(*clsm_status_name(status) && strstr(message, layer->failed),
           "%s: call %u, %s, failed, but the message is \"%s\"", step, layer->fail_at,
           layer->failed, message);
}

static void holds_nothing(const long before[KIND_COUNT])
{
    static const char *const names[] = {
#define KIND(name) #name,
        KINDS(KIND)
#undef KIND
    };
    for (int k = 0; k < KIND_COUNT; k++)
        EXPECT(layer->references[k] == before[k],
               "call %u, %s, failed: %ld references too many of kind %s",
               layer->fail_at, layer->failed ? layer->failed : "none",
               layer->references[k] - before[k], names[k]);
    EXPECT(!layer->bad_releases, "call %u, %s, failed: %u releases too many",
           layer->fail_at, layer->failed ? layer->failed : "none", layer->bad_releases);
}

unsigned rig_job(void)
{
    long before[KIND_COUNT];
    clsm_engine *engine;
    clsm_plan *plan;
    cl_event gate = clCreateUserEvent(context, NULL), done[2 * QUEUES - 1];
    const unsigned enqueues = 2 * queues_used - 1; /* to the other queue, and back */
    clsm_status status;
    EXPECT(gate, "no user event");
    memcpy(before, layer->references, sizeof before);
#define STEP(call, output)                                                             \
    if ((status = call) != CLSM_OK) {                                                  \
        keeps_promises(status, output, #call);                                         \
        EXPECT(call == CLSM_OK, "%s again: %s", #call, clsm_last_message());           \
    }
    STEP(rig_engine(&engine), engine)
    STEP(rig_plan(engine, &plan), plan)
    engine->shared->turns.with_events = false; /* until the second queue comes */
    for (unsigned i = 0; i < enqueues; i++) {  /* each finds the last one unfinished */
        engine->shared->epoch = UINT32_MAX - ROWS * i; /* must start again */
        STEP(rig_enqueue(plan, i % queues_used, gate, &done[i]), done[i])
    }
    clSetUserEventStatus(gate, CL_COMPLETE);
    for (unsigned i = 0; i < enqueues; i++)
        rig_check(done[i]);
#undef STEP
    EXPECT(*rig_explain(plan), "nothing explained");
    rig_destroy(engine, plan);
    holds_nothing(before);
    clReleaseEvent(gate);
    return layer->calls;
}
