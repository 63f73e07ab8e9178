/* SPDX-License-Identifier: MIT */
/*
 * What work-groups tell one another of a tile's parts, see strided_ahead.cl. Everybody reads the
 * records of all parts where these are few. Else it reads PART_GROUPS of them, each of up to
 * GROUP parts: whoever begins last with one of a group's parts, as a word counts, tells its own
 * and then brings them together. For that it waits only for what others are about to tell.
 */
#ifndef PART_GROUPS
#define PART_GROUPS 0
#endif
#if PART_GROUPS
enum {
    GROUP = (PARTS - 1) / PART_GROUPS + 1,
    FIRST_READ = PARTS, /* of a tile's records, by everybody, */
    READ = PART_GROUPS, /* so many, */
    MOST_READ = READ < GROUP ? GROUP : READ /* or those of a group */
};
#else
enum { FIRST_READ = 0, READ = PARTS, MOST_READ = READ };
#endif

/* Those of a tile's softmaxes stand side by side; this is that of READERS. */
INLINE volatile __global ulong2 *tile_record(volatile __global uint *shared,
                                             struct shape shape, size_t tile,
                                             uint number)
{
    uint softmax = (uint)get_local_id(0) / READERS;
    return signed_at(shared, (tile - shape.first_row) * (PARTS + PART_GROUPS) + number * TILE +
                                 softmax);
}

/* How many of n records each of READERS reads at most; and at once, before the first is waited
 * for. */
enum {
    RECORDS = (MOST_READ - 1) / READERS + 1,
    AT_ONCE = RECORDS < 4 ? RECORDS : 4
};

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

/* The n records from number `first` on as one, for READERS. */
INLINE struct state join_records(volatile __global uint *shared, struct shape shape,
                                 size_t tile, uint first, uint n, __local real *scratch)
{
    uint sign = sign_of(shape, tile), k = (uint)get_local_id(0) % READERS;
    struct state sum = state_empty();
    if (RECORDS > 1 && STATE_PIECES == 1 && OP_NEEDS_MAX) {
        for (; k < n; k += AT_ONCE * READERS)
            sum = merge_some(sum, tile_record(shared, shape, tile, first + k), READERS * TILE,
                             (n - 1 - k) / READERS + 1, sign);
        return tile_merge(sum, scratch);
    }
    if (k < n)
        sum = signed_read(tile_record(shared, shape, tile, first + k), sign, false);
    for (k += READERS; k < n; k += READERS)
        sum = tile_join(
            sum, signed_read(tile_record(shared, shape, tile, first + k), sign, false));
    return tile_merge(sum, scratch);
}

/* The states of the whole softmaxes of a tile, for READERS. */
INLINE struct state join_parts(volatile __global uint *shared, struct shape shape,
                               size_t tile, __local real *scratch)
{
    return join_records(shared, shape, tile, FIRST_READ, READ, scratch);
}

/* Tells a part's states, of which READERS have one. */
INLINE void tell_part(volatile __global uint *shared, struct shape shape, size_t tile,
                      uint number, struct state sum)
{
    if (get_local_id(0) % READERS == 0)
        signed_write(tile_record(shared, shape, tile, number), sum, sign_of(shape, tile));
}

#if PART_GROUPS
/* The word that counts a group's parts. */
INLINE volatile __global uint *count_of(volatile __global uint *shared, struct shape shape,
                                        size_t tile, uint group)
{
    return shared + 1 + (tile - shape.first_row) / TILE * PART_GROUPS + group;
}

/* Counts a part that is begun; to the first work-item: how many of its group were before. */
INLINE uint count_part(volatile __global uint *shared, struct shape shape, size_t tile,
                       uint number)
{
    bool first = get_local_id(0) == 0;
    return first ? atomic_inc(count_of(shared, shape, tile, number / GROUP)) : 0;
}

/* Once that part is told: tells its group too, if it was the last. Everybody sees that in
 * `last`. */
INLINE void tell_group(volatile __global uint *shared, struct shape shape, size_t tile,
                       uint number, uint before, __local uint *last, __local real *scratch)
{
    uint group = number / GROUP, size = min((uint)GROUP, PARTS - group * GROUP);
    if (get_local_id(0) == 0) {
        *last = before == size - 1;
        if (*last)
            atomic_xchg(count_of(shared, shape, tile, group), 0u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (*last)
        tell_part(shared, shape, tile, PARTS + group,
                  join_records(shared, shape, tile, group * GROUP, size, scratch));
}
#endif
