/* SPDX-License-Identifier: MIT */
/* The kernel of ahead.cl, and of settled.cl but in one pass: two parts of rows each, and a barrier for whatever is told. */
__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS, SHARED)
{
    __local real scratch[SCRATCH_REALS];
    __local uint4 stock[STOCK];
    __local real told[3];
    __local uint arrived, ticket;
    const uint settled = settled_part(shared, &arrived);
    const struct drawing draw = drawing_of(shared, shape, settled);
    const uint tickets = draw.tickets;
    struct held held, coming;
    __local struct noted noted[2]; /* in turn, so that nobody waits */
    uint turn = 0;
    uint before = tickets;
    coming.stock = stock + get_local_id(0);
    PLANES(coming);
    tell_ticket(draw.from, take_ticket(draw.from), tickets, draw.others, &ticket);
    uint t = ticket;
    while (t < tickets || before < tickets) {
        if (t < tickets) {
            PART_AT(p, t);
            struct keep keep;
            send_part(&coming, p);
            ASK();
            keep_start(&keep, p.row);
            ASK();
            SETTLE(p);
            hold_logits(&coming, 0, p.row, p.cut, p.first);
            struct state s =
                held_set_state(&coming, 0, p.row, p.cut, p.first, &keep, scratch);
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
            if (writes) {
                look(shape, p.r, shared, scratch, told);
                barrier(CLK_LOCAL_MEM_FENCE);
                whole = told_state(told);
            }
#endif
            if (t < tickets)
                taken = take_ticket(draw.from);
            if (writes) {
                struct noted note = noted[turn];
                p.row.y = note.y;
                p.cut = cut_at(p.row, note.head);
                struct writing as =
                    held_close(p.row, p.first, whole, note.max, &note.keep, scratch);
                held_write(&held, KEPT, p.row, p.cut, p.first, as);
            }
        } else
            taken = take_ticket(draw.from);
        before = t;
        if (t < tickets) {
            hold_stocked(&held, &coming);
#if OP_GIVEN
            barrier(CLK_LOCAL_MEM_FENCE); /* everybody has read the ticket */
#endif
            tell_ticket(draw.from, taken, tickets, draw.others, &ticket);
            t = ticket;
        }
    }
}
