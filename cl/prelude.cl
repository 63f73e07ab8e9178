/* SPDX-License-Identifier: MIT */
/*
 * What every program starts with. A program is this file, one operation (op_*.cl),
 * passes.cl and one mapping, in this order, with -D for the types and parameters.
 */
#ifndef LIMIT
#define LIMIT 0 /* 1: the non-finite policy `limit` */
#endif
#ifndef FAR
#define FAR 0 /* 1: rows of millions of columns, where the rounding of a sum shows */
#endif
#ifndef ONE_HOT
#define ONE_HOT 0 /* 1: temperature 0 in all rows */
#endif
/* For every function that reaches a barrier, and for those that hand registers on. PoCL has to
 * inline the former, and where it left that to LLVM 15's inliner, that crashed, or work-items
 * did not wait for each other. */
#define INLINE static inline __attribute__((always_inline))
/* For what is large or rare, reaches no barrier and asks for no work-item's number: PoCL 3.1
 * compiles three copies of a kernel with all that is inlined there. */
#define OUTLINE static __attribute__((noinline))
/* Before a loop whose indices have to be constants for its arrays to stay in registers. */
#define UNROLL _Pragma("unroll")
/* Before a loop that is rarely taken, or large as it stands. */
#define ROLLED _Pragma("nounroll")
/* The size of work-groups. Where registers are limited by an option (LIMITED) the compiler is
 * not told, since NVIDIA's would prefer the registers that this leaves. */
#ifdef LIMITED
#define WORK_GROUP(n)
#else
#define WORK_GROUP(n) __attribute__((reqd_work_group_size(n, 1, 1)))
#endif
#include "shape.cl"
#include "ptx.cl"
#include "ptx_memory.cl"
#include "x86.cl"
#include "types.cl"
#include "exp.cl"
/* May terms be relative to a base? */
#define HAS_BASES (VEC > 1 && !REAL_IS_F64 && !HAS_PTX)
#if HAS_BASES
#include "exp_based.cl"
static real exp_based(real x, struct base b); /* the one that an operation needs: passes.cl */
#endif
#include "reduce.cl"
#include "lanes.cl"
#include "top.cl"

/* The length of rows that a few workers have whole, where a program is for one length. */
#ifdef COLS
#define SHORT_COLS COLS
#elif defined HOLDS_ALL
#define SHORT_COLS HOLD
#elif defined TURN_COLS
#define SHORT_COLS TURN_COLS
#endif

/* The most columns of rows that a few workers have whole: of a tile's as many as their registers
 * hold. */
#ifdef SHORT_COLS
#define SHORT_MOST SHORT_COLS
#elif defined ONE_TURN && HOLD * WG * PACK / TILE <= FEW_HUNDRED
#define SHORT_MOST (HOLD * WG * PACK / TILE)
#endif

/* Does a mapping itself write losses and the like, those of neighbouring rows as one? See
 * beside.cl. */
#if defined HOLDS_ALL || defined TURN_COLS
#define ONES_TOGETHER 1
#else
#define ONES_TOGETHER 0
#endif

#include "row.cl"
#include "element.cl"

/* Are rows the lanes of vectors when their sums are known, and is that all there is? Then
 * logarithms are taken there, see log_beside. */
#if defined COLS && VEC > 1 && !HAS_SINKS
#define LOGS_BESIDE 1
#else
#define LOGS_BESIDE 0
#endif

/* What an operation writes besides row results; see operation.cl. */
#define WRITES_ROW 0
#define WRITES_ONE 1
#define WRITES_NOTHING 2
#define WRITES_ITSELF 3

/* What a mapping clears of a row whose values vanish, see operation.cl: all that it writes the row
 * from (packs in registers and local memory), or its terms, while a short row that it reads again
 * is asked. */
#define CLEARS_NOTHING 0
#define CLEARS_TERMS 1
#define CLEARS_ROWS 2
#if defined KEPT
#define CLEARS CLEARS_ROWS
#elif defined SHORT_MOST && VEC == 1
#define CLEARS CLEARS_TERMS
#else
#define CLEARS CLEARS_NOTHING
#endif
