/* SPDX-License-Identifier: MIT */
/* A case's words made a problem and a configuration of a device that is not here. */
#include "trial.h"

#include "machine.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One that could not run here otherwise. */
static const struct traits gpu = {.bits = TRAIT_LANES | TRAIT_FMA | TRAIT_SWAP |
                                          TRAIT_PTX | TRAIT_WAIT,
                                  .lanes_by = LANES_PTX,
                                  .lanes = LANES,
                                  .lanes_std = "CL1.2",
                                  .compute_units = 132,
                                  .vector_width = 1,
                                  .max_wg = 1024,
                                  .local_bytes = 48 << 10};

/* One with vectors of 16, of which the source alone is of interest. */
static const struct traits cpu = {.bits = TRAIT_CPU | TRAIT_FMA | TRAIT_X86_BF16,
                                  .lanes_std = "CL1.2",
                                  .compute_units = 16,
                                  .vector_width = 16,
                                  .max_wg = 4096,
                                  .local_bytes = 2 << 20};

int fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    return 1;
}

static int index_of(const char *name, const char *(*name_of)(int), int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, name_of(i)) == 0)
            return i;
    exit(fail(name, "not known"));
}

static const char *op_name(int i)
{
    return clsm_op_name((clsm_op)i);
}

static const char *type_name(int i)
{
    return clsm_type_name((clsm_type)i);
}

/* Takes it from an operation's name; was it there? */
static bool takes_ending(char *name, const char *ending)
{
    char *at = strstr(name, ending);
    if (at)
        *at = 0;
    return at;
}

/* The number behind it; 0 if it was not there. */
static size_t takes_number(char *name, const char *ending)
{
    char *at = strstr(name, ending);
    return takes_ending(name, ending) ? strtoul(at + strlen(ending), NULL, 10) : 0;
}

void trial_parse(char **arg, struct trial *t)
{
    t->device = strstr(arg[5], "VEC=") ? &cpu : &gpu;
    size_t places = takes_number(arg[0], "+k=");
    t->offset = takes_ending(arg[0], "+offset") ? 3 : 0;
    t->in_place = takes_ending(arg[0], "+in_place");
    bool heated = takes_ending(arg[0], "+temperature");
    bool masked = takes_ending(arg[0], "+mask");
    bool left_out = takes_ending(arg[0], "+bool_mask");
    bool squared = takes_ending(arg[0], "+z_loss");
    clsm_op op = (clsm_op)index_of(arg[0], op_name, CLSM_OP_COUNT);
    clsm_type type = (clsm_type)index_of(arg[1], type_name, CLSM_F64 + 1);
    static struct choice choice;
    clsm_problem_init(&t->problem, op, type, strtoul(arg[2], NULL, 10),
                      strtoul(arg[3], NULL, 10));
    t->problem.inner = strtoul(arg[4], NULL, 10);
    t->problem.k = places ? places : t->problem.k;
    t->problem.operands |= heated ? CLSM_BIT(CLSM_TEMPERATURE) : 0;
    t->problem.z_loss = squared ? 0x1p+40 : 0;
    t->problem.mask_type = masked     ? CLSM_MASK_F32
                           : left_out ? CLSM_MASK_BOOL
                                      : CLSM_MASK_NONE;
    t->problem.mask_stride.row = left_out ? t->problem.cols : 0;
    if (clsm_problem_check(&t->problem, &t->checked) != CLSM_OK ||
        clsm_choose(&t->checked, t->device, arg[5], &choice) != CLSM_OK)
        exit(fail(arg[5], clsm_last_message()));
    t->config = choice.ranked[0].config;
}

int trial_write_source(const char *path, const struct trial *t)
{
    struct build b;
    FILE *f = fopen(path, "w");
    if (!f)
        return fail(path, "cannot be written");
    clsm_program_describe(&t->checked, &t->config, t->device, &b);
    for (unsigned i = 0; i < b.parts; i++)
        fwrite(b.part[i]->bytes, 1, b.part[i]->count, f);
    puts(b.options);
    return fclose(f) == 0 ? 0 : fail(path, "cannot be written");
}
