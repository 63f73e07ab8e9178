/* SPDX-License-Identifier: MIT */
/* oneDNN 2, f32 and the 16-bit types that it has kernels for here, allowed to compute
 * in whatever is fastest. Its threads are OpenMP's. */
#include "peer.h"

#include <oneapi/dnnl/dnnl.h>

#include <stdio.h>
#include <stdlib.h>

static dnnl_engine_t engine;
static dnnl_stream_t stream;

enum { X, Y, TENSORS };

struct call {
    dnnl_primitive_t primitive;
    dnnl_memory_t memory[TENSORS];
};

static const char *version(void)
{
    static char text[64];
    const dnnl_version_t *v = dnnl_version();
    snprintf(text, sizeof text, "%d.%d.%d", v->major, v->minor, v->patch);
    return text;
}

static bool describe(clsm_type type, size_t rows, size_t cols,
                     dnnl_softmax_v2_desc_t *softmax, dnnl_memory_desc_t *tensor)
{
    static const dnnl_data_type_t types[] = {
        [CLSM_F32] = dnnl_f32, [CLSM_F16] = dnnl_f16, [CLSM_BF16] = dnnl_bf16};
    const dnnl_dims_t sizes = {(dnnl_dim_t)rows, (dnnl_dim_t)cols};
    return type < sizeof types / sizeof *types &&
           dnnl_memory_desc_init_by_tag(tensor, 2, sizes, types[type], dnnl_ab) ==
               dnnl_success &&
           dnnl_softmax_v2_forward_desc_init(softmax, dnnl_forward_inference,
                                             dnnl_softmax_accurate, tensor, tensor,
                                             1) == dnnl_success;
}

static dnnl_primitive_t build(const dnnl_softmax_v2_desc_t *softmax)
{
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t desc = NULL;
    dnnl_primitive_t primitive = NULL;
    if (dnnl_primitive_attr_create(&attr) == dnnl_success &&
        dnnl_primitive_attr_set_fpmath_mode(attr, dnnl_fpmath_mode_any) ==
            dnnl_success &&
        dnnl_primitive_desc_create(&desc, softmax, attr, engine, NULL) == dnnl_success)
        dnnl_primitive_create(&primitive, desc);
    if (desc)
        dnnl_primitive_desc_destroy(desc);
    if (attr)
        dnnl_primitive_attr_destroy(attr);
    return primitive;
}

static void drop(void *call)
{
    struct call *c = call;
    if (!c)
        return;
    for (int t = 0; t < TENSORS; t++)
        if (c->memory[t])
            dnnl_memory_destroy(c->memory[t]);
    if (c->primitive)
        dnnl_primitive_destroy(c->primitive);
    free(c);
}

static void *make(clsm_type type, size_t rows, size_t cols)
{
    dnnl_softmax_v2_desc_t softmax;
    dnnl_memory_desc_t tensor;
    struct call *c = calloc(1, sizeof *c);
    bool good = c && describe(type, rows, cols, &softmax, &tensor) &&
                (c->primitive = build(&softmax));
    for (int t = 0; good && t < TENSORS; t++)
        good = dnnl_memory_create(&c->memory[t], &tensor, engine, DNNL_MEMORY_NONE) ==
               dnnl_success;
    if (good)
        return c;
    drop(c);
    return NULL;
}

static bool run(void *call, const void *x, void *y)
{
    struct call *c = call;
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, c->memory[X]},
                                    {DNNL_ARG_DST, c->memory[Y]}};
    return dnnl_memory_set_data_handle(c->memory[X], (void *)x) == dnnl_success &&
           dnnl_memory_set_data_handle(c->memory[Y], y) == dnnl_success &&
           dnnl_primitive_execute(c->primitive, stream, 2, args) == dnnl_success &&
           dnnl_stream_wait(stream) == dnnl_success;
}

/* Run something at once: what comes first in a process decides how fast it is. */
static bool run_first(void)
{
    enum { ROWS = 256, COLS = 1024 };
    float *x = calloc((size_t)2 * ROWS * COLS, sizeof *x);
    void *call = make(CLSM_F32, ROWS, COLS);
    bool good = x && call && run(call, x, x + ROWS * COLS);
    drop(call);
    free(x);
    return good;
}

static bool start(unsigned threads)
{
    (void)threads; /* OpenMP's: as many as there are, or OMP_NUM_THREADS */
    return dnnl_engine_create(&engine, dnnl_cpu, 0) == dnnl_success &&
           dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) ==
               dnnl_success &&
           run_first();
}

static void stop(void)
{
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
}

const struct peer peer_onednn = {
    .name = "oneDNN",
    .role = ROLE_PEER,
    .version = version,
    .open = start,
    .close = stop,
    .make = make,
    .run = run,
    .drop = drop,
};
