/* SPDX-License-Identifier: MIT */
/* The plain C loops as a peer: rows dealt out to the team. */
#include "c_softmax.h"
#include "peer.h"
#include "team.h"

#include <stdlib.h>

struct call {
    size_t rows, cols;
    const float *x;
    float *y;
};

static const char *version(void)
{
#ifdef __VERSION__
    return "loops, compiler " __VERSION__;
#else
    return "loops";
#endif
}

static void *make(clsm_type type, size_t rows, size_t cols)
{
    struct call *c = type == CLSM_F32 ? malloc(sizeof *c) : NULL;
    if (c)
        *c = (struct call){.rows = rows, .cols = cols};
    return c;
}

static void some_rows(void *context, unsigned i, unsigned of)
{
    const struct call *c = context;
    size_t from = c->rows * i / of, to = c->rows * (i + 1) / of;
    c_softmax(c->x + from * c->cols, c->y + from * c->cols, to - from, c->cols);
}

static bool run(void *call, const void *x, void *y)
{
    struct call *c = call;
    c->x = x;
    c->y = y;
    team_run(some_rows, c);
    return true;
}

const struct peer peer_c = {
    .name = "C",
    .role = ROLE_PEER,
    .version = version,
    .make = make,
    .run = run,
    .drop = free,
};
