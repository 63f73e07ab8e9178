/* SPDX-License-Identifier: MIT */
/* From global to local memory, without registers where a device has that. */

/* n words, 2 or 4, of elements of `unit` bytes to local memory, or `fill`; they are there after
 * stock_wait. */
INLINE void stock_words(__local uint *place, uint n, const __global void *from, uint unit,
                        bool there, bool fits, uint4 fill)
{
    uint w[4] = {fill.x, fill.y, fill.z, fill.w};
#if HAS_PTX
    if (n == 4 && fits && MOVED_IN_ONE) {
        ptx_copy_or_fill((__local uint4 *)place, (const __global uint4 *)from, there, fill);
        return;
    }
    if (there && fits) {
        if (n == 4)
            ptx_copy_16((__local uint4 *)place, (const __global uint4 *)from);
        else
            ptx_copy_8((__local uint2 *)place, (const __global uint2 *)from);
        return;
    }
#endif
    if (there && fits)
        words_load(w, n, from);
    else if (there)
        words_gather(w, unit, from, unit);
    if (n == 4)
        *(__local uint4 *)place = (uint4)(w[0], w[1], w[2], w[3]);
    else
        *(__local uint2 *)place = (uint2)(w[0], w[1]);
}

INLINE void stock_wait(void)
{
#if HAS_PTX
    ptx_ask();
    ptx_wait_copies();
    ptx_ask(); /* a neighbour may have moved some */
#endif
}
