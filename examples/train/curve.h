/* SPDX-License-Identifier: MIT */
/* Loss curves side by side, as a picture. */
#ifndef TRAIN_CURVE_H
#define TRAIN_CURVE_H

#include <stdbool.h>
#include <stddef.h>

/* Losses at steps first, first + every, ... */
struct line {
    const char *label; /* NULL: has none of its own */
    const double *loss;
    size_t n;
    double first, every;
    bool bold;
};

struct panel {
    const char *title;
    double last_step, tick; /* of the x axis, which begins at 0 */
    const struct line *lines;
    size_t n_lines;
};

/* Write two panels with one logarithmic y axis as an SVG. False if it cannot be
 * written. */
bool write_curves(const char *path, const struct panel panels[2]);

#endif
