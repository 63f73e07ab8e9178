/* SPDX-License-Identifier: MIT */
/*
 * Running maximum and sum for an operation that keeps candidates: the threshold is found in the
 * first BLOCK elements of each worker, and raised where twice as many have been seen, so that there
 * are few more candidates than in a row of which all maxima are known. All workers go round
 * together, and come to the elements that make no whole block afterwards.
 */
INLINE void two_passes(struct row row, uint first, uint step, __local real *scratch)
{
    struct state s = state_empty();
    struct keep keep;
    const uint blocks = (row.end - row.begin) / (BLOCK * step);
    const real unit = OP_LIFTS ? (real)(1 / UNLIFTED) : (real)1;
    uint c = row.begin + first, latest = 0;
    real most = s.max;
    for (uint b = 0; b < blocks; b++, c += BLOCK * step) {
        real x[BLOCK];
        bool any = false;
        for (uint k = 0; k < BLOCK; k++) {
            x[k] = row_logit(row, c + k * step);
            most = real_max(most, x[k]);
        }
        keep_turn(&keep, most, b, scratch);
        s = state_follow(s, most, unit);
        for (uint k = 0; k < BLOCK; k++) {
            struct element e = {c + k * step, x[k], (real)0};
            s.part = pair_add(s.part, op_lifted_term(row, e, s.max));
            any |= keep_wants(&keep, x[k]);
        }
        ROLLED for (uint k = 0; k < BLOCK && any; k++)
            keep_add(&keep, row, row_element(row, c + k * step));
        latest += BLOCK;
        if (latest >= SPAN) {
            s = state_settle(s);
            latest = 0;
        }
    }
    for (uint rest = c; rest < row.end; rest += step) /* fewer than BLOCK */
        most = real_max(most, row_logit(row, rest));
    real max = keep_threshold(&keep, most, blocks == 0, keep_place(scratch), scratch);
    s = state_raise(s, max);
    for (; c < row.end; c += step) {
        struct element e = row_element(row, c);
        s.part = pair_add(s.part, op_lifted_term(row, e, s.max));
        keep_add(&keep, row, e);
    }
    s.sum = pair_down(set_sum(state_close(s).sum, scratch));
    end_row(row, s, &keep, first, step, scratch);
}
