/* SPDX-License-Identifier: MIT */
/* Numbers of rows that are the lanes of a vector, one each: `rows` of them, side by side. */

/* Where there are fewer than lanes, the last one again. */
INLINE real given(const __global SCALAR *from, uint rows)
{
    return LOAD_REAL(from, rows, from[rows - 1]);
}

/* What is known of rows of which `row` is the first, to where those from number `at` on have it. */
INLINE void write_states(struct row row, size_t at, uint rows, struct state s)
{
#if HAS_MAX
    write_lanes(s.max, rows, row.max_out + at);
#endif
#if HAS_SUM
    write_lanes(s.sum.hi + s.sum.lo, rows, row.sum_out + at);
#endif
#if HAS_LSE
    write_lanes(state_lse(s), rows, row.lse_out + at);
#endif
}
