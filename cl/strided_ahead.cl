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
#include "tile_lanes.cl"
#include "copies.cl"
#include "tickets.cl"

#if HAS_DY
#define DY_PLACE (WG * X_WORDS) /* words from a pack of x to that of dy */
#else
#define DY_PLACE 0
#endif
/* Is there anything to wait for? */
#define WAITS (PARTS > 1 && !OP_GIVEN)
/* Terms as wide as what they are made of take its place, where the result is made of them. */
#define HOLDS_TERMS (OP_FROM_TERM && !OP_GIVEN && X_IS_REAL && !REAL_IS_F64)
#ifndef OP_FROM_TERM
#define OP_FROM_TERM 0
#endif
enum { PLACES_EACH = WG * X_WORDS + DY_PLACE };

/* Columns that a worker has not got, as -inf, or as 0 where there is no maximum. */
#define FILL (OP_NEEDS_MAX ? -INFINITY : (SCALAR)0)
#define FILL_WORD(i) (OP_NEEDS_MAX ? CAT(minus_inf_, X)(i) : 0u)

/* A ticket's part of a tile, as one worker sees it. */
struct part {
    struct row row; /* the first of its softmaxes */
    size_t r, tile; /* that one's number, and the tile's first one's */
    uint number;    /* of the tile's parts */
    uint c, n;      /* its first column, and how many it has */
};

#define PART_AT(name, t)                                                                 \
    struct part name;                                                                    \
    name.tile = shape.first_row + (size_t)((t) / PARTS) * TILE;                          \
    name.r = name.tile + (uint)get_local_id(0) % SETS * PACK;                            \
    name.row = ROW_AT(name.r);                                                           \
    name.number = (t) % PARTS;                                                           \
    part_columns(&name)

INLINE void part_columns(struct part *p)
{
    uint end = min(HOLD * DEPTH * (p->number + 1), p->row.cols);
    p->c = HOLD * DEPTH * p->number + (uint)get_local_id(0) / SETS;
    p->n = p->c < end ? (end - p->c - 1) / DEPTH + 1 : 0;
}

/* May packs of elements of so many bytes be moved `pieces` at once, from p on and then every
 * `step` bytes? */
INLINE bool packs_fit(const __global void *p, size_t step, uint bytes, uint pieces)
{
    return ((size_t)p | step) % min(pieces * PACK * bytes, 16u) == 0;
}

/* Sends for n columns, the rest is `fill`. Packs of 8 bytes go in pairs where they may: a
 * work-item moves its neighbour's too, of every second column. */
INLINE void stock_columns(__local uint *stock, const __global char *from, size_t step,
                          uint n, uint unit, uint4 fill, size_t inner)
{
    uint odd = X_WORDS == 2 ? (uint)get_local_id(0) % 2 : 0;
    const uint pieces = 4 / X_WORDS;
    const __global char *both = from - odd * PACK * unit;
    bool fit = inner % (pieces * PACK) == 0 && packs_fit(both, step, unit, pieces);
    if (fit && (n == HOLD || PARTS == 1)) { /* as all but a tile's last part */
        both += odd * step;
        UNROLL for (uint k = 0; k < HOLD; k += pieces, both += pieces * step)
            if (k + odd < HOLD)
                stock_words(stock + (k + odd) * PLACES_EACH - odd * X_WORDS, 4, both, unit,
                            PARTS > 1 || k + odd < n, true, fill);
        return;
    }
    bool fits = packs_fit(from, step, unit, 1);
    ROLLED for (uint k = 0; k < HOLD; k++, from += step)
        stock_words(stock + k * PLACES_EACH, X_WORDS, from, unit, k < n, fits, fill);
}

/* Sends for a part. */
INLINE void stock_part(__local uint *stock, struct part p, size_t inner)
{
    uint4 fill = (uint4)(FILL_WORD(0), FILL_WORD(1), FILL_WORD(2), FILL_WORD(3));
    stock_columns(stock, (const __global char *)(p.row.x + p.c * p.row.x_col),
                  DEPTH * p.row.x_col * sizeof(mem_x), p.n, sizeof(mem_x), fill,
                  inner);
#if HAS_DY
    stock_columns(stock + DY_PLACE,
                  (const __global char *)(p.row.dy + p.c * p.row.dy_col),
                  DEPTH * p.row.dy_col * sizeof(mem_dy), p.n, sizeof(mem_dy),
                  (uint4)(0, 0, 0, 0), inner);
#endif
}

/* A pack: PACK neighbours' elements of one column. */
struct pack {
    uint x[X_WORDS], dy[X_WORDS];
};

INLINE void get_words(uint *w, const __local uint *place)
{
    if (X_WORDS == 4) {
        uint4 v = *(const __local uint4 *)place;
        w[0] = v.x, w[1] = v.y, w[2] = v.z, w[3] = v.w;
    } else {
        uint2 v = *(const __local uint2 *)place;
        w[0] = v.x, w[1] = v.y;
    }
}

INLINE void put_words(__local uint *place, const uint *w)
{
    if (X_WORDS == 4)
        *(__local uint4 *)place = (uint4)(w[0], w[1], w[2], w[3]);
    else
        *(__local uint2 *)place = (uint2)(w[0], w[1]);
}

INLINE struct pack get_stocked(const __local uint *stock, uint k)
{
    struct pack pack;
    get_words(pack.x, stock + k * PLACES_EACH);
#if HAS_DY
    get_words(pack.dy, stock + k * PLACES_EACH + DY_PLACE);
#endif
    return pack;
}

/* Softmax v's element of a worker's column k. */
INLINE struct element pack_element(const struct pack *pack, const struct part *p, uint k,
                                   uint v)
{
    struct element e = {p->c + k * DEPTH, CAT(word_, X)(pack->x, v), (real)0};
#if FORMS
    e.x = k < p->n ? logit_of(p->row, e.c, e.x) : (real)FILL;
#endif
#if HAS_DY
    e.dy = CAT(word_, DY)(pack->dy, v);
#endif
    return e;
}

/* This worker's maxima. */
INLINE void part_max(const __local uint *stock, const struct part *p, real *max)
{
#if WORD_MAX && !FORMS
    struct pack most = get_stocked(stock, 0);
    UNROLL for (uint k = 1; k < HOLD; k++)
    {
        struct pack pack = get_stocked(stock, k);
        UNROLL for (uint i = 0; i < X_WORDS; i++)
            most.x[i] = word_max(most.x[i], pack.x[i]);
    }
    EACH(v)
        max[v] = real_max(CAT(word_, X)(most.x, v), (real)(-INFINITY)); /* no NaN */
#else
    UNROLL for (uint k = 0; k < HOLD; k++)
    {
        struct pack pack = get_stocked(stock, k);
        EACH(v)
            max[v] = real_max(max[v], pack_element(&pack, p, k, v).x);
    }
#endif
}

enum { TERMS = HOLD % 4 == 0 ? 4 : HOLD % 2 == 0 ? 2 : 1 }; /* added at once */
#include "term_sum.cl"

/* The sums of this worker's terms, which stay if they are held; `own`: its own maxima. */
INLINE void part_sum(__local uint *stock, const struct part *p, const real *max,
                     const real *own, struct pair *sum)
{
    UNROLL for (uint j = 0; j < HOLD; j += TERMS)
    {
        struct pack pack[TERMS];
        UNROLL for (uint k = 0; k < TERMS; k++)
            pack[k] = get_stocked(stock, j + k);
        EACH(v)
        {
            real term[TERMS];
            UNROLL for (uint k = 0; k < TERMS; k++)
                term[k] = op_term(p->row, pack_element(pack + k, p, j + k, v), max[v]);
            UNROLL for (uint k = 0; k < TERMS && HOLDS_TERMS; k++)
                pack[k].x[v * X_WORDS / PACK] = as_uint((float)term[k]);
#if OP_NEEDS_REST || HOLD > 8
            sum[v] = add_terms(sum[v], term, OP_NEEDS_MAX && own[v] == max[v]);
#else
            sum[v].hi += tree_sum(term);
#endif
        }
        UNROLL for (uint k = 0; k < TERMS && HOLDS_TERMS; k++)
            put_words(stock + (j + k) * PLACES_EACH, pack[k].x);
    }
#if OP_NEEDS_MAX
    EACH(v)
        if (BIASED)
            sum[v].hi *= exp_unbias(row_max(max[v]));
#endif
}

/* What a part brings to each softmax of its tile, for READERS; max: what a worker's terms are
 * relative to. */
INLINE struct state part_state(__local uint *stock, const struct part *p, real *max,
                               __local real *scratch)
{
    real own[PACK];
    struct pair sum[PACK];
    struct state s[PACK];
    EACH(v)
    {
        max[v] = -INFINITY;
        sum[v].hi = sum[v].lo = (real)0;
    }
#if OP_NEEDS_MAX
    part_max(stock, p, max);
    EACH(v)
        own[v] = max[v];
    tile_max(max, scratch);
#endif
    part_sum(stock, p, max, own, sum);
    tile_sum(sum, scratch);
    EACH(v)
        s[v] = state_of(max[v], sum[v].hi, sum[v].lo);
    return tile_state(s, scratch);
}

/* Records of a tile's softmaxes stand side by side. */
INLINE volatile __global ulong2 *tile_record(volatile __global uint *shared,
                                             struct shape shape, const struct part *p,
                                             uint number)
{
    uint softmax = (uint)get_local_id(0) / READERS;
    return signed_at(shared,
                     (p->tile - shape.first_row) * PARTS + number * TILE + softmax);
}

/* The states of the whole softmaxes, from the records of all parts, for READERS. */
INLINE struct state join_parts(const struct part *p, struct shape shape,
                               volatile __global uint *shared, __local real *scratch)
{
    uint sign = sign_of(shape, p->tile), k = (uint)get_local_id(0) % READERS;
    struct state sum = state_empty();
    if (k < PARTS)
        sum = signed_read(tile_record(shared, shape, p, k), sign, false);
    for (k += READERS; k < PARTS; k += READERS)
        sum = state_merge(sum,
                          signed_read(tile_record(shared, shape, p, k), sign, false));
    return tile_merge(sum, scratch);
}

/* What is held of a part, of which terms are relative to `max`, as y. */
INLINE void write_part(const struct pack *held, const struct part *p, __global mem_y *y,
                       const struct result *result, const real *part)
{
#if OP_WRITES == WRITES_ROW
    size_t step = DEPTH * p->row.y_col;
    bool fits = packs_fit(y, step * sizeof(mem_y), sizeof(mem_y), 1);
    bool whole = fits && p->n == HOLD; /* asked once for all of them */
    UNROLL for (uint k = 0; k < HOLD; k++, y += step)
    {
        real value[PACK];
        uint w[Y_WORDS];
        EACH(v)
#if HOLDS_TERMS
            value[v] = op_from_term(p->row, p->c + k * DEPTH,
                                    CAT(word_, X)(held[k].x, v) * part[v], result[v]);
#else
            value[v] = op_value(p->row, pack_element(held + k, p, k, v), result[v]);
#endif
        CAT(words_from_, Y)(w, value);
        if (whole || (fits && k < p->n))
            words_store(w, Y_WORDS, y);
        else if (k < p->n)
            words_scatter(w, sizeof(mem_y), y);
    }
#endif
}

/* The same, now that the states of its softmaxes are known. */
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
            part[v] = HOLDS_TERMS ? exp_nonpositive(below_max(max[v], s[v].max))         \
                                  : (real)1;                                             \
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
    tell_ticket(shared, take_ticket(shared), tickets, &ticket);
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
            tell_ticket(shared, taken, tickets, &ticket);
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
