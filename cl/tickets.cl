/* SPDX-License-Identifier: MIT */
/* Parts of rows for work-groups that wait for one another: who takes which, and what they make
 * of it together. */
#include "shared.cl"
#include "signed.cl"

/* Tickets are counted in a word, by the first work-item of a work-group. */
INLINE uint take_ticket(volatile __global uint *word)
{
    return get_local_id(0) == 0 ? atomic_inc(word) : 0;
}

/* The others know it after the next barrier, before which they no longer ask for the last one. All
 * work-groups but `others` take tickets there until they get one past the last, and who takes the
 * very last of those puts the word back to 0. */
INLINE void note_ticket(volatile __global uint *word, uint taken, uint tickets, uint others,
                        __local uint *ticket)
{
    if (get_local_id(0) == 0) {
        *ticket = taken;
        if (taken == tickets + (uint)get_num_groups(0) - others - 1)
            atomic_xchg(word, 0u);
    }
}

INLINE void tell_ticket(volatile __global uint *word, uint taken, uint tickets, uint others,
                        __local uint *ticket)
{
    note_ticket(word, taken, tickets, others, ticket);
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* How many of these lanes have anything to bring together, as a power of two? */
enum {
    JOINED = PARTS > 16 ? LANES : PARTS > 8 ? 16 : PARTS > 4 ? 8 : PARTS > 2 ? 4 : 2
};

/* Looks for the records of all of a row's parts, and notes its state for the others, who know it
 * after the next barrier. One set of lanes does, since looking costs memory traffic, and not the
 * one whose first lane tells what this work-group has. */
INLINE void look(struct shape shape, size_t r, volatile __global uint *shared,
                 __local real *scratch, __local real *told)
{
    if (lanes_id() != (WG > LANES ? 1 : 0))
        return;
    struct state s = state_empty();
    uint sign = sign_of(shape, r);
    if (PARTS > LANES)
        for (uint k = lane_id(); k < PARTS; k += LANES)
            s = state_merge(s, signed_read(signed_of(shared, shape, r, k), sign, !AHEAD));
    else if (lane_id() < PARTS)
        s = signed_read(signed_of(shared, shape, r, lane_id()), sign, !AHEAD);
#if OP_NEEDS_MAX
    s = state_bring(s, cluster_max(s.max, JOINED, scratch));
#endif
#if OP_NEEDS_REST
    s.sum = cluster_sum(s.sum, JOINED, scratch);
#else
    s.sum.hi = cluster_add(s.sum.hi + s.sum.lo, JOINED, scratch);
    s.sum.lo = (real)0;
#endif
    if (lane_id() == 0)
        told[0] = s.max, told[1] = s.sum.hi, told[2] = s.sum.lo;
}

INLINE struct state told_state(const __local real *told)
{
    struct state s = state_empty();
    s.max = told[0];
    s.sum.hi = told[1];
    s.sum.lo = told[2];
    return s;
}
