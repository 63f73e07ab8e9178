/* SPDX-License-Identifier: MIT */
/*
 * Masks that stay in a work-group's local memory for all of its rows, as reals. Packs start at
 * whole addresses of x, so their columns shift from row to row by up to LINE: pack j of all
 * work-items takes its masks from a window of CHUNK columns. In it, column e stands in plane
 * e % PACK, and there at e / PACK: whatever the shift, neighbouring lanes read neighbours.
 */
#if MASKS_STAY
/* The windows of this part's columns, whatever row asks. */
INLINE void settle_masks(__local real *planes, struct row row, uint number)
{
    const uint lane = (uint)get_local_id(0);
    ROLLED for (uint j = 0; j < PACKS; j++)
    {
        uint from = (j * WORKERS + number * WG) * PACK;
        _Pragma("unroll 4") for (uint e = lane; e < CHUNK; e += WG)
        {
            __local real *place = planes + j * CHUNK + e % PACK * PLANE + e / PACK;
            const __global mem_mask *mask = row.mask + (from + e) * row.mask_col;
            if (from + e >= row.cols)
                *place = (real)0;
#if HAS_PTX
            else if (sizeof(mem_mask) == sizeof(real))
                ptx_copy_4((__local uint *)place, (const __global uint *)mask);
#endif
            else
                *place = CAT(get_, MASK)(mask);
        }
    }
    stock_wait();
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Those of pack j. From plane to plane it is as far for all elements up to the last plane, and
 * from there again. */
INLINE void settled_mask(const struct held *h, struct cut cut, uint j, uint *mask)
{
    const uint plane = cut.head % PACK;
    const __local real *from = h->planes + j * CHUNK + (plane * PLANE + cut.head / PACK);
    const __local real *again = from - (PACK * PLANE - 1);
    UNROLL for (uint k = 0; k < PACK; k++)
        mask[k] = as_uint((plane + k < PACK ? from : again)[k * PLANE]);
}
#endif
