/* SPDX-License-Identifier: MIT */
/* A line's results on their way to memory; the file before says whether they are STAYS_BASED,
 * numbers then. */

/* Their bits. */
INLINE void values_bits(const real *v, line_y *part)
{
#if STAYS_BASED
    LINE_BITS(number_bits_, v, part);
#else
    LINE_BITS(bits_, v, part);
#endif
}

INLINE void values_store(const real *v, __global mem_y *y, bool past)
{
    line_y part[LINE_PARTS];
    values_bits(v, part);
    line_store(part, y, past);
}

/* A line of two rows: `before` elements of the one, in `open`, then the other's. */
INLINE void values_join(real *v, const real *open, uint before)
{
    UNROLL for (uint k = 0; k < LINE_PARTS; k++)
        v[k] = LANE_IDS + (real)(SCALAR)(k * VEC) < (real)(SCALAR)before ? open[k] : v[k];
}
