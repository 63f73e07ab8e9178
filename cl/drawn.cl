/* SPDX-License-Identifier: MIT */
/* Parts of rows that work-groups draw by ticket, two and more each. */
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
#define ROW_OF_TICKET(t) (t)
#define PART_OF_TICKET(t) settled
#else
#define ROW_OF_TICKET(t) ((t) / PARTS)
#define PART_OF_TICKET(t) ((t) % PARTS)
#endif

#define PART_AT(name, t)                                                                 \
    struct part name;                                                                    \
    name.r = shape.first_row + ROW_OF_TICKET(t);                                         \
    name.row = ROW_INSIDE(name.r, 0);                                                    \
    name.cut = cut_row(name.row);                                                        \
    name.number = PART_OF_TICKET(t);                                                     \
    name.first = name.number * WG + (uint)get_local_id(0)

/* Where a work-group draws, how many tickets there are, and how many work-groups draw elsewhere. */
struct drawing {
    volatile __global uint *from;
    uint tickets, others;
};

/* Of all parts; or of rows of which each work-group has the same part. */
INLINE struct drawing drawing_of(volatile __global uint *shared, struct shape shape, uint settled)
{
#if SETTLED
    const uint all = (uint)get_num_groups(0);
    struct drawing drawing = {shared + 1 + settled, (uint)shape.launch_rows,
                              all - ((all - 1 - settled) / PARTS + 1)};
#else
    struct drawing drawing = {shared, (uint)shape.launch_rows * PARTS, 0};
#endif
    return drawing;
}

/* Which part that is: the work-groups are counted as they begin. */
INLINE uint settled_part(volatile __global uint *shared, __local uint *arrived)
{
#if SETTLED
    tell_ticket(shared, take_ticket(shared), 0, 0, arrived);
    return *arrived % PARTS;
#else
    return 0;
#endif
}

/* Sends for a part. */
INLINE void send_part(struct held *h, struct part p)
{
    stock_packs(h, p.row, p.cut, p.first);
    hold_edges(h, p.row, p.cut, p.first);
}
