/* SPDX-License-Identifier: MIT */
/*
 * What work-groups tell one another of a tile's parts, see strided_ahead.cl. Everybody reads the
 * records of all parts where these are few. Else it reads PART_GROUPS of them, each of up to
 * GROUP parts: whoever begins last with one of a group's parts, as a word counts, tells its own
 * and then brings them together. For that it waits only for what others are about to tell.
 */
#if !defined PART_GROUPS || OP_GIVEN
#undef PART_GROUPS
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

/* Those of a tile's softmaxes stand side by side. */
INLINE volatile __global ulong2 *tile_record(volatile __global uint *shared,
                                             struct shape shape, size_t tile,
                                             uint number, uint softmax)
{
    return signed_at(shared, (tile - shape.first_row) * (PARTS + PART_GROUPS) + number * TILE +
                                 softmax);
}

/* Each lane asks for AT_ONCE records before it waits for the first. */
enum {
    AT_ONCE = 4,
    BUNCHES = (MOST_READ - 1) / AT_ONCE + 1,
    WANTED = BUNCHES > 4 ? 8 : BUNCHES > 2 ? 4 : BUNCHES, /* a power of two */
    ENOUGH = WANTED < MOST_LANES ? WANTED : MOST_LANES,
    READERS = ENOUGH > FEWEST_LANES ? ENOUGH : FEWEST_LANES, /* lanes of a softmax's records */
    READING = READERS * TILE / LANES,                        /* sets of lanes that read, */
    TELLING = FEWEST_LANES * TILE / LANES                    /* and those before, that tell */
};

/* n records of one piece each, up to AT_ONCE, `apart` from one another, merged into s. They have
 * names because NVIDIA's compiler kept an array of them in memory. */
INLINE struct state merge_some(struct state s, volatile __global ulong2 *from, size_t apart,
                               uint n, uint sign)
{
    ulong2 a = ptx_look(from), b = a, c = a, d = a;
    if (n > 1)
        b = ptx_look(from + apart);
    if (n > 2)
        c = ptx_look(from + 2 * apart);
    if (n > 3)
        d = ptx_look(from + 3 * apart);
    struct state one = signed_piece(from, a, sign, true);
    struct state two = signed_piece(from + apart, b, sign, n > 1);
    struct state three = signed_piece(from + 2 * apart, c, sign, n > 2);
    struct state four = signed_piece(from + 3 * apart, d, sign, n > 3);
    real max = real_max(real_max(one.max, two.max), real_max(three.max, four.max));
    max = real_max(s.max, max);
    if (MOST_READ > AT_ONCE * READERS) /* else nothing stands there yet */
        s = tile_add(state_bring(s, max), state_bring(one, max));
    else
        s = state_bring(one, max);
    s = tile_add(s, state_bring(two, max));
    s = tile_add(s, state_bring(three, max));
    return tile_add(s, state_bring(four, max));
}

/* The n records of a softmax from number `first` on as one, for READERS. */
INLINE struct state join_records(volatile __global uint *shared, struct shape shape,
                                 size_t tile, uint first, uint n, struct share share,
                                 __local real *scratch)
{
    uint sign = sign_of(shape, tile), k = share.k;
    struct state sum = state_empty();
    if (STATE_PIECES == 1 && OP_NEEDS_MAX) {
        for (; k < n; k += AT_ONCE * READERS)
            sum = merge_some(sum, tile_record(shared, shape, tile, first + k, share.softmax),
                             READERS * TILE, (n - 1 - k) / READERS + 1, sign);
        return tile_merge(sum, READERS, scratch);
    }
    for (; k < n; k += READERS)
        sum = tile_join(sum, signed_read(tile_record(shared, shape, tile, first + k,
                                                     share.softmax), sign, false));
    return tile_merge(sum, READERS, scratch);
}

/* The state of a whole softmax, for READERS. */
INLINE struct state join_parts(volatile __global uint *shared, struct shape shape,
                               size_t tile, struct share share, __local real *scratch)
{
    return join_records(shared, shape, tile, FIRST_READ, READ, share, scratch);
}

/* Tells a part's state of a softmax, which its first lane has. */
INLINE void tell_part(volatile __global uint *shared, struct shape shape, size_t tile,
                      uint number, struct share share, struct state s)
{
    if (share.k == 0)
        signed_write(tile_record(shared, shape, tile, number, share.softmax), s,
                     sign_of(shape, tile));
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

/* Was it the last of its group? All know it behind the next barrier. */
INLINE void note_last(volatile __global uint *shared, struct shape shape, size_t tile,
                      uint number, uint before, __local uint *last)
{
    if (get_local_id(0) == 0) {
        *last = before == min((uint)GROUP, PARTS - number / GROUP * GROUP) - 1;
        if (*last)
            atomic_xchg(count_of(shared, shape, tile, number / GROUP), 0u);
    }
}

/* Tells the group of a part that was the last. */
INLINE void tell_group(volatile __global uint *shared, struct shape shape, size_t tile,
                       uint number, __local real *scratch)
{
    uint group = number / GROUP, size = min((uint)GROUP, PARTS - group * GROUP);
    struct share share = share_of(TELLING, READERS);
    if (share.any)
        tell_part(shared, shape, tile, PARTS + group, share,
                  join_records(shared, shape, tile, group * GROUP, size, share, scratch));
}
#else
#define count_part(shared, shape, tile, number) 0
#endif
