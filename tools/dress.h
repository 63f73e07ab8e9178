/* SPDX-License-Identifier: MIT */
/*
 * Dresses: combinations of operands and forms that problems wear in tests. Number 0 is
 * the bare operation; of the others an operation wears what it may have.
 */
#ifndef DRESS_H
#define DRESS_H

#include "clsoftmax.h"

#include <stdbool.h>

/* Rows that every dress is at home with: whole batches, and a part of one. */
enum { DRESS_QUERIES = 4, DRESS_HEADS = 2, DRESS_ROWS = 21 };

unsigned dress_count(void);

/* Put dress n on a problem of packed rows. False: this operation would look bare. */
bool dress_problem(unsigned n, clsm_problem *problem);

/* "causal", "alibi", ... */
const char *dress_name(unsigned n);

#endif
