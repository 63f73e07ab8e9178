/* SPDX-License-Identifier: MIT */
/*
 * What every program starts with. A program is this file, one operation (op_*.cl),
 * passes.cl and one mapping, in this order, with -D for the types and parameters.
 */
#ifndef LIMIT
#define LIMIT 0 /* 1: the non-finite policy `limit` */
#endif
#include "shape.cl"
#include "types.cl"
#include "exp.cl"
#include "reduce.cl"
#include "lanes.cl"
#include "row.cl"
