/* SPDX-License-Identifier: MIT */
/* XNNPACK, f32, with a thread pool of its own. */
#include "peer.h"

#include <xnnpack.h>

#include <stdlib.h>

static pthreadpool_t pool;

struct call {
    xnn_operator_t op;
    size_t rows;
};

static bool start(unsigned threads)
{
    pool = pthreadpool_create(threads);
    return pool && xnn_initialize(NULL) == xnn_status_success;
}

static void stop(void)
{
    pthreadpool_destroy(pool);
    xnn_deinitialize();
}

static void drop(void *call)
{
    struct call *c = call;
    if (c)
        xnn_delete_operator(c->op);
    free(c);
}

static void *make(clsm_type type, size_t rows, size_t cols)
{
    struct call *c = type == CLSM_F32 ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return NULL;
    c->rows = rows;
    if (xnn_create_softmax_nc_f32(cols, cols, cols, 0, &c->op) == xnn_status_success)
        return c;
    free(c);
    return NULL;
}

static bool run(void *call, const void *x, void *y)
{
    struct call *c = call;
    return xnn_setup_softmax_nc_f32(c->op, c->rows, x, y, pool) == xnn_status_success &&
           xnn_run_operator(c->op, pool) == xnn_status_success;
}

static void nothing(void *context, size_t i)
{
    (void)context, (void)i;
}

/* The pool's threads would spin on for tens of milliseconds. */
static void rest(void)
{
    pthreadpool_parallelize_1d(pool, nothing, NULL, pthreadpool_get_threads_count(pool),
                               PTHREADPOOL_FLAG_YIELD_WORKERS);
}

const struct peer peer_xnnpack = {
    .name = "XNNPACK",
    .role = ROLE_PEER,
    .open = start,
    .close = stop,
    .make = make,
    .run = run,
    .rest = rest,
    .drop = drop,
};
