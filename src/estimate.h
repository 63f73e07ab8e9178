/* SPDX-License-Identifier: MIT */
/* What the estimates have in common. Cycles are of one compute unit, steps of one
 * work-item; bench/NOTES.md has the measurements that they fit. */
#ifndef CLSM_ESTIMATE_H
#define CLSM_ESTIMATE_H

#include "choose.h"

/* Of a GPU. */
enum {
    KERNEL_CYCLES = 4300,
    UNIT_LANES = 128, /* that step at once */
    UNIT_BYTES = 18,  /* from and to memory in a cycle, ... */
    LEAST_BYTES = 32, /* ... in pieces of no fewer */
    SET_LANES = 32    /* that step as one, whether they are there or not */
};

/* Of a CPU: a launch, for each core that wakes. */
enum { WAKE_CYCLES = 4500 };

/* Cycles in a second, of a GPU or a CPU. */
#define HERTZ 1.75e9

/* Seconds that a mapping takes on a GPU: one that loops over rows in memory, one that
 * holds packs of them, cl/held.cl; blocks of short rows, cl/staged.cl, cl/packed.cl;
 * tiles of neighbouring softmaxes, cl/tile.cl; a work-item with some, or with rows, to
 * itself, cl/spatial.cl. */
double clsm_estimate_loops(const struct config *config, const struct problem *p,
                           const struct traits *t);
double clsm_estimate_held(const struct config *config, const struct problem *p,
                          const struct traits *t);
double clsm_estimate_blocks(const struct config *config, const struct problem *p,
                            const struct traits *t);
double clsm_estimate_tiles(const struct config *config, const struct problem *p,
                           const struct traits *t);
double clsm_estimate_items(const struct config *config, const struct problem *p,
                           const struct traits *t);

/* The same for runs of rows, and parts of rows, on a CPU. */
double clsm_estimate_runs(const struct config *config, const struct problem *p,
                          const struct traits *t);

/* Bytes of a row that are read and written, with numbers of its own. */
struct row_bytes {
    double in, out, numbers;
};
struct row_bytes clsm_row_bytes(const struct problem *p);

/* The share of columns that a query sees, in the mean: others need not be read. */
double clsm_columns_seen(const struct problem *p);

/* Numbers that a row has to be read with, and leaves. */
unsigned clsm_numbers_in(const struct problem *p);
unsigned clsm_numbers_out(const struct problem *p);

/* Steps of each of a work-group's work-items while they reduce a row of its own. */
double clsm_group_steps(const struct config *config, const struct traits *t,
                        double barrier);

/* Steps for each element more than for plain ones: where a logit is more than x. */
double clsm_form_steps(const struct problem *p);

/* How many of n elements find at least one list of so many lanes, which step as one,
 * that they belong in. */
double clsm_list_entered(double n, double length, double lanes);

/* Steps of each of a row's work-items for the largest elements, and the cycles that
 * these wait for; 0 where none are wanted. */
double clsm_list_steps(const struct config *config, const struct problem *p,
                       const struct traits *t);
double clsm_list_cycles(const struct config *config, const struct problem *p,
                        const struct traits *t);

/* The same where they are chosen among candidates. */
double clsm_candidate_steps(const struct config *config, const struct problem *p,
                            const struct traits *t);
double clsm_candidate_cycles(const struct config *config, const struct problem *p,
                             const struct traits *t);

/* Cycles of a CPU until a work-item has found the k largest of one softmax. */
double clsm_topk_cycles(const struct config *config, const struct problem *p,
                        const struct traits *t);

/* What takes the longest decides, and what comes close to it adds a little. */
double clsm_together(double a, double b, double c);

/* Bytes that memory moves besides each of y, of which so many elements are written side
 * by side. */
double clsm_scatter(const struct problem *p, double elements);

/* Local memory of a unit: NVIDIA's have more than a work-group may have. */
double clsm_unit_local_bytes(const struct traits *t);

#endif
