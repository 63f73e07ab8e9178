/* SPDX-License-Identifier: MIT */
/*
 * settled: as `ahead`, but a work-group has the same part of every row: the work-groups are
 * counted as they begin, and each takes rows from the counter of its part. What is added to all
 * rows alike, a mask of (cols), then comes to its local memory once and stays. Wins where many
 * rows are beyond 16384 columns: to read such a mask beside each of them costs the cache as much
 * as x does.
 *
 * The first PARTS work-groups that begin have one part each, and a part's rows are taken in
 * order. So all parts of the first unfinished row are told, once PARTS work-groups run at all; and
 * a work-group may take its next row before it waits for one.
 *
 * Where logits, terms and sums are made in one pass, a turn has two barriers: behind the first one
 * the first work-item tells this part's state, and a set of lanes looks for another row's; behind
 * the second one all know that, and the next ticket.
 */
#ifndef WG
#define WG 128
#endif
#define SETTLED 1
#include "drawn.cl"
#if ONE_PASS
/* The states of all sets of lanes as one, which the first set has. */
INLINE struct state first_state(struct state s, __local real *scratch)
{
    __local real *part = scratch + LANES_SCRATCH;
    if (lane_id() == 0)
        part[2 * lanes_id()] = s.max, part[2 * lanes_id() + 1] = s.sum.hi + s.sum.lo;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lanes_id() == 0) {
        uint k = lane_id() % MOST_SETS;
        s.max = part[2 * k], s.sum.hi = part[2 * k + 1], s.sum.lo = (real)0;
        s = state_bring(s, cluster_max(s.max, MOST_SETS, scratch));
        s.sum = cluster_sum(s.sum, MOST_SETS, scratch);
    }
    return s;
}

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS, SHARED)
{
    __local real scratch[SCRATCH_REALS];
    __local uint4 stock[STOCK];
    __local real told[3];
    __local struct noted noted[2]; /* in turn */
    __local uint arrived, ticket;
    const uint settled = settled_part(shared, &arrived);
    const struct drawing draw = drawing_of(shared, shape, settled);
    struct held held, coming;
    uint turn = 0, before = draw.tickets;
    coming.stock = stock + get_local_id(0);
    PLANES(coming);
    tell_ticket(draw.from, take_ticket(draw.from), draw.tickets, draw.others, &ticket);
    uint t = ticket;
    while (t < draw.tickets || before < draw.tickets) {
        const bool reads = t < draw.tickets, writes = before < draw.tickets;
        if (reads) {
            uint taken = take_ticket(draw.from); /* is on its way while the row is read */
            PART_AT(p, t);
            send_part(&coming, p);
            SETTLE(p);
            struct state s = held_once(&coming, p.row, p.cut, p.first, scratch);
            s = first_state(s, scratch);
            if (get_local_id(0) == 0) {
                struct noted note = {p.row.y, p.cut.head};
                noted[turn] = note;
                signed_write(signed_of(shared, shape, p.r, p.number), s, sign_of(shape, p.r));
            }
            note_ticket(draw.from, taken, draw.tickets, draw.others, &ticket);
        } else
            barrier(CLK_LOCAL_MEM_FENCE); /* everybody knows what was told of the last row */
        if (writes)
            look(shape, shape.first_row + before, shared, scratch, told);
        barrier(CLK_LOCAL_MEM_FENCE);
        turn ^= 1;
        if (writes) {
            PART_AT(p, before);
            struct state whole = told_state(told);
            struct noted note = noted[turn];
            p.row.y = note.y;
            p.cut = cut_at(p.row, note.head);
            struct writing as =
                held_close(p.row, p.first, whole, whole.max, &note.keep, scratch);
            held_write(&held, KEPT, p.row, p.cut, p.first, as);
        }
        before = t;
        if (reads) {
            hold_stocked(&held, &coming);
            t = ticket;
        }
    }
}
#else
#include "two_parts.cl"
#endif
