/* SPDX-License-Identifier: MIT */
/*
 * What every program starts with. A program is this file, one operation (op_*.cl),
 * passes.cl and one mapping, in this order, with -D for the types and parameters.
 */
#ifndef LIMIT
#define LIMIT 0 /* 1: the non-finite policy `limit` */
#endif
#ifndef ONE_HOT
#define ONE_HOT 0 /* 1: temperature 0 in all rows */
#endif
#include "shape.cl"
#include "types.cl"
#include "exp.cl"
#include "reduce.cl"
#include "lanes.cl"
#include "row.cl"

/* What an operation writes besides row results; see passes.cl. */
#define WRITES_ROW 0
#define WRITES_ONE 1
#define WRITES_NOTHING 2
#define WRITES_ITSELF 3
