/* SPDX-License-Identifier: MIT */
/*
 * joined: PARTS work-groups take a row, each holds its part in registers, and they wait for
 * one another's maximum and sum: x is read once and y written once on rows that no work-group
 * could hold. Wins on long rows and on few rows.
 *
 * Work-groups take tickets as they start, row by row, so one only waits for work-groups that
 * have started already, or that start as soon as PARTS of them can run at once. That takes a
 * device that lets them (TRAIT_WAIT), and the host never queues two such launches side by side.
 */
#ifndef WG
#define WG 256
#endif
#include "group_set.cl"
#include "held.cl"
#include "shared.cl"

/* Tickets are counted in the first word; who takes the last one puts it back to 0. */
INLINE uint take_ticket(volatile __global uint *shared, uint tickets, __local uint *ticket)
{
    if (get_local_id(0) == 0) {
        *ticket = atomic_inc(shared);
        if (*ticket == tickets - 1)
            atomic_xchg(shared, 0u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return *ticket;
}

/* What a record's last word is once it is there. */
static uint sign_of(struct shape shape, size_t r)
{
    return (uint)(shape.epoch + (r - shape.first_row)) + 1;
}

static void leave_record(struct state s, struct shape shape, size_t r, uint part,
                         volatile __global uint *shared)
{
    record mine = record_of(shared, shape, r, part);
    if (get_local_id(0) != 0)
        return;
    record_write(mine, s);
    ptx_release((volatile __global uint *)mine + RECORD_WORDS - 1, sign_of(shape, r));
}

/* The whole row's state, from the records of all its parts. */
INLINE struct state join(struct shape shape, size_t r, volatile __global uint *shared,
                         __local real *scratch)
{
    const uint there = sign_of(shape, r);
    struct state s = state_empty();
    for (uint k = get_local_id(0); k < PARTS; k += WG) {
        record other = record_of(shared, shape, r, k);
        while (ptx_acquire((volatile __global uint *)other + RECORD_WORDS - 1) != there)
            ;
        s = record_merge(s, other);
    }
    return set_state(s, scratch);
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) LANES_ATTRIBUTE void
clsm_row(TENSORS, SHARED)
{
    __local real scratch[SCRATCH_REALS];
    __local uint ticket;
    uint t = take_ticket(shared, get_num_groups(0), &ticket);
    size_t r = shape.first_row + t / PARTS;
    uint part = t % PARTS, first = part * WG + get_local_id(0);
    struct row row = ROW_AT(r);
    struct cut cut = cut_row(row);
    struct state s = given_state(row);
    struct held held;
    struct keep keep;
    keep_start(&keep, row);
    hold_row(&held, row, cut, first);
#if !OP_GIVEN
#if OP_NEEDS_MAX
    s.max = set_max(held_max(&held, row, cut, first), scratch);
#endif
    s.sum = set_sum(held_sum(&held, row, cut, first, s.max, &keep), scratch);
    leave_record(s, shape, r, part, shared);
    if (OP_WRITES != WRITES_ROW && part != 0)
        return; /* the first part writes all there is */
    s = join(shape, r, shared, scratch);
#endif
    held_end(&held, row, cut, first, s, &keep, scratch);
}
