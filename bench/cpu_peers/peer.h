/* SPDX-License-Identifier: MIT */
/* What can be called on plain pointers: the other libraries, and the copies. */
#ifndef CPU_PEERS_PEER_H
#define CPU_PEERS_PEER_H

#include "clsoftmax.h"

#include <stdbool.h>

enum role { ROLE_PEER, ROLE_COPY, ROLE_OURS };

struct peer {
    const char *name;
    enum role role;
    const char *(*version)(void);   /* NULL: there is none to tell */
    bool (*open)(unsigned threads); /* once in the process; false: does not work here */
    void (*close)(void);
    /* One call for packed rows, to be run on any x and y; NULL: cannot do that. */
    void *(*make)(clsm_type type, size_t rows, size_t cols);
    bool (*run)(void *call, const void *x, void *y);
    void (*rest)(
        void); /* send its threads to sleep; NULL: they go soon by themselves */
    void (*drop)(void *call);
};

/* All that were built in, in the order in which they should run; NULL past the end. */
const struct peer *peer_at(unsigned i);

/* Open them all, before anything else is done; say which are missing and why. */
void peers_open(unsigned threads);
void peers_close(void);

/* Has it been opened? */
bool peer_is_open(unsigned i);

extern const struct peer peer_onednn, peer_xnnpack, peer_c;
extern const struct peer peer_memcpy, peer_stream, peer_stream_ahead;

#endif
