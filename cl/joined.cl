/* SPDX-License-Identifier: MIT */
/*
 * joined: PARTS work-groups take a row, each holds its part in registers, and they wait for
 * one another's maximum and sum: x is read once and y written once on rows that no work-group
 * could hold. Wins on long rows and on few rows.
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
#include "shared.cl"

/* Tickets are counted in the first word, by the first work-item of a work-group. */
INLINE uint take_ticket(volatile __global uint *shared)
{
    return get_local_id(0) == 0 ? atomic_inc(shared) : 0;
}

/* It tells the others, once they no longer ask for the last one. Every work-group takes tickets
 * until it gets one past the last, and who takes the very last of those puts the word back to 0. */
INLINE void tell_ticket(volatile __global uint *shared, uint taken, uint tickets,
                        __local uint *ticket)
{
    if (get_local_id(0) == 0) {
        *ticket = taken;
        if (taken == tickets + (uint)get_num_groups(0) - 1)
            atomic_xchg(shared, 0u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* The whole row's state, from the records of all its parts. One set of lanes looks for them
 * and tells the others: looking costs memory traffic. */
INLINE struct state join(struct shape shape, size_t r, volatile __global uint *shared,
                         __local real *scratch)
{
    __local real *told = scratch + LANES_SCRATCH; /* nobody reads the partial sums any more */
    struct state s = state_empty();
    if (lanes_id() == 0) {
        for (uint k = lane_id(); k < PARTS; k += lanes_size())
            s = state_merge(s, signed_read(signed_of(shared, shape, r, k), sign_of(shape, r)));
#if OP_NEEDS_MAX
        s = state_raise(s, lanes_max(s.max, scratch));
#endif
        s.sum = lanes_row_sum(s.sum, scratch);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        told[0] = s.max, told[1] = s.sum.hi, told[2] = s.sum.lo;
    barrier(CLK_LOCAL_MEM_FENCE);
    s.max = told[0];
    s.sum.hi = told[1];
    s.sum.lo = told[2];
    return s;
}

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS, SHARED)
{
    __local real scratch[SCRATCH_REALS];
    __local uint4 stock[STOCK];
    __local uint ticket;
    const uint tickets = (uint)shape.launch_rows * PARTS;
    tell_ticket(shared, take_ticket(shared), tickets, &ticket);
    for (uint t = ticket; t < tickets; t = ticket) {
        size_t r = shape.first_row + t / PARTS;
        uint part = t % PARTS, first = part * WG + (uint)get_local_id(0);
        struct row row = ROW_AT(r);
        struct cut cut = cut_row(row);
        struct held held;
        struct keep keep;
        held.stock = stock + get_local_id(0);
        hold_started(&held, row, cut, first, &keep);
        struct state s = held_set_state(&held, row, cut, first, &keep, scratch);
        real max = s.max;
#if OP_GIVEN
        barrier(CLK_LOCAL_MEM_FENCE); /* everybody has read the ticket */
#else
        if (get_local_id(0) == 0)
            signed_write(signed_of(shared, shape, r, part), s, sign_of(shape, r));
        if (OP_WRITES == WRITES_ROW || part == 0) /* else the first part writes all there is */
            s = join(shape, r, shared, scratch);
#endif
        uint taken = take_ticket(shared); /* is on its way while the row is written */
        if (OP_WRITES == WRITES_ROW || part == 0)
            held_end(&held, row, cut, first, s, max, &keep, scratch);
        tell_ticket(shared, taken, tickets, &ticket);
    }
}
