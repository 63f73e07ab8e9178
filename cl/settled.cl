/* SPDX-License-Identifier: MIT */
/*
 * settled: as `ahead`, but a work-group has the same part of every row: the work-groups are
 * counted as they begin, and each takes rows from the counter of its part. What is added to all
 * rows alike, a mask of (cols), then comes to its local memory once and stays. Wins where many
 * rows are beyond 16384 columns: to read such a mask beside each of them costs the cache as much
 * as x does.
 *
 * The first PARTS work-groups that begin have one part each, and a part's rows are taken in
 * order. So all parts of the first unfinished row are told, once PARTS work-groups run at all.
 */
#define SETTLED 1
#include "ahead.cl"
