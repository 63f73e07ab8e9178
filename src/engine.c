/* SPDX-License-Identifier: MIT */
/* Making an engine, and releasing it with its last user. */
#include "engine.h"

#include "program.h"
#include "status.h"

#include <stdlib.h>

static clsm_status check_context(cl_context context, cl_device_id device)
{
    size_t bytes = 0;
    CL(clGetContextInfo, context, CL_CONTEXT_DEVICES, 0, NULL, &bytes);
    cl_device_id *devices = malloc(bytes);
    if (!devices)
        return clsm_fail(CLSM_ERR_MEMORY, "out of memory for a context's devices");
    cl_int error = clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, devices, NULL);
    bool found = false;
    for (size_t i = 0; error == CL_SUCCESS && i < bytes / sizeof *devices; i++)
        found |= devices[i] == device;
    free(devices);
    if (error != CL_SUCCESS)
        return clsm_fail_cl(error, "clGetContextInfo");
    return found ? CLSM_OK
                 : clsm_fail(CLSM_ERR_CONTEXT,
                             "clsm_engine_create: device is not one of the "
                             "context's devices");
}

static clsm_status make_locks(clsm_engine *e)
{
    if (pthread_mutex_init(&e->lock, NULL) != 0)
        return clsm_fail(CLSM_ERR_MEMORY, "no mutex for an engine");
    if (pthread_cond_init(&e->built, NULL) == 0)
        return CLSM_OK;
    pthread_mutex_destroy(&e->lock);
    return clsm_fail(CLSM_ERR_MEMORY, "no condition variable for an engine");
}

static void free_locks(clsm_engine *e)
{
    pthread_cond_destroy(&e->built);
    pthread_mutex_destroy(&e->lock);
}

/* All that can fail, undone if it does. */
static clsm_status open_engine(clsm_engine *e, cl_context context, cl_device_id device)
{
    TRY(clsm_traits_of(device, &e->traits));
    TRY(make_locks(e));
    clsm_status status =
        clsm_shared_open(context, device, e->traits.bits & TRAIT_CPU, &e->shared);
    if (status == CLSM_OK)
        return CLSM_OK;
    free_locks(e);
    return status;
}

clsm_status clsm_engine_create(cl_context context, cl_device_id device,
                               clsm_engine **engine)
{
    NEED(engine);
    *engine = NULL;
    NEED(context);
    NEED(device);
    TRY(check_context(context, device));
    clsm_engine *e = calloc(1, sizeof *e);
    if (!e)
        return clsm_fail(CLSM_ERR_MEMORY, "out of memory for an engine");
    clsm_status status = open_engine(e, context, device);
    if (status != CLSM_OK) {
        free(e);
        return status;
    }
    e->context = context;
    e->device = device;
    e->users = 1;
    clsm_cache_open(&e->cache);
    clsm_probe_lanes(e);
    *engine = e;
    return CLSM_OK;
}

void clsm_engine_retain(clsm_engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    engine->users++;
    pthread_mutex_unlock(&engine->lock);
}

void clsm_engine_destroy(clsm_engine *engine)
{
    if (!engine)
        return;
    pthread_mutex_lock(&engine->lock);
    unsigned left = --engine->users;
    pthread_mutex_unlock(&engine->lock);
    if (left)
        return;
    clsm_programs_free(engine->programs);
    clsm_cache_close(&engine->cache);
    clsm_shared_close(engine->shared);
    free_locks(engine);
    free(engine);
}
