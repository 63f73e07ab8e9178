/* SPDX-License-Identifier: MIT */
/* A context and a device made ready, with the programs built there. */
#ifndef CLSM_ENGINE_H
#define CLSM_ENGINE_H

#include "cache.h"
#include "shared.h"
#include "traits.h"

#include <pthread.h>

struct program;

struct clsm_engine {
    cl_context context;
    cl_device_id device;
    struct traits traits;
    struct cache cache;
    pthread_mutex_t lock; /* of users and programs */
    pthread_cond_t built; /* one of programs is built, or will not be */
    unsigned users;       /* the caller and each plan */
    struct program *programs;
    struct shared *shared;
};

void clsm_engine_retain(clsm_engine *engine);

/* Run a tiny kernel with known results, and take away the traits of lanes and
 * PTX where it fails. */
void clsm_probe_lanes(clsm_engine *engine);

#endif
