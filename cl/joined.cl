/* SPDX-License-Identifier: MIT */
/*
 * joined: PARTS work-groups take a row, each holds its part in registers, and they wait for
 * one another's maximum and sum: x is read once and y written once on rows that no work-group
 * could hold. Where a row's largest are wanted, each part leaves its own, and the first one's
 * work-group chooses among these. Wins on long rows and on few rows.
 *
 * Work-groups take tickets, row by row, and hold no second one while they wait, so the parts of
 * the first unfinished row are with work-groups that run, once PARTS of them run at all: these
 * finish, whatever the others wait for. That takes a device that lets them (TRAIT_WAIT), and
 * the host never queues two such launches side by side.
 */
#ifndef WG
#define WG 256
#endif
#include "group_set.cl"
#include "held_passes.cl"
#include "tickets.cl"
#if HAS_CANDIDATES
#include "part_candidates.cl"
#endif

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS, SHARED)
{
    __local real scratch[SCRATCH_REALS + KEEP_REALS] KEEP_ALIGNED;
    __local uint4 stock[STOCK];
    __local real told[3];
    __local uint ticket;
    const uint tickets = (uint)shape.launch_rows * PARTS;
    tell_ticket(shared, take_ticket(shared), tickets, 0, &ticket);
    for (uint t = ticket; t < tickets; t = ticket) {
        size_t r = shape.first_row + t / PARTS;
        uint part = t % PARTS, first = part * WG + (uint)get_local_id(0);
        struct row row = ROW_AT(r);
        struct cut cut = cut_row(row);
        struct held held;
        struct keep keep;
        held.stock = stock + get_local_id(0);
        hold_started(&held, row, cut, first, &keep);
        struct state s = held_set_state(&held, KEPT, row, cut, first, &keep, scratch);
        real max = s.max;
#if OP_GIVEN
        barrier(CLK_LOCAL_MEM_FENCE); /* everybody has read the ticket */
#else
        if (get_local_id(0) == 0)
            signed_write(signed_of(shared, shape, r, part), s, sign_of(shape, r));
#if HAS_CANDIDATES
        keep_leave(&keep, signed_of(shared, shape, r, part), sign_of(shape, r), scratch);
#endif
        if (OP_WRITES == WRITES_ROW || part == 0) { /* else the first part writes all there is */
            look(shape, r, shared, scratch, told);
            barrier(CLK_LOCAL_MEM_FENCE);
            s = told_state(told);
#if HAS_CANDIDATES
            keep_gather(&keep, signed_of(shared, shape, r, 0), sign_of(shape, r), scratch);
#endif
        }
#endif
        uint taken = take_ticket(shared); /* is on its way while the row is written */
        if (OP_WRITES == WRITES_ROW || part == 0) {
            struct writing as = held_close(row, first, s, max, &keep, scratch);
            held_write(&held, KEPT, row, cut, first, as);
        }
        tell_ticket(shared, taken, tickets, 0, &ticket);
    }
}
