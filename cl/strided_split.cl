/* SPDX-License-Identifier: MIT */
/*
 * strided_split: the tiles of `strided` with their columns cut in parts, a work-group each, in
 * two launches: the first leaves every part's maximum and sum, the second writes, beginning
 * with what was read last. Reads x twice, writes y once. Wins where softmaxes with inner > 1
 * are long and too few to keep a GPU busy.
 */
#ifndef WG
#define WG 256
#endif
#ifndef TILE
#define TILE 32
#endif
#include "tile_set.cl"
#include "tile_passes.cl"
#include "shared.cl"

/* The part's share of the columns that take part. */
static struct row row_part(struct row row, struct shape shape, uint part)
{
    uint cols = row.end - row.begin, parts = (uint)shape.parts;
    uint each = cols / parts, extra = cols % parts;
    row.begin += part * each + min(part, extra);
    row.end = row.begin + each + (part < extra ? 1 : 0);
    return row;
}

/* The records of TILE softmaxes' parts stand side by side too. */
INLINE record tile_record(volatile __global uint *shared, struct shape shape, size_t r,
                          uint part)
{
    size_t i = r - shape.first_row;
    return record_at(shared, (i / TILE * shape.parts + part) * TILE + i % TILE);
}

#if !OP_GIVEN
INLINE void read_part(const struct row *part, struct shape shape, size_t r, uint number,
                      volatile __global uint *shared, __local real *scratch)
{
    uint first = get_local_id(0) / SETS;
    struct held held;
    struct keep keep[PACK]; /* of which the other parts need the target's x alone */
    struct state s[PACK];
    EACH(v)
    {
        s[v] = state_empty();
        keep_start(keep + v, part[v]);
    }
    read_turns(&held, part, first, s, keep);
    set_states(s, scratch);
    if (first == 0 && part->inside)
        EACH(v)
        {
            record to = tile_record(shared, shape, r + v, number);
            record_write(to, s[v]);
            record_keep(to, keep + v);
        }
}
#endif

INLINE void read_records(struct state *s, const struct row *row, struct shape shape,
                         size_t r, volatile __global uint *shared, __local real *scratch)
{
    EACH(v)
        s[v] = given_state(row[v]);
#if !OP_GIVEN
    for (uint k = get_local_id(0) / SETS; row->inside && k < shape.parts; k += DEPTH)
        EACH(v)
            s[v] = state_merge(s[v], record_read(tile_record(shared, shape, r + v, k)));
    set_states(s, scratch);
#endif
}

INLINE void write_part(const struct row *row, const struct row *part, struct shape shape, size_t r,
                       uint number, const struct state *s, volatile __global uint *shared,
                       __local real *scratch)
{
    uint first = get_local_id(0) / SETS;
    uint worker = number * DEPTH + first; /* 0: who writes the rows' results */
    size_t known = row->inside ? r : shape.first_row;
    uint hot[PACK];
    struct keep keep[PACK];
    struct result result[PACK];
    EACH(v)
    {
        keep_recall(keep + v, row[v], tile_record(shared, shape, known + v, 0));
        hot[v] = NO_COLUMN;
        result[v] = close_row(row[v], s[v], keep + v, worker, scratch);
    }
#if OP_WRITES == WRITES_ROW
    struct held held;
    hold_last(&held, part, first);
    write_turns(&held, part, first, result, hot);
    write_spots(part, first, result);
    EACH(v)
        write_unseen(row[v], result[v], worker, DEPTH * (uint)shape.parts);
#endif
}

__kernel WORK_GROUP(WG) void
clsm_row(TENSORS, SHARED)
{
    __local real scratch[SCRATCH_REALS];
    bool writes = shape.stage == STAGE_WRITE;
    size_t g = writes ? get_num_groups(0) - 1 - get_group_id(0) : get_group_id(0);
    size_t r = shape.first_row + g / shape.parts * TILE + get_local_id(0) % SETS * PACK;
    uint number = (uint)(g % shape.parts);
    struct row row[PACK], part[PACK];
    struct state s[PACK];
    EACH(v)
        row[v] = ROW_BESIDE(r, v);
    if (writes)
        read_records(s, row, shape, r, shared, scratch);
    /* Anew behind the barriers: PoCL 3.1 gave work-items each other's rows there. */
    EACH(v)
    {
        row[v] = ROW_BESIDE(r, v);
        part[v] = row_part(row[v], shape, number);
    }
    if (writes)
        write_part(row, part, shape, r, number, s, shared, scratch);
#if !OP_GIVEN
    else
        read_part(part, shape, r, number, shared, scratch);
#endif
}
