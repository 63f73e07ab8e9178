/* SPDX-License-Identifier: MIT */
/*
 * The only builder. The key on disk is everything that makes the binary what it is: the
 * device's identity, the library's version, the options and the whole source.
 */
#include "build.h"

#include "status.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_ullong programs, builds, disk_hits, disk_misses;

clsm_status clsm_get_counters(clsm_counters *counters)
{
    NEED_STRUCT(counters, "set it to sizeof(clsm_counters)");
    counters->programs = programs;
    counters->builds = builds;
    counters->disk_hits = disk_hits;
    counters->disk_misses = disk_misses;
    return CLSM_OK;
}

/* The disk cache's key: identity, version, options and the whole source. */
static char *disk_key(const clsm_engine *engine, const struct build *b, size_t *bytes)
{
    char head[sizeof engine->traits.identity + OPTIONS_BYTES + 32];
    int n = snprintf(head, sizeof head, "clsoftmax %s\n%s\n%s\n", CLSM_VERSION,
                     engine->traits.identity, b->options);
    *bytes = (size_t)n;
    for (unsigned i = 0; i < b->parts; i++)
        *bytes += b->part[i]->count;
    char *key = malloc(*bytes), *at = key;
    if (!key)
        return NULL;
    memcpy(at, head, (size_t)n);
    at += n;
    for (unsigned i = 0; i < b->parts; at += b->part[i++]->count)
        memcpy(at, b->part[i]->bytes, b->part[i]->count);
    return key;
}

/* The log of the last build, to free(); NULL where there is none. */
static char *log_of(const clsm_engine *engine, cl_program program)
{
    size_t needed = 0;
    if (clGetProgramBuildInfo(program, engine->device, CL_PROGRAM_BUILD_LOG, 0, NULL,
                              &needed) != CL_SUCCESS ||
        !needed)
        return NULL;
    char *log = calloc(1, needed + 1);
    if (log)
        clGetProgramBuildInfo(program, engine->device, CL_PROGRAM_BUILD_LOG, needed,
                              log, NULL);
    return log;
}

/* Build, and see that the kernel is there. */
static clsm_status compile(const clsm_engine *engine, cl_program program,
                           const struct build *b)
{
    cl_int error = clBuildProgram(program, 1, &engine->device, b->options, NULL, NULL);
    if (error == CL_SUCCESS) {
        cl_kernel kernel = clCreateKernel(program, b->kernel, &error);
        if (error != CL_SUCCESS)
            return clsm_fail_cl(error, "clCreateKernel");
        clReleaseKernel(kernel);
        return CLSM_OK;
    }
    if (error == CL_OUT_OF_HOST_MEMORY)
        return clsm_fail_cl(error, "clBuildProgram");
    char *log = log_of(engine, program);
    clsm_keep_cl_error(error);
    clsm_fail(CLSM_ERR_BUILD,
              "clBuildProgram failed: %s (%d)\n%.8191s\nwith options %s",
              clsm_cl_error_name(error), error, log ? log : "", b->options);
    free(log);
    return CLSM_ERR_BUILD;
}

static clsm_status from_source(const clsm_engine *engine, const struct build *b,
                               cl_program *program)
{
    const char *text[MAX_PARTS];
    size_t bytes[MAX_PARTS];
    for (unsigned i = 0; i < b->parts; i++) {
        text[i] = (const char *)b->part[i]->bytes;
        bytes[i] = b->part[i]->count;
    }
    cl_int error;
    *program =
        clCreateProgramWithSource(engine->context, b->parts, text, bytes, &error);
    if (error != CL_SUCCESS)
        return clsm_fail_cl(error, "clCreateProgramWithSource");
    clsm_status status = compile(engine, *program, b);
    if (status != CLSM_OK)
        clReleaseProgram(*program);
    else
        builds++;
    return status;
}

/* False if the entry is missing or the driver does not take it. */
static bool from_disk(const clsm_engine *engine, const struct build *b, const char *key,
                      size_t key_bytes, cl_program *program)
{
    size_t bytes;
    unsigned char *binary = clsm_cache_load(&engine->cache, key, key_bytes, &bytes);
    cl_int error = CL_INVALID_BINARY, status;
    if (binary)
        *program =
            clCreateProgramWithBinary(engine->context, 1, &engine->device, &bytes,
                                      (const unsigned char **)&binary, &status, &error);
    free(binary);
    bool good = error == CL_SUCCESS && compile(engine, *program, b) == CLSM_OK;
    if (error == CL_SUCCESS && !good)
        clReleaseProgram(*program);
    atomic_fetch_add(good ? &disk_hits : &disk_misses, 1);
    return good;
}

static void to_disk(const clsm_engine *engine, const char *key, size_t key_bytes,
                    cl_program program)
{
    cl_uint devices = 0;
    size_t bytes = 0;
    unsigned char *binary = NULL;
    /* A context of several devices has a binary for each; ours was built for one. */
    if (clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices,
                         NULL) != CL_SUCCESS ||
        devices != 1 ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes,
                         NULL) != CL_SUCCESS ||
        !bytes || !(binary = malloc(bytes)))
        return;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) ==
        CL_SUCCESS)
        clsm_cache_store(&engine->cache, key, key_bytes, binary, bytes);
    free(binary);
}

/* Asked only where the log is known to tell. */
static struct usage usage_of(const clsm_engine *engine, cl_program program)
{
    bool tells = engine->traits.bits & TRAIT_NV_OPTIONS;
    char *log = tells ? log_of(engine, program) : NULL;
    struct usage usage = clsm_usage_of(log);
    free(log);
    return usage;
}

clsm_status clsm_build_program(const clsm_engine *engine, const struct build *b,
                               cl_program *program, bool *was_on_disk,
                               struct usage *usage)
{
    size_t key_bytes;
    *usage = (struct usage){0};
    char *key = engine->cache.folder >= 0 ? disk_key(engine, b, &key_bytes) : NULL;
    *was_on_disk = key && from_disk(engine, b, key, key_bytes, program);
    clsm_status status = CLSM_OK;
    if (!*was_on_disk) {
        status = from_source(engine, b, program);
        if (status == CLSM_OK)
            *usage = usage_of(engine, *program);
        if (status == CLSM_OK && key)
            to_disk(engine, key, key_bytes, *program);
    }
    free(key);
    programs += status == CLSM_OK;
    return status;
}
