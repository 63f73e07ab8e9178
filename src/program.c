/* SPDX-License-Identifier: MIT */
/*
 * The only builder. A program is four pieces of source (prelude, operation, passes,
 * mapping) with options that say everything it is specialised on, so options and names
 * are its key in memory, and with the source and the device's identity its key on disk.
 */
#include "program.h"

#include "status.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct source {
    const unsigned char *bytes;
    size_t count;
};
#include "kernel_sources.inc"

static const struct source *const op_sources[] = {
#define ROW(NAME, name) &source_op_##name,
    CLSM_OPERATIONS(ROW)
#undef ROW
};

static const struct source *const variant_sources[] = {
#define VARIANT(name, ...) &source_##name,
#include "variants.def"
#undef VARIANT
};

enum { MAX_PARTS = 4, OPTIONS_BYTES = 512 };

struct build {
    const char *kernel;
    unsigned parts;
    const struct source *part[MAX_PARTS];
    char options[OPTIONS_BYTES];
};

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

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Everything that a program is specialised on. The names stand in it too, as defines
 * that no kernel reads, so that the options alone are the key. */
static void describe(const struct problem *p, const struct config *config,
                     const struct traits *t, struct build *b)
{
    const struct variant *v = &variants[config->variant];
    bool f64 = problem_is_f64(p), lanes = t->bits & TRAIT_LANES;
    unsigned vec = config_value(config, "VEC", 0);
    char *at = b->options, *end = b->options + OPTIONS_BYTES;
#define PUT(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
    PUT("-w -cl-std=%s -DX=%s -DY=%s -DREAL_IS_F64=%d -DLIMIT=%d -DSTRIDED=%d "
        "-DOP_%s=1 "
        "-DMAPPING_%s=1",
        lanes && !vec ? t->lanes_std : "CL1.2", clsm_type_name(p->x.type),
        clsm_type_name(p->y.type), f64, p->nonfinite == CLSM_NONFINITE_LIMIT,
        p->strided, clsm_op_name(p->op), v->name);
    for (unsigned k = 0; k < MAX_PARAMS && v->params[k].name; k++)
        PUT(" -D%s=%u", v->params[k].name, config->values[k]);
    if (vec)
        PUT(" -DLANES_BY=%d -DLANES=%u", LANES_VECTOR, vec);
    else if (lanes)
        PUT(" -DLANES_BY=%d -DLANES=%u", t->lanes_by, t->lanes);
    if (t->bits & TRAIT_FMA)
        PUT(" -DHAS_FMA=1");
    if (t->bits & TRAIT_EXACT_DIVIDE)
        PUT(" -cl-fp32-correctly-rounded-divide-sqrt");
#undef PUT
    b->kernel = KERNEL_NAME;
    b->parts = 4;
    b->part[0] = &source_prelude;
    b->part[1] = op_sources[p->op];
    b->part[2] = &source_passes;
    b->part[3] = variant_sources[config->variant];
}

/* The disk cache's key: identity, version, options and the whole source. */
static char *disk_key(const clsm_engine *engine, const struct build *b, size_t *bytes)
{
    char head[2048];
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

/* Build, and see that the kernel is there; NULL log: nobody wants to know. */
static clsm_status compile(const clsm_engine *engine, cl_program program,
                           const struct build *b)
{
    cl_int error = clBuildProgram(program, 1, &engine->device, b->options, NULL, NULL);
    if (error == CL_SUCCESS) {
        cl_kernel kernel = clCreateKernel(program, b->kernel, &error);
        if (error != CL_SUCCESS)
            return fail_cl(error, "clCreateKernel");
        clReleaseKernel(kernel);
        return CLSM_OK;
    }
    if (error == CL_OUT_OF_HOST_MEMORY)
        return fail_cl(error, "clBuildProgram");
    char *log = calloc(1, 8192);
    size_t needed = 0;
    if (log && clGetProgramBuildInfo(program, engine->device, CL_PROGRAM_BUILD_LOG, 0,
                                     NULL, &needed) == CL_SUCCESS) {
        char *whole = needed ? calloc(1, needed + 1) : NULL;
        if (whole)
            clGetProgramBuildInfo(program, engine->device, CL_PROGRAM_BUILD_LOG, needed,
                                  whole, NULL);
        snprintf(log, 8192, "%s", whole ? whole : "");
        free(whole);
    }
    keep_cl_error(error);
    fail(CLSM_ERR_BUILD, "clBuildProgram failed: %s (%d)\n%s\nwith options %s",
         cl_error_name(error), error, log ? log : "", b->options);
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
        return fail_cl(error, "clCreateProgramWithSource");
    clsm_status status = compile(engine, *program, b);
    if (status != CLSM_OK)
        clReleaseProgram(*program);
    else
        builds++;
    return status;
}

/* False, with nothing said, if the entry is missing or the driver does not take it. */
static bool from_disk(const clsm_engine *engine, const struct build *b, const char *key,
                      size_t key_bytes, cl_program *program)
{
    size_t bytes;
    unsigned char *binary = cache_load(&engine->cache, key, key_bytes, &bytes);
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
        cache_store(&engine->cache, key, key_bytes, binary, bytes);
    free(binary);
}

static clsm_status make(const clsm_engine *engine, const struct build *b,
                        cl_program *program, bool *was_on_disk)
{
    size_t key_bytes;
    char *key = engine->cache.folder >= 0 ? disk_key(engine, b, &key_bytes) : NULL;
    *was_on_disk = key && from_disk(engine, b, key, key_bytes, program);
    clsm_status status = CLSM_OK;
    if (!*was_on_disk) {
        status = from_source(engine, b, program);
        if (status == CLSM_OK && key)
            to_disk(engine, key, key_bytes, *program);
    }
    free(key);
    programs += status == CLSM_OK;
    return status;
}

static const struct program *find(const clsm_engine *engine, const char *options)
{
    const struct program *p = engine->programs;
    while (p && strcmp(p->options, options) != 0)
        p = p->next;
    return p;
}

static clsm_status add(clsm_engine *engine, const struct build *b)
{
    struct program *p = calloc(1, sizeof *p);
    char *options = malloc(strlen(b->options) + 1);
    double start = now();
    clsm_status status = p && options ? make(engine, b, &p->program, &p->from_disk)
                                      : fail(CLSM_ERR_MEMORY, "out of memory");
    if (status != CLSM_OK) {
        free(options);
        free(p);
        return status;
    }
    p->options = strcpy(options, b->options);
    p->build_seconds = now() - start;
    p->next = engine->programs;
    engine->programs = p;
    return CLSM_OK;
}

clsm_status program_get(clsm_engine *engine, const struct problem *p,
                        const struct config *config, const struct program **program,
                        bool *fresh)
{
    struct build b;
    clsm_status status = CLSM_OK;
    describe(p, config, &engine->traits, &b);
    /* Building under the lock: a second thread that needs the same program waits. */
    pthread_mutex_lock(&engine->lock);
    *fresh = !find(engine, b.options);
    if (*fresh)
        status = add(engine, &b);
    *program = find(engine, b.options);
    pthread_mutex_unlock(&engine->lock);
    return status;
}

clsm_status program_probe(clsm_engine *engine, cl_program *program)
{
    struct build b = {
        .kernel = "clsm_probe", .parts = 2, .part = {&source_prelude, &source_probe}};
    bool was_on_disk;
    snprintf(b.options, sizeof b.options, "-w -cl-std=%s -DLANES_BY=%d -DLANES=%u",
             engine->traits.lanes_std, engine->traits.lanes_by, engine->traits.lanes);
    return make(engine, &b, program, &was_on_disk);
}

void programs_free(struct program *first)
{
    while (first) {
        struct program *next = first->next;
        clReleaseProgram(first->program);
        free(first->options);
        free(first);
        first = next;
    }
}
