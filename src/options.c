/* SPDX-License-Identifier: MIT */
/*
 * What a program is made of: four pieces of source (prelude, operation, passes,
 * mapping), five where builtins.cl stands before them, and options that say everything
 * it is specialised on.
 */
#include "program.h"

#include "status.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel_sources.inc"

static const struct source *const op_sources[] = {
#define ROW(NAME, name, ...) &source_op_##name,
    CLSM_OPERATIONS(ROW)
#undef ROW
};

static const struct source *const variant_sources[] = {
#define VARIANT(name, ...) &source_##name,
#include "variants.def"
#undef VARIANT
};

/* Text that grows inside a build's options. */
static void put(struct build *b, const char *format, ...) PRINTF_LIKE(2, 3);

static void put(struct build *b, const char *format, ...)
{
    size_t length = strlen(b->options), room = OPTIONS_BYTES - length;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(b->options + length, room, format, args);
    va_end(args);
    assert(n >= 0 && (size_t)n < room); /* they are a program's key: never cut */
    (void)n;
}

/* What the problem decides; what is not said is 0 in the kernels. */
static void describe_problem(const struct problem *p, struct build *b)
{
    static const char *const operands[] = {
#define ROW(NAME, name) #NAME,
        CLSM_OPERANDS(ROW)
#undef ROW
    };
    const struct {
        const char *name;
        bool is;
    } facts[] = {
        {"REAL_IS_F64", clsm_problem_is_f64(p)},
        {"LIMIT", p->nonfinite == CLSM_NONFINITE_LIMIT},
        {"STRIDED", p->strided},
        {"MATRICES", !p->one_matrix},
        {"HAS_SCALE", p->scale != 1},
        {"LOGITS_READY", clsm_problem_holds_logits(p)},
        {"DETERMINISTIC", p->deterministic},
        {"HAS_SOFTCAP", p->softcap != 0},
        {"FAR", p->cols > (size_t)1 << 22}, /* the rounding of a sum shows */
        {"ONE_HOT", p->one_hot},
        {"CAUSAL", p->causal},
        {"WINDOW", p->window != 0},
        {"SMOOTHING", p->label_smoothing != 0},
        {"Z_LOSS", p->z_loss != 0},
        {"MASK_IS_BOOL", p->mask_type == CLSM_MASK_BOOL},
    };
    put(b, " -DX=%s -DY=%s", clsm_type_name(p->x.type), clsm_type_name(p->y.type));
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (facts[i].is)
            put(b, " -D%s=1", facts[i].name);
    for (unsigned o = 0; o < CLSM_OPERAND_COUNT; o++)
        if (clsm_has(p, (clsm_operand)o))
            put(b, " -DHAS_%s=1", operands[o]);
    if (clsm_has(p, CLSM_DY))
        put(b, " -DDY=%s", clsm_type_name(p->dy.type));
    if (clsm_has(p, CLSM_MASK))
        put(b, " -DMASK=%s", clsm_mask_name(p->mask_type));
    if (clsm_has(p, CLSM_TARGETS) && p->target_type == CLSM_TARGET_I64)
        put(b, " -DTARGET=long");
    if (clsm_problem_y(p) == CLSM_Y_K)
        put(b, " -DPLACES=%zu -DKEY_BITS=%u", p->k, clsm_problem_key_bits(p));
}

/* Do products with what is given besides make normal numbers of subnormal ones? */
static bool keeps_subnormals(const struct problem *p)
{
    return clsm_has(p, CLSM_DY) || clsm_has(p, CLSM_TEMPERATURE) || p->one_hot;
}

/* Are masks that are added to 16-bit rows kept in local memory? */
static bool half_masks_stay(const struct config *config, const struct problem *p)
{
    return clsm_masks_stay(config, p) && clsm_type_bytes(p->x.type) == 2;
}

/* Is x the last that leaves a GPU's cache, and y the first? It gains where rows are
 * written that nobody reads soon, but takes instructions, which rows with such masks
 * wait for. */
static bool x_stays(const struct config *config, const struct problem *p)
{
    return clsm_problem_y(p) == CLSM_Y_ROW && !p->read_soon &&
           !half_masks_stay(config, p);
}

static void describe_tile(const struct config *config, const struct problem *p,
                          const struct traits *t, struct build *b)
{
    const struct variant *v = &clsm_variants[config->variant];
    bool all;
    unsigned hold = clsm_config_hold(config, p, &all);
    put(b, " -DPACK=%u -DHOLD=%u%s%s", clsm_config_beside(config, p), hold,
        all ? " -DONE_TURN=1" : "", v->exact_cols && all ? " -DHOLDS_ALL=1" : "");
    if (all && !v->exact_cols && !p->open_cols && !p->causal && !p->window)
        put(b, " -DLEAST_HELD=%u", hold - 1);
    if (v->exact_cols && !all)
        put(b, " -DTURN_COLS=%zu", p->cols);
    size_t part_groups = clsm_tile_part_groups(config, p, t);
    if (part_groups)
        put(b, " -DPART_GROUPS=%zu", part_groups);
}

static void describe_config(const struct config *config, const struct problem *p,
                            const struct traits *t, struct build *b)
{
    const struct variant *v = &clsm_variants[config->variant];
    bool lanes = clsm_variant_uses_lanes(v, t);
    unsigned vec = clsm_config_value(config, PARAM_VEC, 0);
    for (unsigned k = 0; k < MAX_PARAMS && v->params[k].which; k++)
        put(b, " -D%s=%u", clsm_parameter_name(v->params[k].which), config->values[k]);
    size_t workers = clsm_config_workers(config, t) *
                     (v->packs ? clsm_config_parts(config, p, t) : 1);
    put(b, " -DWORKERS=%zu", workers);
    if (clsm_problem_y(p) == CLSM_Y_K)
        put(b, " -DLIST=%zu -DSHARES=%zu -DCANDIDATES=%zu",
            clsm_config_list(config, p, t), clsm_config_shares(config, p, t),
            clsm_config_candidates(config, p, t));
    if (v->packs)
        put(b, " -DPACKS=%u -DKEPT=%u -DPARTS=%zu", clsm_config_packs(config, p, t),
            clsm_config_kept(config, p, t), clsm_config_parts(config, p, t));
    else if (v->ahead)
        put(b, " -DPARTS=%zu", clsm_config_parts(config, p, t));
    if (v->exact_cols && clsm_config_tile(config) == 1)
        put(b, " -DCOLS=%zu -DROWS=%zu%s", p->cols,
            clsm_config_rows_per_group(config, p, t),
            clsm_block_list_bytes(config, p) ? " -DLISTS_STAGED=1" : "");
    if (clsm_config_tile(config) > 1)
        describe_tile(config, p, t, b);
    if (clsm_masks_stay(config, p) && clsm_starts_alike(p))
        put(b, " -DSTARTS_ALIKE=1");
    if (half_masks_stay(config, p))
        put(b, " -DPAST_NEAR_CACHE=1");
    if (v->row_per_lane)
        put(b, " -DROW_PER_LANE=1");
    if (v->pipelined)
        put(b, " -DHOLD_COLS=%zu%s%s", clsm_config_hold_cols(config, p, t),
            keeps_subnormals(p) ? "" : " -cl-denorms-are-zero -DFLUSHES=1",
            p->read_soon ? " -DREAD_SOON=1" : "");
    if (v->pipelined && t->bits & TRAIT_X86_BF16)
        put(b, " -DHAS_X86_BF16=1");
    if (vec)
        put(b, " -DLANES_BY=%s -DLANES=%u", clsm_lanes_by_macro(LANES_VECTOR), vec);
    else if (lanes)
        put(b, " -DLANES_BY=%s -DLANES=%u", clsm_lanes_by_macro(t->lanes_by), t->lanes);
    if (t->bits & TRAIT_FMA)
        put(b, " -DHAS_FMA=1");
    if (t->bits & TRAIT_PTX && !vec)
        put(b, " -DHAS_PTX=1%s", x_stays(config, p) ? " -DSTAYS=1" : "");
    if (t->bits & TRAIT_EXACT_DIVIDE)
        put(b, " -cl-fp32-correctly-rounded-divide-sqrt");
    if (t->bits & TRAIT_NV_OPTIONS)
        put(b, " -cl-nv-verbose");
    unsigned registers = clsm_config_registers(config, p, t);
    if (registers)
        put(b, " -DLIMITED -cl-nv-maxrregcount=%u", registers);
}

void clsm_program_describe(const struct problem *p, const struct config *config,
                           const struct traits *t, struct build *b)
{
    const struct variant *v = &clsm_variants[config->variant];
    *b = (struct build){
        .kernel = KERNEL_NAME,
    };
    bool own_header = t->bits & TRAIT_OWN_HEADER &&
                      clsm_config_value(config, PARAM_VEC, 0) &&
                      !clsm_problem_is_f64(p);
    if (own_header)
        b->part[b->parts++] = &source_builtins;
    b->part[b->parts++] = &source_prelude;
    b->part[b->parts++] = op_sources[p->op];
    b->part[b->parts++] = &source_passes;
    b->part[b->parts++] = variant_sources[config->variant];
    put(b, "-w -cl-std=%s -DOP_%s=1 -DMAPPING_%s=1%s",
        clsm_variant_uses_lanes(v, t) ? t->lanes_std : "CL1.2", clsm_op_name(p->op),
        v->name, own_header ? " -D_OPENCL_H_" : "");
    describe_problem(p, b);
    describe_config(config, p, t, b);
}

void clsm_program_describe_probe(const struct traits *t, struct build *b)
{
    *b = (struct build){
        .kernel = "clsm_probe", .parts = 2, .part = {&source_prelude, &source_probe}};
    put(b, "-w -cl-std=%s -DLANES_BY=%s -DLANES=%u%s", t->lanes_std,
        clsm_lanes_by_macro(t->lanes_by), t->lanes,
        t->bits & TRAIT_PTX ? " -DHAS_PTX=1 -DSTAYS=1" : "");
}
