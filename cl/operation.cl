/* SPDX-License-Identifier: MIT */
/*
 * What an operation tells the mappings, and what holds where it says nothing:
 *     OP_NEEDS_MAX  its terms are taken relative to the row's maximum
 *     OP_NEEDS_REST its result is a logarithm of the sum, which may be barely above 1
 *     OP_LIFTS      it has op_lifted_term, 2^LIFT times a term: see exp.cl
 *     OP_ONES       the terms of a row's largest elements are 1, and op_other_term is enough for
 *                   the others: what a logarithm wants to know of a sum is both of them apart
 *     OP_SUM_AT_INF where the maximum is +inf any sum will do
 *     OP_WEIGHS     its terms have factors: that of the maximum is rounded, too
 *     OP_GIVEN      max and sum are read instead of computed
 *     OP_KEEPS      it keeps something of its own: struct keep, keep_start, keep_add,
 *                   keep_reduce; for the others these are empty. Where rows are lanes,
 *                   ROW_PER_LANE, keep_lanes and keep_logits begin it, keep_lanes_end ends it
 *     HAS_CANDIDATES it keeps elements from a threshold on, which keep_threshold finds with
 *                   KEEP_REALS more of local memory, KEEP_ALIGNED, and keep_turn again while a
 *                   row goes by; keep_wants says which these are, keep_room and keep_put take
 *                   several, and a part of a row leaves PART_RECORDS, see part_candidates.cl
 *     OP_ADDS       keep_add is not empty: elements may be seen once only
 *     OP_FROM_TERM  its values can be made of the terms: op_from_term
 *     OP_RESCALES   they are products with a number of the result, op_rescale: where all of a
 *                   row's terms are finite and off by a factor op_from_number makes them
 *     OP_SPOT       one column, op_spot, has a value of its own, op_at_spot, as op_value knows;
 *                   op_elsewhere and op_from_term need not
 *     OP_VANISHES   where op_vanishes says so, the values are 0 if the terms are
 *     OP_WRITES     WRITES_ROW: an element for each of x; WRITES_ONE: one a row, op_one;
 *                   WRITES_NOTHING but row results; WRITES_ITSELF: op_write
 */
#ifndef OP_NEEDS_REST
#if HAS_LSE
#define OP_NEEDS_REST 1
#else
#define OP_NEEDS_REST 0
#endif
#endif
#ifndef OP_NEEDS_MAX
#define OP_NEEDS_MAX 0
#endif
#ifndef OP_SUM_AT_INF
#define OP_SUM_AT_INF 0
#endif
#ifndef OP_WEIGHS
#define OP_WEIGHS 0
#endif
#ifndef OP_GIVEN
#define OP_GIVEN 0
#endif
#ifndef OP_LIFTS
#define OP_LIFTS 0
#define op_lifted_term op_term
#endif
#ifndef OP_KEEPS
#define OP_KEEPS 0
#endif
#ifndef HAS_CANDIDATES
#define HAS_CANDIDATES 0
#define KEEP_REALS 0
#define KEEP_ALIGNED
#define PART_RECORDS 1
#endif
#ifndef OP_FROM_TERM
#define OP_FROM_TERM 0
#endif
#ifndef BIASED /* exp_terms.cl, which says all of these */
#define BIASED 0
#define BIASED_BESIDE 0
#define RAISED 0
#define LOG_KNOWN 0
#define OP_ONES 0
#define TAMED 0
#define row_max(max) (max)
#define SHARP 0
#define SHARP_LATER 0
#define TINY_LATER 0
#define sharp_term(term, x, max) (term)
#endif
#ifndef OP_RESCALES
#define OP_RESCALES 0
#define op_from_number op_from_term
#endif
#ifndef OP_SPOT
#define OP_SPOT 0
#define op_elsewhere op_value
#endif
#ifndef OP_VANISHES
#define OP_VANISHES 0
#endif
#ifndef OP_WRITES
#define OP_WRITES WRITES_ROW
#endif
/* What a set's first barrier orders: the target's x as well, which everybody has read by then and
 * somebody may write to later. */
#if HAS_TARGETS && OP_WRITES == WRITES_ROW && !HAS_PTX
#define FIRST_FENCE (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#else
#define FIRST_FENCE CLK_LOCAL_MEM_FENCE
#endif

/* Is a logarithm's sum of its largest terms, which are ones, and of the others apart? */
#define COUNTS_ONES (OP_NEEDS_REST && OP_ONES)

/* May the row's maximum be another one than that which its terms were taken relative to? */
#if HAS_SINKS || defined PARTS && PARTS > 1
#define MAX_MOVES 1
#else
#define MAX_MOVES 0
#endif

/* Can results be made of terms that are held since they were added? */
#if OP_FROM_TERM && !OP_GIVEN && !MAY_BE_HOT
#define TERMS_SERVE 1
#else
#define TERMS_SERVE 0
#endif
/* And of nothing besides? */
#if TERMS_SERVE && !HAS_SINKS
#define MADE_OF_TERMS 1
#else
#define MADE_OF_TERMS 0
#endif
