/* SPDX-License-Identifier: MIT */
/* A case's words made a problem and a configuration of a device that is not here. */
#include "case.h"

#include "../device/random_trial.h"
#include "dress.h"
#include "machine.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITEMS = 1 << 16 }; /* of a random problem, each as often as it has a turn */

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

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

/* The configuration that is asked for, or chosen. */
static void find_config(struct simulated_case *c)
{
    static struct choice choice;
    const char *variant = c->trial.problem.variant;
    if (clsm_problem_check(&c->trial.problem, &c->checked) != CLSM_OK ||
        clsm_choose(&c->checked, c->device, variant, &choice) != CLSM_OK)
        exit(fail(variant ? variant : "any", clsm_last_message()));
    c->config = choice.ranked[0].config;
}

/* Some work-groups; false if it takes more of them than there are, or too long, or
 * vectors of a work-item's, which clang alone has not. */
static bool find_groups(struct simulated_case *c)
{
    const struct problem *p = &c->checked;
    const struct variant *v = &clsm_variants[c->config.variant];
    size_t parts = clsm_config_parts(&c->config, p, c->device);
    size_t per_group = clsm_config_rows_per_group(&c->config, p, c->device);
    size_t pieces = clsm_config_pieces(&c->config, p, c->device);
    size_t tiles = (p->rows * p->inner + per_group - 1) / per_group;
    size_t at_once = v->launches ? tiles * (parts > pieces ? parts : pieces) : parts;
    c->groups =
        (unsigned)(at_once > MOST_GROUPS / 3 ? at_once
                                             : at_once * (1 + c->trial.seed % 3));
    return v->geometry != ROW_RUN_PER_ITEM && at_once <= MOST_GROUPS &&
           tiles * parts * clsm_config_wg(&c->config) <= MOST_ITEMS;
}

/* What a seed draws for one of the GPUs, or another one that it leads to. */
static void draw(struct simulated_case *c, uint64_t seed)
{
    static struct random_trial d = {.most = 1 << 14};
    d.traits = c->device = &gpus[seed % COUNT_OF(gpus)].traits;
    do {
        random_trial_draw(&d, seed);
        c->trial = d.trial;
        find_config(c);
        seed = random_next(&d.state);
    } while (!find_groups(c));
}

void case_describe(const struct simulated_case *c, char *text, size_t bytes)
{
    const clsm_problem *p = &c->trial.problem;
    char config[CONFIG_BYTES];
    clsm_config_text(&c->config, config, sizeof config);
    snprintf(text, bytes, "%s%s %s>%s %zu %zu %zu %s %u", clsm_op_name(p->op),
             c->device->bits & TRAIT_PTX          ? ""
             : c->device->lanes_by == LANES_INTEL ? "+intel"
                                                  : "+khr",
             clsm_type_name(p->x_type), clsm_type_name(p->y_type), p->rows, p->cols,
             p->inner, config, c->groups);
}

void case_parse(int count, char **arg, struct simulated_case *c)
{
    clsm_problem *p = &c->trial.problem;
    *c = (struct simulated_case){.device = NULL};
    if (count == 2 && strcmp(arg[0], "random") == 0) {
        draw(c, strtoull(arg[1], NULL, 10));
        return;
    }
    if (count < 6 || count > 7)
        exit(fail("a case", "six or seven words, or random and a seed"));
    c->device = takes_device(arg);
    c->groups = count == 7 ? (unsigned)strtoul(arg[6], NULL, 10) : 1;
    if (!c->groups || c->groups > MOST_GROUPS)
        exit(fail(arg[6], "work-groups"));
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
    p->variant = arg[5];
    find_config(c);
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
