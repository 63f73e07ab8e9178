/* SPDX-License-Identifier: MIT */
/* How a set of workers goes over one row in two passes. */
#if OP_GIVEN || !OP_NEEDS_MAX
#define two_passes three_passes /* there is no maximum to find on the way */
#elif HAS_CANDIDATES
#include "two_passes_kept.cl"
#else
/* Running maximum and sum, then write: reads x twice. The maximum is raised at most once
 * per BLOCK elements. Source: Milakov and Gimelshein, arXiv:1805.02867, algorithm 3. */
INLINE void two_passes(struct row row, uint first, uint step, __local real *scratch)
{
    struct state s = state_empty();
    struct keep keep;
    keep_start(&keep, row);
    uint c = row.begin + first, latest = 0;
    const real unit = OP_LIFTS ? (real)(1 / UNLIFTED) : (real)1;
    real max = s.max;
    for (; row.end - row.begin >= BLOCK * step && c < row.end - (BLOCK - 1) * step;
         c += BLOCK * step) {
        struct element e[BLOCK];
        for (uint k = 0; k < BLOCK; k++) {
            e[k] = row_element(row, c + k * step);
            max = real_max(max, e[k].x);
        }
        s = state_follow(s, max, unit);
        for (uint k = 0; k < BLOCK; k++) {
            s.part = pair_add(s.part, op_lifted_term(row, e[k], s.max));
            keep_add(&keep, row, e[k]);
        }
        latest += BLOCK;
        if (latest >= SPAN) {
            s = state_settle(s);
            latest = 0;
        }
    }
    for (; c < row.end; c += step) { /* fewer than BLOCK */
        struct element e = row_element(row, c);
        max = real_max(max, e.x);
        s = state_follow(s, max, unit);
        s.part = pair_add(s.part, op_lifted_term(row, e, s.max));
        keep_add(&keep, row, e);
    }
    s = state_close(s);
    s = state_raise(s, set_max(max, scratch));
    s.sum = pair_down(set_sum(s.sum, scratch));
    end_row(row, s, &keep, first, step, scratch);
}
#endif
