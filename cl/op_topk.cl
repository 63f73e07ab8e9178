/* SPDX-License-Identifier: MIT */
/*
 * The PLACES largest probabilities of each row, largest first, and their columns; equal ones
 * by the lower column. Where a mapping can tell a threshold, the few elements that reach it are
 * compared with each other (topk_candidates.cl); elsewhere each of a row's WORKERS keeps a short
 * sorted list (topk_lists.cl).
 *
 * NaN counts as +inf. -inf is not listed: what is masked is never chosen, and places that
 * stay free get probability 0 and column -1.
 */
#define OP_KEEPS 1
#define OP_ADDS 1
#include "exp_terms.cl"
#define OP_WRITES WRITES_ITSELF
#ifndef PLACES
#define PLACES 1
#endif
#ifndef WORKERS
#define WORKERS 1
#endif

#ifndef CANDIDATES
#define CANDIDATES 0 /* as many as there is room for, where a mapping can tell a threshold */
#endif
#if CANDIDATES
#define HAS_CANDIDATES 1
#endif

#if KEY_BITS
#include "topk_keys.cl"
#else
#include "topk_pairs.cl"
#endif

/* Numbers as they are ranked; those past the row's end are never listed. */
static real ranked(struct row row, real v, uint c)
{
    v = v != v ? (real)INFINITY : v;
    return upto(v, row.end - c, (real)(-INFINITY));
}

#define keep_reduce(keep, scratch)
#define keep_end(keep, row, result)

#include "probability.cl"

/* What place j holds: 0 where nothing is left for it, or where temperature 0 leaves one. */
static real place_result(struct row row, struct result r, uint j, real v, uint column)
{
    bool none = column == NO_COLUMN || (row.one_hot && j > 0);
    real nothing = r.scale < (real)INFINITY ? (real)0 : (real)NAN; /* NaN rows stay so */
    return none ? nothing : probability(v, r);
}

/* To where row's list is, in memory or staged. */
static void put_place(struct row row, uint j, real result, uint column)
{
#if LISTS_STAGED
    store_one(result, row.staged_y + j);
    row.staged_indices[j] = (int)column;
#else
    store_one(result, row.y + j * row.indices_col);
    row.indices[j * row.indices_col] = (int)column;
#endif
}

#if HAS_CANDIDATES
#include "topk_candidates.cl"
#else
#include "topk_lists.cl"
#endif
