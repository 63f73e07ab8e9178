/* SPDX-License-Identifier: MIT */
/*
 * strided_ahead: the tiles of `strided` with their columns cut in PARTS parts, which wait for one
 * another as those of `ahead` do: while one waits in registers for its softmaxes' maxima and
 * sums, the next one comes to local memory, and what it brings to its own softmaxes is told
 * before anybody waits. So x is read once and y written once. Wins on a GPU where inner > 1.
 *
 * A work-group that waits for a tile has told all that it has of it: it takes its next ticket
 * before only if that is of a later tile. So those of the first unfinished tile are all told,
 * once half of PARTS work-groups run at all. With one part nobody waits, and the next tile comes
 * while this one is written.
 */
#ifndef WG
#define WG 256
#endif
#ifndef TILE
#define TILE 32
#endif
#ifndef HOLD
#define HOLD 8 /* columns of a worker, DEPTH apart */
#endif
#ifndef PARTS
#define PARTS 2
#endif
#define AHEAD 1
#include "part_passes.cl"
#include "tickets.cl"

/* Is there anything to wait for? */
#define WAITS (PARTS > 1 && !OP_GIVEN)

/* Records of a tile's softmaxes stand side by side. */
INLINE volatile __global ulong2 *tile_record(volatile __global uint *shared,
                                             struct shape shape, const struct part *p,
                                             uint number)
{
    uint softmax = (uint)get_local_id(0) / READERS;
    return signed_at(shared,
                     (p->tile - shape.first_row) * PARTS + number * TILE + softmax);
}

/* How many of them each of READERS reads at most; and at once, before the first is waited for. */
enum { RECORDS = (PARTS - 1) / READERS + 1, AT_ONCE = RECORDS < 4 ? RECORDS : 4 };

/* n records of one piece each, up to AT_ONCE, `apart` from one another, merged into s. They have
 * names because NVIDIA's compiler kept an array of them in memory. */
INLINE struct state merge_some(struct state s, volatile __global ulong2 *from, size_t apart,
                               uint n, uint sign)
{
    ulong2 a = ptx_look(from), b = a, c = a, d = a;
    if (AT_ONCE > 1 && n > 1)
        b = ptx_look(from + apart);
    if (AT_ONCE > 2 && n > 2)
        c = ptx_look(from + 2 * apart);
    if (AT_ONCE > 3 && n > 3)
        d = ptx_look(from + 3 * apart);
    struct state one = signed_piece(from, a, sign, true);
    struct state two = signed_piece(from + apart, b, sign, AT_ONCE > 1 && n > 1);
    struct state three = signed_piece(from + 2 * apart, c, sign, AT_ONCE > 2 && n > 2);
    struct state four = signed_piece(from + 3 * apart, d, sign, AT_ONCE > 3 && n > 3);
    real max = real_max(real_max(one.max, two.max), real_max(three.max, four.max));
    max = real_max(s.max, max);
    if (RECORDS > AT_ONCE) /* else nothing stands there yet */
        s = tile_add(tile_raise(s, max), tile_raise(one, max));
    else
        s = tile_raise(one, max);
    if (AT_ONCE > 1)
        s = tile_add(s, tile_raise(two, max));
    if (AT_ONCE > 2)
        s = tile_add(s, tile_raise(three, max));
    if (AT_ONCE > 3)
        s = tile_add(s, tile_raise(four, max));
    return s;
}

/* The states of the whole softmaxes, from the records of all parts, for READERS. */
INLINE struct state join_parts(const struct part *p, struct shape shape,
                               volatile __global uint *shared, __local real *scratch)
{
    uint sign = sign_of(shape, p->tile), k = (uint)get_local_id(0) % READERS;
    struct state sum = state_empty();
    if (PARTS > READERS && STATE_PIECES == 1 && OP_NEEDS_MAX) {
        for (; k < PARTS; k += AT_ONCE * READERS)
            sum = merge_some(sum, tile_record(shared, shape, p, k), READERS * TILE,
                             (PARTS - 1 - k) / READERS + 1, sign);
        return tile_merge(sum, scratch);
    }
    if (k < PARTS)
        sum = signed_read(tile_record(shared, shape, p, k), sign, false);
    for (k += READERS; k < PARTS; k += READERS)
        sum = tile_join(sum, signed_read(tile_record(shared, shape, p, k), sign, false));
    return tile_merge(sum, scratch);
}

/* What is held of a part as y, now that the states of its softmaxes are known. */
#define FINISH_PART(held, p, y, s, max)                                                  \
    {                                                                                    \
        struct result result[PACK];                                                      \
        real part[PACK];                                                                 \
        EACH(v)                                                                          \
        {                                                                                \
            struct row one = ROW_BESIDE(p.r, v);                                         \
            struct keep keep;                                                            \
            keep_start(&keep, one);                                                      \
            result[v] = close_row(one, s[v], &keep, p.number * DEPTH +                   \
                                  (uint)get_local_id(0) / SETS, scratch);                \
            part[v] = rescale(&result[v], max[v], s[v].max);                             \
        }                                                                                \
        write_part(held, &p, y, result, part);                                           \
    }

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS, SHARED)
{
    SCRATCH scratch[SCRATCH_REALS];
    __local uint4 places[HOLD * PLACES_EACH / 4];
    __local uint ticket;
    __local uint *stock = (__local uint *)places + get_local_id(0) * X_WORDS;
    const uint tickets = (uint)((shape.launch_rows + TILE - 1) / TILE) * PARTS;
    struct pack held[HOLD];
    real max[PACK], coming_max[PACK];
    __local ulong targets_of[2 * WG]; /* where a part goes; its own to every work-item */
    __local ulong *at = targets_of + get_local_id(0), *coming_at = at + WG;
    uint before = tickets;
    tell_ticket(shared, take_ticket(shared), tickets, 0, &ticket);
    uint t = ticket;
    if (t < tickets) {
        PART_AT(p, t);
        stock_part(stock, p, shape.inner);
        *coming_at = (ulong)(p.row.y + p.c * p.row.y_col);
    }
    while (t < tickets || before < tickets) {
        struct state sum, s[PACK];
        bool waits = WAITS && before < tickets;
        bool early = t < tickets && (!waits || t / PARTS != before / PARTS);
        uint taken = early ? take_ticket(shared) : 0;
        if (t < tickets) {
            PART_AT(p, t);
            stock_wait();
#if !OP_GIVEN
            sum = part_state(stock, &p, coming_max, scratch);
            if (WAITS && get_local_id(0) % READERS == 0)
                signed_write(tile_record(shared, shape, &p, p.number), sum,
                             sign_of(shape, p.tile));
#endif
        }
        if (waits) {
            PART_AT(p, before);
            bool writes = OP_WRITES == WRITES_ROW || p.number == 0; /* all there is */
            if (writes)
                tile_tell(join_parts(&p, shape, shared, scratch), s, scratch);
            if (t < tickets && !early)
                taken = take_ticket(shared);
            if (writes)
                FINISH_PART(held, p, (__global mem_y *)*at, s, max)
        }
        before = t;
        if (t < tickets) {
#if OP_GIVEN
            PART_AT(p, t);
            EACH(v)
            {
                struct row one = ROW_BESIDE(p.r, v);
                s[v] = state_of(one.from_max, one.from_sum, (real)0);
            }
            barrier(CLK_LOCAL_MEM_FENCE); /* everybody has read the ticket */
#else
            if (!WAITS)
                tile_tell(sum, s, scratch);
#endif
            UNROLL for (uint k = 0; k < HOLD; k++)
                held[k] = get_stocked(stock, k);
            EACH(v)
                max[v] = coming_max[v];
            *at = *coming_at;
            tell_ticket(shared, taken, tickets, 0, &ticket);
            t = ticket;
        }
        if (t < tickets) {
            PART_AT(p, t);
            stock_part(stock, p, shape.inner);
            *coming_at = (ulong)(p.row.y + p.c * p.row.y_col);
        }
        if (!WAITS && before < tickets) {
            PART_AT(p, before);
            FINISH_PART(held, p, (__global mem_y *)*at, s, max)
        }
        before = WAITS ? before : tickets;
    }
}
