/* SPDX-License-Identifier: MIT */
/*
 * What a worker holds of a row: read once, and given out pack by pack. The first KEPT packs are
 * in registers; the others in places of local memory that no other work-item touches.
 */
#include "words.cl"
#include "cut.cl"

/* Logits that are as wide as x take its place. */
#define HOLDS_LOGITS (LOGITS_READY && !X_IS_REAL)

#ifndef KEPT
#define KEPT PACKS
#endif
#ifndef AHEAD
#define AHEAD 0 /* 1: local memory has all packs of the part after that in registers */
#endif

#ifndef SETTLED
#define SETTLED 0 /* 1: a work-group has the same part of every row, */
#endif
/* and with it the same masks, if they are added: in local memory, see planes.cl. */
#if SETTLED && HAS_MASK && !MASK_IS_BOOL && !REAL_IS_F64
#define MASKS_STAY 1
#else
#define MASKS_STAY 0
#endif
#ifndef STARTS_ALIKE
#define STARTS_ALIKE 0 /* 1: rows start at the same element of a pack, unless a call says else */
#endif

/* Masks are read GROUP packs at a time: they need registers only until they are in x. */
#if HAS_MASK
enum {
    MASK_WORDS = MASKS_STAY ? PACK : (PACK * sizeof(mem_mask) + 3) / 4,
    AT_ONCE = 16 / (SETTLED ? PACK : MASK_WORDS)
};
#else
enum { MASK_WORDS = 0, AT_ONCE = SETTLED ? 16 / PACK : KEPT };
#endif
enum { GROUP = AT_ONCE < KEPT ? AT_ONCE : KEPT };

#define MASKS_AHEAD (AHEAD && HAS_MASK && !MASKS_STAY)

#ifndef READS_AGAIN
#define READS_AGAIN 0 /* 1: what is held is read again before it is written */
#endif
/* Where the result is made of terms, these take the place of what they are made of: if they are
 * as wide as that, or where up to two packs of 16-bit numbers leave registers for wider ones;
 * but not if terms are off by what only their own maximum tells (BIASED). */
#if HAS_PTX && CAT(BITS_, X) == 16 && PACKS <= 2 && KEPT == PACKS && TERMS_SERVE &&      \
    !(LOGITS_READY || REAL_IS_F64 || OP_NEEDS_REST || MAX_MOVES || TAMED || AHEAD)
#define WIDE_TERMS 1
#else
#define WIDE_TERMS 0
#endif
#if TERMS_SERVE && !READS_AGAIN && (LOGITS_READY || X_IS_REAL || WIDE_TERMS)
#define HOLDS_TERMS 1
#else
#define HOLDS_TERMS 0
#endif
#define HOLDS_NUMBERS (HOLDS_LOGITS || WIDE_TERMS) /* as real, beside the words of x */

/* Are these made together with the logits? See held_once.cl. */
#define ONE_PASS                                                                         \
    (SETTLED && HOLDS_TERMS && OP_RESCALES && !(OP_NEEDS_REST || OP_KEEPS || OP_SPOT ||  \
                                                OP_VANISHES || HAS_DY || TAMED || FAR))

/* The more of it at once, the more registers spill. */
#if OP_KEEPS
#define STOCK_LOOP _Pragma("unroll 1")
#else
#define STOCK_LOOP _Pragma("unroll 2")
#endif
enum {
    NUMBER_PLACES = HOLDS_LOGITS ? PACK * sizeof(real) / 16 : 1,
    DY_PLACE = NUMBER_PLACES * WG, /* where a pack of dy stands behind one of x */
    PLACES_EACH = DY_PLACE + HAS_DY * WG,
    STOCK_FIRST = AHEAD ? 0 : KEPT, /* the first pack there */
    STOCK = STOCK_FIRST < PACKS ? (PACKS - STOCK_FIRST) * PLACES_EACH : 1, /* places */
    MASK_PIECE = MASK_WORDS < 4 ? MASK_WORDS : 4, /* words moved at once */
    MASK_STOCK = (PACKS * MASK_WORDS * WG + 3) / 4,
    PLANE = WG + LINE / PACK, /* masks that stay: one plane of a pack's window, */
    CHUNK = PACK * PLANE,     /* and all of them */
    BUNCHES = (PACKS + GROUP - 1) / GROUP
};

struct held {
    uint x[KEPT][X_WORDS]; /* what does not take part is FILL */
    uint dy[KEPT][DY_WORDS];
    real number[HOLDS_NUMBERS ? KEPT : 1][PACK]; /* logits or terms */
    __local uint4 *stock; /* pack STOCK_FIRST, the next one PLACES_EACH further */
#if MASKS_AHEAD
    __local uint *masks; /* pack 0's, the next one's MASK_WORDS * WG further */
#elif MASKS_STAY
    const __local char *planes;
#endif
#if ONE_PASS
    real bunch_max[BUNCHES]; /* that its terms were taken relative to */
#endif
    real edge_x[EDGES], edge_dy[EDGES];
};

/* A pack on its way through the arithmetic. */
struct pack {
    uint x[X_WORDS], dy[DY_WORDS];
    real number[PACK]; /* HOLDS_NUMBERS */
};

INLINE bool pack_is_seen(struct row row, uint c)
{
    return !BOUNDED || ((c < row.end) & (!WINDOW | (c + PACK > row.begin)));
}

INLINE struct pack get_kept(const struct held *h, uint j)
{
    struct pack pack;
    UNROLL for (uint i = 0; i < X_WORDS; i++)
        pack.x[i] = h->x[j][i];
#if HAS_DY
    UNROLL for (uint i = 0; i < DY_WORDS; i++)
        pack.dy[i] = h->dy[j][i];
#endif
#if HOLDS_NUMBERS
    UNROLL for (uint k = 0; k < PACK; k++)
        pack.number[k] = h->number[j][k];
#endif
    return pack;
}

INLINE void set_kept(struct held *h, uint j, const struct pack *pack)
{
    UNROLL for (uint i = 0; i < X_WORDS; i++)
        h->x[j][i] = pack->x[i];
#if HAS_DY
    UNROLL for (uint i = 0; i < DY_WORDS; i++)
        h->dy[j][i] = pack->dy[i];
#endif
#if HOLDS_NUMBERS
    UNROLL for (uint k = 0; k < PACK; k++)
        h->number[j][k] = pack->number[k];
#endif
}

/* `zero` is 0, or row.zero: then the compiler does not know that the place is the same as it was
 * a moment ago, and will not keep all of it in registers in between. */
INLINE struct pack get_stocked(const struct held *h, uint j, uint zero)
{
    const __local uint4 *place = h->stock + ((j - STOCK_FIRST) * PLACES_EACH + zero);
    struct pack pack;
    uint4 v = place[0];
    pack.x[0] = v.x, pack.x[1] = v.y, pack.x[2] = v.z, pack.x[3] = v.w;
#if HOLDS_LOGITS
    UNROLL for (uint q = 0; q < NUMBER_PLACES; q++)
    {
        float4 four = as_float4(place[q * WG]);
        pack.number[4 * q] = four.x, pack.number[4 * q + 1] = four.y;
        pack.number[4 * q + 2] = four.z, pack.number[4 * q + 3] = four.w;
    }
#endif
#if HAS_DY
    v = place[DY_PLACE];
    pack.dy[0] = v.x, pack.dy[1] = v.y, pack.dy[2] = v.z, pack.dy[3] = v.w;
#endif
    return pack;
}

INLINE void set_stocked(struct held *h, uint j, const struct pack *pack)
{
    __local uint4 *place = h->stock + (j - STOCK_FIRST) * PLACES_EACH;
#if HOLDS_LOGITS
    const real *l = pack->number;
    UNROLL for (uint q = 0; q < NUMBER_PLACES; q++)
        place[q * WG] =
            as_uint4((float4)(l[4 * q], l[4 * q + 1], l[4 * q + 2], l[4 * q + 3]));
#else
    const uint *w = pack->x;
    place[0] = (uint4)(w[0], w[1], w[2], w[3]);
#endif
}

/* Numbers in the place of a pack's logits, or of its x. */
INLINE void pack_set(struct pack *pack, const real *v)
{
#if HOLDS_NUMBERS
    UNROLL for (uint k = 0; k < PACK; k++)
        pack->number[k] = v[k];
#else
    CAT(words_from_, X)(pack->x, v);
#endif
}

/* One of these numbers. */
INLINE real pack_number(const struct pack *pack, uint k)
{
#if HOLDS_NUMBERS
    return pack->number[k];
#else
    return CAT(word_, X)(pack->x, k);
#endif
}

/* The logit of element k. */
INLINE real pack_logit(const struct pack *pack, struct row row, uint k)
{
#if LOGITS_READY
    return pack_number(pack, k);
#elif HAS_SCALE
    return product(CAT(word_, X)(pack->x, k), (real)row.scale);
#else
    return CAT(word_, X)(pack->x, k);
#endif
}

/* The same, which is in column c. */
INLINE struct element pack_element(const struct pack *pack, struct row row, uint c, uint k)
{
    struct element e = {c, pack_logit(pack, row, k), (real)0};
#if HAS_DY
    e.dy = CAT(word_, DY)(pack->dy, k);
#endif
    return e;
}

INLINE struct element edge_element(const struct held *h, struct row row, struct cut cut,
                                   uint first, uint i)
{
    struct element e = {edge_column(row, cut, first, i), h->edge_x[i], h->edge_dy[i]};
    return e;
}

/* Between two passes: what the first made of the words is not worth a register each, so the
 * compiler may not know that the second makes the same of them. */
#define FORGETS (HAS_PTX && !LOGITS_READY && !X_IS_REAL)
#if FORGETS
INLINE void pack_forget(struct pack *pack, struct row row)
{
    UNROLL for (uint i = 0; i < X_WORDS; i++)
        pack->x[i] += row.zero;
#if HAS_DY
    UNROLL for (uint i = 0; i < DY_WORDS; i++)
        pack->dy[i] += row.zero;
#endif
}

INLINE void held_forget(struct held *h, uint kept, struct row row)
{
    UNROLL for (uint j = 0; j < kept; j++)
    {
        struct pack pack = get_kept(h, j);
        pack_forget(&pack, row);
        set_kept(h, j, &pack);
    }
}
#else
#define pack_forget(pack, row)
#define held_forget(h, kept, row)
#endif

#if TAMED
/* A row with +inf as one with 0 there, and -inf elsewhere. */
INLINE real tame(real x)
{
    real zero = x == (real)INFINITY ? (real)0 : (real)(-INFINITY);
    return x == x ? zero : x;
}

INLINE void pack_tame(struct pack *pack)
{
    real x[PACK];
    UNROLL for (uint k = 0; k < PACK; k++)
        x[k] = tame(pack_number(pack, k));
    pack_set(pack, x);
}

INLINE void held_tame(struct held *h, uint kept)
{
    UNROLL for (uint j = 0; j < kept; j++)
    {
        struct pack pack = get_kept(h, j);
        pack_tame(&pack);
        set_kept(h, j, &pack);
    }
    STOCK_LOOP for (uint j = kept; j < PACKS; j++)
    {
        struct pack pack = get_stocked(h, j, 0);
        pack_tame(&pack);
        set_stocked(h, j, &pack);
    }
    UNROLL for (uint i = 0; i < EDGES; i++)
        h->edge_x[i] = tame(h->edge_x[i]);
}
#else
#define held_tame(h, kept)
#endif
