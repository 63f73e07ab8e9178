/* SPDX-License-Identifier: MIT */
/* The list of peers, and which of them are there. */
#include "peer.h"

#include "pin.h"

#include <stdio.h>

/* oneDNN first: about half of all processes get it at half its speed if others ran
 * before. */
static const struct peer *const peers[] = {
#ifdef HAVE_ONEDNN
    &peer_onednn,
#endif
#ifdef HAVE_XNNPACK
    &peer_xnnpack,
#endif
    &peer_c,       &peer_memcpy, &peer_stream, &peer_stream_ahead,
};

enum { COUNT = sizeof peers / sizeof *peers };

static bool is_open[COUNT];

const struct peer *peer_at(unsigned i)
{
    return i < COUNT ? peers[i] : NULL;
}

bool peer_is_open(unsigned i)
{
    return is_open[i];
}

static void say_what_was_not_built(void)
{
#ifndef HAVE_ONEDNN
    printf("oneDNN is missing: built without libdnnl-dev (version 2)\n");
#endif
#ifndef HAVE_XNNPACK
    printf("XNNPACK is missing: built without libxnnpack-dev\n");
#endif
}

void peers_open(unsigned threads)
{
    say_what_was_not_built();
    for (unsigned i = 0; i < COUNT; i++) {
        is_open[i] = !peers[i]->open || peers[i]->open(threads);
        pin_new_threads(1); /* the caller works with them, on the first processor */
        if (!is_open[i])
            printf("%s is missing: it does not start here\n", peers[i]->name);
        else if (peers[i]->version)
            printf("%s %s\n", peers[i]->name, peers[i]->version());
    }
}

void peers_close(void)
{
    for (unsigned i = 0; i < COUNT; i++)
        if (is_open[i] && peers[i]->close)
            peers[i]->close();
}
