/* SPDX-License-Identifier: MIT */
/*
 * Masks that stay in a work-group's local memory for all of its rows, as reals. Packs start at
 * whole addresses of x, so their columns shift from row to row by up to LINE: pack j of all
 * work-items takes its masks from a window of CHUNK columns. In it, column e stands in plane
 * e % PACK, and there at e / PACK: whatever the shift, neighbouring lanes read neighbours. Where
 * all rows start at the same element of a pack, windows begin there, too, and QUAD planes are one,
 * of which a lane reads neighbours at once.
 */
#if MASKS_STAY
enum { QUAD = STARTS_ALIKE ? 4 : 1 };

/* A kernel's room for masks, here its planes with whose masks stand there, for h; and part p's
 * masks brought there. */
#define PLANES(h)                                                                        \
    __local real planes[PACKS * CHUNK] __attribute__((aligned(16)));                     \
    __local ulong settled_for;                                                           \
    (h).planes = lane_place(planes, shape);                                              \
    if (get_local_id(0) == 0)                                                            \
        settled_for = 0
#define SETTLE(p) settle_masks(planes, &settled_for, (p).row, (p).cut, (p).number)

/* Elements of a pack before a row's first window. */
INLINE uint windows_begin(struct cut cut)
{
    return STARTS_ALIKE ? cut.head % PACK : 0;
}

/* What stands there: the masks of which address, from which element on. */
INLINE ulong settled_as(struct row row, struct cut cut)
{
    return (ulong)row.mask ^ (ulong)windows_begin(cut) << 56;
}

/* The windows of this part's columns, whatever row asks. */
INLINE void fill_planes(__local real *planes, struct row row, struct cut cut, uint number)
{
    const uint lane = (uint)get_local_id(0);
    ROLLED for (uint j = 0; j < PACKS; j++)
    {
        uint from = windows_begin(cut) + (j * WORKERS + number * WG) * PACK;
        _Pragma("unroll 4") for (uint e = lane; e < CHUNK; e += WG)
        {
            __local real *place = planes + j * CHUNK + e % PACK / QUAD * (QUAD * PLANE) +
                                  e / PACK * QUAD + e % QUAD;
            const __global mem_mask *mask = row.mask + (from + e) * row.mask_col;
            if (from + e >= row.cols)
                *place = (real)0;
            else if (sizeof(mem_mask) == sizeof(real))
                ptx_copy_4((__local uint *)place, (const __global uint *)mask);
            else
                *place = CAT(get_, MASK)(mask);
        }
    }
    stock_wait();
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* The same, if others stand there: `as` says which. */
INLINE void settle_masks(__local real *planes, __local ulong *as, struct row row, struct cut cut,
                         uint number)
{
    if (*as == settled_as(row, cut))
        return;
    barrier(CLK_LOCAL_MEM_FENCE); /* everybody has seen that, and needs none of them */
    if (get_local_id(0) == 0)
        *as = settled_as(row, cut);
    fill_planes(planes, row, cut, number);
}

/* A work-item's place in each plane. That the compiler does not know how it came about keeps
 * NVIDIA's from working out each mask's address anew from the work-item's number. */
INLINE const __local char *lane_place(const __local real *planes, struct shape shape)
{
    return (const __local char *)((size_t)(planes + get_local_id(0) * QUAD) ^ shape.zero);
}

/* The masks of pack j. From plane to plane it is as far for all elements up to the last plane,
 * and from there again. */
INLINE void settled_mask(const struct held *h, struct cut cut, uint j, uint *mask)
{
    const __local char *window = h->planes + j * CHUNK * sizeof(real);
#if STARTS_ALIKE
    window += cut.head / PACK * QUAD * sizeof(real);
    UNROLL for (uint k = 0; k < PACK; k += QUAD)
    {
        uint4 four = *(const __local uint4 *)(window + k * PLANE * sizeof(real));
        mask[k] = four.x, mask[k + 1] = four.y, mask[k + 2] = four.z, mask[k + 3] = four.w;
    }
#else
    const uint plane = cut.head % PACK;
    const int from = (plane * PLANE + cut.head / PACK) * sizeof(real);
    const int again = from - (int)((PACK * PLANE - 1) * sizeof(real));
    UNROLL for (uint k = 0; k < PACK; k++)
        mask[k] = *(const __local uint *)(window + (long)(plane + k < PACK ? from : again) +
                                          k * PLANE * sizeof(real));
#endif
}
#elif MASKS_AHEAD
/* Room for the masks of one part, which come beside it. */
#define PLANES(h)                                                                        \
    __local uint4 masks[MASK_STOCK];                                                     \
    (h).masks = (__local uint *)masks + get_local_id(0) * MASK_PIECE
#define SETTLE(p)
#else
#define PLANES(h)
#define SETTLE(p)
#endif
