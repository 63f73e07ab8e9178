/* SPDX-License-Identifier: MIT */
/* A case's words made a problem and a configuration of a device that is not here. */
#include "case.h"

#include "dress.h"
#include "machine.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GPUs, by an operation's ending. */
#define GPU(by, all_bits)                                                              \
    {                                                                                  \
        .bits = TRAIT_LANES | TRAIT_FMA | (all_bits), .lanes_by = (by),                \
        .lanes = LANES, .lanes_std = "CL1.2", .compute_units = 132, .vector_width = 1, \
        .max_wg = 1024, .local_bytes = 48 << 10                                        \
    }
static const struct {
    const char *ending;
    struct traits traits;
} gpus[] = {{"+intel", GPU(LANES_INTEL, TRAIT_SWAP)},
            {"+khr", GPU(LANES_KHR, 0)},
            {"", GPU(LANES_PTX, TRAIT_SWAP | TRAIT_PTX | TRAIT_WAIT | TRAIT_F64)}};

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

static clsm_type type_of(const char *name)
{
    return (clsm_type)index_of(name, type_name, CLSM_F64 + 1);
}

/* Takes it from an operation's name; was it there? */
static bool takes_ending(char *name, const char *ending)
{
    char *at = *ending ? strstr(name, ending) : name + strlen(name);
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

/* Puts on the dress that an operation's name ends in, if it is one. */
static bool takes_dress(char *name, clsm_problem *p)
{
    for (unsigned d = 1; d < dress_count(); d++) {
        char ending[64];
        snprintf(ending, sizeof ending, "+%s", dress_name(d));
        for (char *at = ending; (at = strchr(at, ' ')); at++)
            *at = '_';
        size_t length = strlen(ending), whole = strlen(name);
        if (whole > length && strcmp(name + whole - length, ending) == 0) {
            name[whole - length] = 0;
            p->op = (clsm_op)index_of(name, op_name, CLSM_OP_COUNT);
            return dress_problem(d, p);
        }
    }
    return true;
}

/* Between rows. */
static void leave_gaps(clsm_problem *p)
{
    clsm_op_info op = {.struct_bytes = sizeof op};
    clsm_op_get_info(p->op, &op);
    p->x_row_stride = p->cols * p->inner + 5;
    p->y_row_stride = op.y == CLSM_Y_ROW ? p->cols * p->inner + 3 : 0;
    p->dy_row_stride = op.needs & CLSM_BIT(CLSM_DY) ? p->cols * p->inner + 1 : 0;
}

static const struct traits *takes_device(char **arg)
{
    size_t i = 0;
    while (!takes_ending(arg[0], gpus[i].ending))
        i++;
    return strstr(arg[5], "VEC=") ? &cpu : &gpus[i].traits;
}

void case_parse(char **arg, struct simulated_case *c)
{
    static struct choice choice;
    clsm_problem *p = &c->trial.problem;
    c->device = takes_device(arg);
    c->trial = (struct trial){.mixed = true, .seed = 1};
    size_t places = takes_number(arg[0], "+k=");
    c->trial.x_offset = takes_ending(arg[0], "+offset") ? 7 : 0;
    c->trial.in_place = takes_ending(arg[0], "+in_place");
    bool spread = takes_ending(arg[0], "+gaps");
    bool limited = takes_ending(arg[0], "+limit");
    c->large = takes_ending(arg[0], "+large");
    bool squared = takes_ending(arg[0], "+z_loss");
    bool heated = takes_ending(arg[0], "+temperatures");
    char bare[64];
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(arg[0], "+"), arg[0]);
    char *y_type = strchr(arg[1], '>');
    if (y_type)
        *y_type++ = 0;
    clsm_problem_init(p, (clsm_op)index_of(bare, op_name, CLSM_OP_COUNT),
                      type_of(arg[1]), strtoul(arg[2], NULL, 10),
                      strtoul(arg[3], NULL, 10));
    p->y_type = y_type ? type_of(y_type) : p->y_type;
    p->inner = strtoul(arg[4], NULL, 10);
    if (!takes_dress(arg[0], p) || strchr(arg[0], '+'))
        exit(fail(arg[0], "not known"));
    p->k = places ? places : p->k;
    p->nonfinite = limited ? CLSM_NONFINITE_LIMIT : p->nonfinite;
    if (spread)
        leave_gaps(p);
    p->operands |= heated ? CLSM_BIT(CLSM_TEMPERATURE) : 0;
    p->z_loss = squared ? 0x1p+40 : p->z_loss;
    if (clsm_problem_check(p, &c->checked) != CLSM_OK ||
        clsm_choose(&c->checked, c->device, arg[5], &choice) != CLSM_OK)
        exit(fail(arg[5], clsm_last_message()));
    c->config = choice.ranked[0].config;
}

int case_write_source(const char *path, const struct simulated_case *c)
{
    struct build b;
    FILE *f = fopen(path, "w");
    if (!f)
        return fail(path, "cannot be written");
    clsm_program_describe(&c->checked, &c->config, c->device, &b);
    for (unsigned i = 0; i < b.parts; i++)
        fwrite(b.part[i]->bytes, 1, b.part[i]->count, f);
    puts(b.options);
    return fclose(f) == 0 ? 0 : fail(path, "cannot be written");
}
