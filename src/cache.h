/* SPDX-License-Identifier: MIT */
/* Program binaries on disk. Never an error: what cannot be used is as if not there. */
#ifndef CLSM_CACHE_H
#define CLSM_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache {
    int folder;           /* its descriptor; -1: off */
    uint64_t limit_bytes; /* of all entries together */
};

/* $CLSM_CACHE_DIR, or $XDG_CACHE_HOME/clsoftmax, or ~/.cache/clsoftmax, made if need
 * be; off with CLSM_CACHE=off, or if the folder is not ours alone. CLSM_CACHE_MIB: the
 * limit, 128 by default. */
void clsm_cache_open(struct cache *cache);
void clsm_cache_close(struct cache *cache);

/* The binary stored under exactly this key, to free(); NULL if there is none. */
void *clsm_cache_load(const struct cache *cache, const void *key, size_t key_bytes,
                      size_t *bytes);

/* Store a binary, then remove the least recently used entries beyond the limit. */
void clsm_cache_store(const struct cache *cache, const void *key, size_t key_bytes,
                      const void *binary, size_t bytes);

#endif
