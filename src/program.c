/* SPDX-License-Identifier: MIT */
/*
 * A program is four pieces of source (prelude, operation, passes, mapping) with options
 * that say everything it is specialised on, so the options are its key in memory. Each
 * is made once for an engine and kept as long.
 */
#include "program.h"

#include "build.h"
#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    const struct variant *v = &clsm_variants[config->variant];
    bool f64 = clsm_problem_is_f64(p), lanes = clsm_variant_uses_lanes(v, t);
    unsigned vec = clsm_config_value(config, "VEC", 0);
    char *at = b->options, *end = b->options + OPTIONS_BYTES;
#define PUT(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
    PUT("-w -cl-std=%s -DX=%s -DY=%s -DREAL_IS_F64=%d -DLIMIT=%d -DSTRIDED=%d "
        "-DOP_%s=1 -DMAPPING_%s=1",
        lanes ? t->lanes_std : "CL1.2", clsm_type_name(p->x.type),
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
    clsm_status status = p && options
                             ? clsm_build_program(engine, b, &p->program, &p->from_disk)
                             : clsm_fail(CLSM_ERR_MEMORY, "out of memory");
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

clsm_status clsm_program_get(clsm_engine *engine, const struct problem *p,
                             const struct config *config,
                             const struct program **program, bool *fresh)
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

clsm_status clsm_program_probe(clsm_engine *engine, cl_program *program)
{
    struct build b = {
        .kernel = "clsm_probe", .parts = 2, .part = {&source_prelude, &source_probe}};
    bool was_on_disk;
    snprintf(b.options, sizeof b.options, "-w -cl-std=%s -DLANES_BY=%d -DLANES=%u",
             engine->traits.lanes_std, engine->traits.lanes_by, engine->traits.lanes);
    return clsm_build_program(engine, &b, program, &was_on_disk);
}

void clsm_programs_free(struct program *first)
{
    while (first) {
        struct program *next = first->next;
        clReleaseProgram(first->program);
        free(first->options);
        free(first);
        first = next;
    }
}
