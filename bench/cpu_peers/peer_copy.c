/* SPDX-License-Identifier: MIT */
/* Copies of x to y by the team: the C library's, and non-temporal ones without and with
 * software prefetch. The best of them, and of the device's own, is the ceiling c. */
#include "peer.h"
#include "stream.h"
#include "team.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64, AHEAD = 4096 };

struct call {
    size_t bytes;
    const char *x;
    char *y;
};

static void *make(clsm_type type, size_t rows, size_t cols)
{
    struct call *c = malloc(sizeof *c);
    if (c)
        *c = (struct call){.bytes = rows * cols * clsm_type_bytes(type)};
    return c;
}

/* The i-th part's begin, at a line of y where it can be. */
static size_t begin(const struct call *c, unsigned i, unsigned of)
{
    size_t at = c->bytes / LINE * i / of * LINE;
    return i == of ? c->bytes : at;
}

static void memcpy_part(void *context, unsigned i, unsigned of)
{
    const struct call *c = context;
    size_t from = begin(c, i, of);
    memcpy(c->y + from, c->x + from, begin(c, i + 1, of) - from);
}

static void stream_part(void *context, unsigned i, unsigned of)
{
    const struct call *c = context;
    size_t from = begin(c, i, of);
    stream_copy(c->y + from, c->x + from, begin(c, i + 1, of) - from, 0);
}

static void stream_ahead_part(void *context, unsigned i, unsigned of)
{
    const struct call *c = context;
    size_t from = begin(c, i, of);
    stream_copy(c->y + from, c->x + from, begin(c, i + 1, of) - from, AHEAD);
}

static bool run(void *call, const void *x, void *y,
                void (*part)(void *context, unsigned i, unsigned of))
{
    struct call *c = call;
    c->x = x;
    c->y = y;
    team_run(part, c);
    return true;
}

static bool run_memcpy(void *call, const void *x, void *y)
{
    return run(call, x, y, memcpy_part);
}

static bool run_stream(void *call, const void *x, void *y)
{
    return run(call, x, y, stream_part);
}

static bool run_stream_ahead(void *call, const void *x, void *y)
{
    return run(call, x, y, stream_ahead_part);
}

const struct peer peer_memcpy = {
    .name = "memcpy",
    .role = ROLE_COPY,
    .make = make,
    .run = run_memcpy,
    .drop = free,
};

const struct peer peer_stream = {
    .name = "stream",
    .role = ROLE_COPY,
    .make = make,
    .run = run_stream,
    .drop = free,
};

const struct peer peer_stream_ahead = {
    .name = "stream-ahead",
    .role = ROLE_COPY,
    .version = stream_name,
    .make = make,
    .run = run_stream_ahead,
    .drop = free,
};
