/* SPDX-License-Identifier: MIT */
/* A work-group as a set of workers, by lanes where they can exchange values. */
#if LANES_BY != LANES_NONE
#include "group_set.cl"
#else
#include "tree_set.cl"
#endif
