/* SPDX-License-Identifier: MIT */
/* What the estimates have in common. Cycles are of one compute unit. */
#ifndef CLSM_ESTIMATE_H
#define CLSM_ESTIMATE_H

#include "choose.h"

enum {
    WAIT_CYCLES = 1200,  /* from a load to its use */
    TARGET_CYCLES = 1000 /* from a target to the logit there */
};

/* Seconds that blocks of short rows take, see cl/staged.cl and cl/packed.cl. */
double clsm_estimate_blocks(const struct config *config, const struct problem *p,
                            const struct traits *t);

/* Cycles of a CPU until a work-item has found the k largest of one softmax. */
double clsm_topk_cycles(const struct config *config, const struct problem *p);

/* Steps for each element, from its load to its result. */
double clsm_element_steps(const struct problem *p);

/* What takes the longest decides, and what comes close to it adds a little. */
double clsm_together(double a, double b, double c);

/* Local memory of a unit: NVIDIA's have more than a work-group may have. */
double clsm_unit_local_bytes(const struct traits *t);

#endif
