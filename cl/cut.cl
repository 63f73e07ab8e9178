/* SPDX-License-Identifier: MIT */
/*
 * Where a row's packs of 16 bytes stand, whatever address it starts at, and who takes which.
 * WORKERS work-items share the row: worker `first` takes the packs first, first + WORKERS, ...,
 * or, SIDE_BY_SIDE, each set of lanes PACKS times as many packs that follow each other; and, of
 * the elements before the first and behind the last whole pack, those that are its own.
 */
#ifndef DETERMINISTIC
#define DETERMINISTIC 0 /* 1: who takes what does not depend on the address */
#endif
#ifndef SIDE_BY_SIDE
#define SIDE_BY_SIDE 0 /* 1: a set's packs lie in one piece of memory */
#endif
/* Packs start at multiples of 16 bytes; where there are workers enough for all the elements
 * before it, the first one at a multiple of 128, so that no two sets of lanes share a line. */
enum {
    LINE = WORKERS >= 128 / sizeof(mem_x) + PACK ? 128 / sizeof(mem_x) : PACK,
    EDGES = (LINE - 1 + PACK - 1 + WORKERS - 1) / WORKERS,
    SIDE = SIDE_BY_SIDE && WORKERS % LANES == 0 ? LANES : WORKERS
};

/* A row cut at these borders: `head` elements, whole packs, from column `tail` on the rest.
 * Packs `base` to `packs` are this turn's, or the first of them. */
struct cut {
    uint head, tail;
    uint base, packs;
    bool ragged;          /* is there more than whole packs? */
    bool x_fits, y_fits, dy_fits, mask_fits; /* do packs start at whole addresses? */
};

/* Those of x do, unless they are taken by column. */
#define X_FITS(cut) (!DETERMINISTIC || (cut).x_fits)
#define PHASE(p, T, n) (uint)((size_t)(p) / sizeof(mem_##T) % (n))

/* Of a row with so many elements before its first pack. */
INLINE struct cut cut_at(struct row row, uint head)
{
    struct cut cut;
    cut.head = head;
    cut.base = 0;
    cut.packs = (row.cols - head) / PACK;
    cut.tail = head + cut.packs * PACK;
    cut.ragged = head || cut.tail < row.cols;
    cut.x_fits = !DETERMINISTIC || PHASE(row.x, x, PACK) == 0;
    cut.y_fits = PHASE(row.y + head, y, PACK) == 0;
    cut.dy_fits = true;
#if HAS_DY
    cut.dy_fits = PHASE(row.dy + head, dy, PACK) == 0;
#endif
    cut.mask_fits = true;
#if HAS_MASK
    cut.mask_fits = row.mask_col == 1 && PACK * sizeof(mem_mask) % 4 == 0 &&
                    (PHASE(row.mask, mask, PACK) + head) % PACK == 0;
#endif
    return cut;
}

INLINE struct cut cut_row(struct row row)
{
    uint head = DETERMINISTIC ? 0 : (LINE - PHASE(row.x, x, LINE)) % LINE;
    return cut_at(row, min(head, row.cols));
}

/* The number of worker `first`'s pack 0. */
INLINE uint first_pack(struct cut cut, uint first)
{
    uint before = SIDE < WORKERS ? first / SIDE * SIDE : 0; /* workers of the sets before */
    return cut.base + first + before * (PACKS - 1);
}

/* The first column of pack j. */
INLINE uint pack_column(struct cut cut, uint first, uint j)
{
    return cut.head + (first_pack(cut, first) + j * SIDE) * PACK;
}

INLINE bool pack_is_there(struct cut cut, uint first, uint j)
{
    uint left = cut.packs - min(first_pack(cut, first), cut.packs);
    return j * SIDE < left;
}

/* Is it among these packs? All is asked, so that there is no branch. */
INLINE bool pack_is_taken(struct cut cut, uint first, uint c)
{
    uint pack = (c - cut.head) / PACK, n = pack - first_pack(cut, first);
    return (c >= cut.head) & (c < cut.tail) & (n % SIDE == 0) & (n / SIDE < PACKS) &
           (pack < cut.packs);
}

/* Edge element i: one of the head, then one of the tail; NO_COLUMN past these. */
INLINE uint edge_column(struct row row, struct cut cut, uint first, uint i)
{
    uint n = i * WORKERS + first, c = n < cut.head ? n : cut.tail + (n - cut.head);
    return c < row.cols ? c : NO_COLUMN;
}

/* All that is a worker's own, in no order and with fewer questions than in that of columns. */
INLINE uint share_columns(void)
{
    return EDGES + PACKS * PACK;
}

INLINE uint share_column(struct row row, uint first, uint i)
{
    struct cut cut = cut_row(row);
    uint j = (i - EDGES) / PACK, k = (i - EDGES) % PACK;
    uint c = i < EDGES                         ? edge_column(row, cut, first, i)
             : pack_is_there(cut, first, j) ? pack_column(cut, first, j) + k
                                            : NO_COLUMN;
    return is_seen(row, c) ? c : NO_COLUMN;
}

INLINE uint worker_columns(struct row row, uint first, uint step)
{
    return row.cols ? PACKS * PACK + 2 * EDGES : 0;
}

/* Its part of the head, its packs, its part of the tail. */
INLINE uint worker_column(struct row row, uint first, uint step, uint i)
{
    struct cut cut = cut_row(row);
    uint c = NO_COLUMN;
    if (i < EDGES)
        c = edge_column(row, cut, first, i);
    else if (i >= EDGES + PACKS * PACK)
        c = edge_column(row, cut, first, i - EDGES - PACKS * PACK);
    else if (pack_is_there(cut, first, (i - EDGES) / PACK))
        c = pack_column(cut, first, (i - EDGES) / PACK) + (i - EDGES) % PACK;
    bool head = c < cut.head, tail = c >= cut.tail;
    bool wanted = i < EDGES ? head : i >= EDGES + PACKS * PACK ? tail : true;
    return wanted && is_seen(row, c) ? c : NO_COLUMN;
}
