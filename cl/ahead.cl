/* SPDX-License-Identifier: MIT */
/*
 * ahead: as `joined`, but a work-group has two parts: while one waits in registers for the
 * maximum and the sum of its row, the next one comes to local memory, and what it brings to its own
 * row is told before anybody waits for the first. So the wait is over before it begins.
 *
 * A work-group takes its next ticket only after that wait, so that it has told all it has while
 * it waits. Those that wait have two parts each, so all parts of the first unfinished row are
 * told, once half of PARTS work-groups run at all.
 */
#ifndef WG
#define WG 256
#endif
#define AHEAD 1
#include "group_set.cl"
#include "held_passes.cl"
#include "tickets.cl"

/* What is the same for all work-items of a part, until it is written: registers are few. */
struct noted {
    __global mem_y *y;
    uint head; /* see cut.cl */
    real max;
    struct keep keep;
};

/* A ticket's part of a row. */
struct part {
    size_t r;
    struct row row;
    struct cut cut;
    uint number, first; /* of the row's parts; of its workers */
};

#if SETTLED /* tickets are for rows of one part, see settled.cl */
#define ROW_OF(t) (t)
#define NUMBER_OF(t) settled
#else
#define ROW_OF(t) ((t) / PARTS)
#define NUMBER_OF(t) ((t) % PARTS)
#endif

#define PART_AT(name, t)                                                                 \
    struct part name;                                                                    \
    name.r = shape.first_row + ROW_OF(t);                                                \
    name.row = ROW_INSIDE(name.r, 0);                                                       \
    name.cut = cut_row(name.row);                                                        \
    name.number = NUMBER_OF(t);                                                          \
    name.first = name.number * WG + (uint)get_local_id(0)

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS, SHARED)
{
    __local real scratch[SCRATCH_REALS];
    __local uint4 stock[STOCK];
    __local real told[3];
    __local uint ticket;
#if SETTLED
    const uint tickets = (uint)shape.launch_rows;
    __local uint arrived;
    tell_ticket(shared, take_ticket(shared), 0, 0, &arrived);
    const uint settled = arrived % PARTS, all = (uint)get_num_groups(0);
    const uint others = all - ((all - 1 - settled) / PARTS + 1);
    volatile __global uint *const counter = shared + 1 + settled;
#else
    const uint tickets = (uint)shape.launch_rows * PARTS, others = 0;
    volatile __global uint *const counter = shared;
#endif
    struct held held, coming;
    __local struct noted noted[2]; /* in turn, so that nobody waits */
    uint turn = 0;
    uint before = tickets;
    coming.stock = stock + get_local_id(0);
#if MASKS_AHEAD
    __local uint4 masks[MASK_STOCK];
    coming.masks = (__local uint *)masks + get_local_id(0) * MASK_PIECE;
#elif MASKS_STAY
    __local real planes[PACKS * CHUNK] __attribute__((aligned(16)));
    __local ulong settled_for; /* whose masks stand there */
    coming.planes = lane_place(planes, shape);
    if (get_local_id(0) == 0)
        settled_for = 0;
#endif
    tell_ticket(counter, take_ticket(counter), tickets, others, &ticket);
    uint t = ticket;
    while (t < tickets || before < tickets) {
        if (t < tickets) {
            PART_AT(p, t);
            struct keep keep;
            stock_packs(&coming, p.row, p.cut, p.first);
            hold_edges(&coming, p.row, p.cut, p.first);
            ASK();
            keep_start(&keep, p.row);
            ASK();
#if MASKS_STAY
            if (settled_for != settled_as(p.row, p.cut)) {
                barrier(CLK_LOCAL_MEM_FENCE); /* everybody has seen that, and needs none */
                if (get_local_id(0) == 0)
                    settled_for = settled_as(p.row, p.cut);
                settle_masks(planes, p.row, p.cut, p.number);
            }
#endif
#if ONE_PASS
            struct state s = held_once(&coming, p.row, p.cut, p.first, scratch);
#else
            hold_logits(&coming, 0, p.row, p.cut, p.first);
            struct state s =
                held_set_state(&coming, 0, p.row, p.cut, p.first, &keep, scratch);
#endif
#if !OP_GIVEN
            if (get_local_id(0) == 0)
                signed_write(signed_of(shared, shape, p.r, p.number), s,
                             sign_of(shape, p.r));
#endif
            if (get_local_id(0) == 0) {
                struct noted note = {p.row.y, p.cut.head, s.max, keep};
                noted[turn] = note;
            }
        }
        turn ^= 1;
        uint taken = 0; /* is on its way while the row is written */
        if (before < tickets) {
            PART_AT(p, before);
            bool writes = OP_WRITES == WRITES_ROW || p.number == 0; /* all there is */
            struct state whole = given_state(p.row);
#if !OP_GIVEN
            if (writes)
                whole = join(shape, p.r, shared, scratch, told);
#endif
            if (t < tickets)
                taken = take_ticket(counter);
            if (writes) {
                struct noted note = noted[turn];
                p.row.y = note.y;
                p.cut = cut_at(p.row, note.head);
                struct writing as =
                    held_close(p.row, p.first, whole, note.max, &note.keep, scratch);
                held_write(&held, KEPT, p.row, p.cut, p.first, as);
            }
        } else
            taken = take_ticket(counter);
        before = t;
        if (t < tickets) {
            hold_stocked(&held, &coming);
#if OP_GIVEN
            barrier(CLK_LOCAL_MEM_FENCE); /* everybody has read the ticket */
#endif
            tell_ticket(counter, taken, tickets, others, &ticket);
            t = ticket;
        }
    }
}
