/* SPDX-License-Identifier: MIT */
/* Packs for which there are no registers, from global to local memory. */
/* 16 bytes of `unit` bytes an element to local memory, or `fill`; they are there after
 * stock_wait. */
INLINE void stock_16(__local uint4 *place, const __global void *from, uint unit, bool there,
                     bool fits, uint4 fill)
{
    uint w[4] = {fill.x, fill.y, fill.z, fill.w};
#if HAS_PTX
    if (there && fits) {
        ptx_copy_16(place, (const __global uint4 *)from);
        return;
    }
#endif
    if (there && fits)
        words_load(w, 4, from);
    else if (there)
        words_gather(w, unit, from, unit);
    *place = (uint4)(w[0], w[1], w[2], w[3]);
}

INLINE void stock_x(struct held *h, struct row row, struct cut cut, uint first, uint j)
{
    uint start = pack_column(cut, first, 0), on = j * WORKERS * PACK;
    __local uint4 *place = h->stock + (j - KEPT) * PLACES_EACH;
    bool there = pack_is_read(row, cut, first, j);
    uint4 fill = (uint4)(FILL_WORD(0), FILL_WORD(1), FILL_WORD(2), FILL_WORD(3));
    stock_16(place, row.x + start + (size_t)on, sizeof(mem_x), there, cut.x_fits, fill);
}

#if HAS_DY
INLINE void stock_dy(struct held *h, struct row row, struct cut cut, uint first, uint j,
                     bool fits)
{
    uint start = pack_column(cut, first, 0), on = j * WORKERS * PACK;
    stock_16(h->stock + (j - KEPT) * PLACES_EACH + DY_PLACE, row.dy + start + (size_t)on,
             sizeof(mem_dy), pack_is_read(row, cut, first, j), fits, (uint4)(0, 0, 0, 0));
}
#endif

INLINE void stock_wait(void)
{
#if HAS_PTX
    if (KEPT < PACKS) {
        ptx_ask();
        ptx_wait_copies();
    }
#endif
}
