/* SPDX-License-Identifier: MIT */
/* A temporary folder for the cache suites, the entries in it, and an open cache. */
#ifndef CLSM_TEST_CACHE_FOLDER_H
#define CLSM_TEST_CACHE_FOLDER_H

#include "cache.h"

#include <stdbool.h>
#include <stddef.h>

extern char cache_base[64];   /* is made, and removed with all in it at the end */
extern char cache_folder[96]; /* cache_base/cache, as CLSM_CACHE_DIR says */
extern struct cache cache;

void cache_set_up(void);
void cache_tear_down(void);

/* Close and open again, as the next process would. */
bool cache_reopen(void);

/* Files in the cache folder. */
unsigned cache_entries(void);

/* The path of the only entry. */
const char *cache_entry(void);

/* Entries of the last minute were last used that many seconds ago. */
void cache_age(int seconds);

/* Store and load under a key that is a string. */
void cache_put(const char *key, const void *binary, size_t bytes);
bool cache_has(const char *key, const void *binary, size_t bytes);

#endif
