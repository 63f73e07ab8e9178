/* SPDX-License-Identifier: MIT */
/* The options of `clsoftmax run` that are numbers of the problem: a table. */
#include "run.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

enum kind { NUMBER, SIZE, OFFSET, INDEX };

/* What an operation must be like to take a scalar. */
enum group { OF_FORMS, OF_K, OF_TARGETS, OF_GRADIENTS };

#define FIELD(name) offsetof(clsm_problem, name)

static const struct {
    const char *name;
    enum kind kind;
    size_t field;
    enum group group;
} scalars[] = {
    {"scale", NUMBER, FIELD(scale), OF_FORMS},
    {"temperature", NUMBER, FIELD(temperature), OF_FORMS},
    {"softcap", NUMBER, FIELD(softcap), OF_FORMS},
    {"causal-offset", OFFSET, FIELD(causal_offset), OF_FORMS},
    {"window", SIZE, FIELD(window), OF_FORMS},
    {"k", SIZE, FIELD(k), OF_K},
    {"ignore-index", INDEX, FIELD(ignore_index), OF_TARGETS},
    {"label-smoothing", NUMBER, FIELD(label_smoothing), OF_TARGETS},
    {"z-loss", NUMBER, FIELD(z_loss), OF_TARGETS},
    {"grad-scale", NUMBER, FIELD(grad_scale), OF_GRADIENTS},
};

_Static_assert(sizeof scalars / sizeof *scalars == RUN_SCALARS, "run.h counts them");

void run_scalar_options(struct option *options)
{
    for (int n = 0; n < RUN_SCALARS; n++)
        options[n] = (struct option){scalars[n].name, required_argument, NULL,
                                     RUN_FIRST_SCALAR + n};
}

int run_parse_scalar(unsigned n, const char *text, struct run_job *job)
{
    void *field = (char *)&job->problem + scalars[n].field;
    char *end = NULL;
    long long integer = 0;
    double number = 0;
    errno = 0;
    if (scalars[n].kind == NUMBER)
        number = strtod(text, &end);
    else
        integer = strtoll(text, &end, 10);
    bool good = end != text && !*end && (errno == 0 || scalars[n].kind == NUMBER);
    if (!good || (scalars[n].kind == SIZE && integer < 0))
        return complain(EXIT_USAGE, "--%s is \"%s\", expected %s", scalars[n].name,
                        text,
                        scalars[n].kind == NUMBER ? "a number"
                        : scalars[n].kind == SIZE ? "a whole number, 0 or more"
                                                  : "a whole number");
    switch (scalars[n].kind) {
    case NUMBER:
        *(double *)field = number;
        break;
    case SIZE:
        *(size_t *)field = (size_t)integer;
        break;
    case OFFSET:
        *(ptrdiff_t *)field = (ptrdiff_t)integer;
        break;
    case INDEX:
        *(int64_t *)field = integer;
        break;
    }
    job->said |= 1u << n;
    return EXIT_FINE;
}

static bool takes(const clsm_op_info *op, enum group group)
{
    switch (group) {
    case OF_FORMS:
        return op->may & CLSM_FORM_BITS;
    case OF_K:
        return op->y == CLSM_Y_K;
    case OF_TARGETS:
        return op->needs & CLSM_BIT(CLSM_TARGETS);
    default:
        return op->y == CLSM_Y_ROW &&
               op->needs & (CLSM_BIT(CLSM_DY) | CLSM_BIT(CLSM_LOSS));
    }
}

/* What the offset is counted for. */
static bool is_placed(const struct run_job *job)
{
    return job->said & RUN_SAID_CAUSAL || job->problem.window ||
           job->in[CLSM_SLOPES - CLSM_X];
}

int run_check_scalars(const struct run_job *job)
{
    const char *op = clsm_op_name(job->problem.op);
    if (job->said & RUN_SAID_CAUSAL && !takes(&job->op, OF_FORMS))
        return complain(EXIT_USAGE, "--causal does not go with %s", op);
    for (unsigned n = 0; n < RUN_SCALARS; n++)
        if (job->said & 1u << n && !takes(&job->op, scalars[n].group))
            return complain(EXIT_USAGE, "--%s does not go with %s", scalars[n].name,
                            op);
    if (job->problem.causal_offset && !is_placed(job))
        return complain(EXIT_USAGE,
                        "--causal-offset needs --causal, --window or --in slopes=");
    if (job->has_out_type && job->op.y == CLSM_Y_NONE)
        return complain(EXIT_USAGE, "--out-type does not go with %s, which has no y",
                        op);
    bool gradient = job->op.needs & (CLSM_BIT(CLSM_DY) | CLSM_BIT(CLSM_TARGETS));
    if (job->labels && (job->op.y != CLSM_Y_ROW || gradient))
        return complain(EXIT_USAGE,
                        "--labels needs probabilities or logits of x's shape, %s gives "
                        "none",
                        op);
    return EXIT_FINE;
}
