/* SPDX-License-Identifier: MIT */
/* Packs for which there are no registers, from global to local memory. */
INLINE void stock_x(struct held *h, struct row row, struct cut cut, uint first, uint j,
                    bool there)
{
    uint start = pack_column(cut, first, 0), on = j * SIDE * PACK;
    __local uint4 *place = h->stock + (j - STOCK_FIRST) * PLACES_EACH;
    uint4 fill = (uint4)(FILL_WORD(0), FILL_WORD(1), FILL_WORD(2), FILL_WORD(3));
    stock_words((__local uint *)place, 4, row.x + start + (size_t)on, sizeof(mem_x), there,
                X_FITS(cut), fill);
}

#if HAS_DY
INLINE void stock_dy(struct held *h, struct row row, struct cut cut, uint first, uint j,
                     bool fits)
{
    uint start = pack_column(cut, first, 0), on = j * SIDE * PACK;
    __local uint4 *place = h->stock + (j - STOCK_FIRST) * PLACES_EACH + DY_PLACE;
    stock_words((__local uint *)place, 4, row.dy + start + (size_t)on, sizeof(mem_dy),
                pack_is_read(row, cut, first, j), fits, (uint4)(0, 0, 0, 0));
}
#endif

#if MASKS_AHEAD
/* Where word i of pack j's masks stands. */
INLINE __local uint *mask_place(const struct held *h, uint j, uint i)
{
    return h->masks + (j * MASK_WORDS + i / MASK_PIECE * MASK_PIECE) * WG + i % MASK_PIECE;
}

/* Piece by piece, without registers. */
INLINE void stock_mask(struct held *h, const __global uint *from, uint j)
{
    UNROLL for (uint i = 0; i < MASK_WORDS; i += MASK_PIECE)
    {
        __local uint *place = mask_place(h, j, i);
        if (MASK_PIECE == 4)
            ptx_copy_16((__local uint4 *)place, (const __global uint4 *)(from + i));
        else if (MASK_PIECE == 2)
            ptx_copy_8((__local uint2 *)place, (const __global uint2 *)(from + i));
        else
            ptx_copy_4(place, from + i);
    }
}

INLINE void stock_masks(struct held *h, struct row row, struct cut cut, uint first)
{
    if (cut.mask_fits) {
        const __global mem_mask *from = row.mask + pack_column(cut, first, 0);
        UNROLL for (uint j = 0; j < PACKS; j++)
            if (pack_is_read(row, cut, first, j))
                stock_mask(h, (const __global uint *)(from + j * SIDE * PACK), j);
        return;
    }
    _Pragma("unroll 1") for (uint j = 0; j < PACKS; j++)
    {
        if (sizeof(mem_mask) == 4) {
            if (pack_is_read(row, cut, first, j))
                UNROLL for (uint i = 0; i < MASK_WORDS; i++)
                    ptx_copy_4(mask_place(h, j, i),
                               (const __global uint *)row.mask +
                                   (pack_column(cut, first, j) + i) * row.mask_col);
            continue;
        }
        uint w[MASK_WORDS] = {0};
        if (pack_is_read(row, cut, first, j))
            words_gather(w, sizeof(mem_mask),
                         row.mask + pack_column(cut, first, j) * row.mask_col,
                         row.mask_col * sizeof(mem_mask));
        UNROLL for (uint i = 0; i < MASK_WORDS; i++)
            *mask_place(h, j, i) = w[i];
    }
}
#endif

/* Is all of a part there to be read, as of most? Then there are no places to be filled. */
#if AHEAD && !MASKS_AHEAD && !WINDOW
#define STOCKED_WHOLE pack_is_read(row, cut, first, PACKS - 1)
#else
#define STOCKED_WHOLE false
#endif

/* Sends for all of them. */
INLINE void stock_packs(struct held *h, struct row row, struct cut cut, uint first)
{
    if (STOCKED_WHOLE)
        UNROLL for (uint j = STOCK_FIRST; j < PACKS; j++)
            stock_x(h, row, cut, first, j, true);
    else
        UNROLL for (uint j = STOCK_FIRST; j < PACKS; j++)
            stock_x(h, row, cut, first, j, pack_is_read(row, cut, first, j));
#if HAS_DY
    if (cut.dy_fits)
        UNROLL for (uint j = STOCK_FIRST; j < PACKS; j++)
            stock_dy(h, row, cut, first, j, true);
    else
        ROLLED for (uint j = STOCK_FIRST; j < PACKS; j++)
            stock_dy(h, row, cut, first, j, false);
#endif
#if MASKS_AHEAD
    stock_masks(h, row, cut, first);
#endif
}
