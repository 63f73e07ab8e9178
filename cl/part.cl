/* SPDX-License-Identifier: MIT */
/* Parts of tiles: HOLD columns of each worker, and how their packs of PACK neighbours come from
 * memory to local memory, see strided_ahead.cl. */
#include "tile_lanes.cl"
#include "copies.cl"

#if HAS_DY
#define DY_PLACE (WG * X_WORDS) /* words from a pack of x to that of dy */
#else
#define DY_PLACE 0
#endif
/* Terms as wide as what they are made of take its place, where the result is made of them. */
#define HOLDS_TERMS (OP_FROM_TERM && !OP_GIVEN && X_IS_REAL && !REAL_IS_F64)
enum { PLACES_EACH = WG * X_WORDS + DY_PLACE };

/* A ticket's part of a tile, as one worker sees it. */
struct part {
    struct row row; /* the first of its softmaxes */
    size_t r, tile; /* that one's number, and the tile's first one's */
    uint number;    /* of the tile's parts */
    uint c, n;      /* its first column, and how many it has */
};

#define TILE_OF(t) (shape.first_row + (size_t)((t) / PARTS) * TILE)
#define PART_AT(name, t)                                                                 \
    struct part name;                                                                    \
    name.tile = TILE_OF(t);                                                              \
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
