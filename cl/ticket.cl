/* SPDX-License-Identifier: MIT */
/*
 * Work-groups that wait for one another take tickets, row by row, and hold no second one while
 * they wait, so the parts of the first unfinished row are with work-groups that run, once as many
 * as it has parts run at all: these finish, whatever the others wait for. That takes a device
 * that lets them (TRAIT_WAIT), and the host never queues two such launches side by side.
 */
#include "shared.cl"

/* Tickets are counted in the first word. Every work-group takes tickets until it gets one
 * past the last, and who takes the very last of those puts the word back to 0. */
INLINE void take_ticket(volatile __global uint *shared, uint tickets, __local uint *ticket)
{
    if (get_local_id(0) == 0) {
        *ticket = atomic_inc(shared);
        if (*ticket == tickets + (uint)get_num_groups(0) - 1)
            atomic_xchg(shared, 0u);
    }
}
