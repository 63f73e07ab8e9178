/* SPDX-License-Identifier: MIT */
/* Problems that a JSON file names, as `bench` and `compare` write them. */
#ifndef LISTED_H
#define LISTED_H

#include "clsoftmax.h"

#include <stdbool.h>

/* The problems of a file, in its order, each once where it stands several times in a
 * row: an array of objects that have "op", "type", "rows", "cols" and, where there is
 * one, "k", or of objects whose "problems" are such an array. An object's "form", if it
 * has one, must be the one given, for the problems are bare. False with a message said;
 * the caller frees *problems otherwise. */
bool listed_problems(const char *path, const char *form, clsm_problem **problems,
                     size_t *count);

#endif
