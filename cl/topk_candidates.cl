/* SPDX-License-Identifier: MIT */
/*
 * A row's candidates, where its mapping knows each worker's largest element, of all or of those so
 * far, before any is kept. The workers have SHARES of the row, and each share has one element that
 * is its largest: of these, number PLACES from above is a threshold that the PLACES largest of the
 * row reach, and hardly more than those. What does goes to local memory in any order, and each
 * one's place is how many of them are larger. Where there are more than there is room for, such as
 * many equal ones, or too few, lists are made.
 */
#define KEEP_REALS (1 + SHARES + CANDIDATES * TOP_PARTS)
enum { SHARES_AT = 1, CANDIDATES_AT = SHARES_AT + SHARES }; /* behind how many candidates there are */

/* A mapping defines, for its set of workers:
 *     keep_place  its part of local memory, of KEEP_REALS, behind scratch
 *     set_shares  in each lane, the largest of a share's numbers, in a set of lanes those of all
 *                 shares; where a row begins, `kept` has 0 in front from then on
 *     shares_most the largest of these
 *     set_wait    until all see what each left in local memory before the sum
 *     sets_any    does something hold in this set, or in one that goes on together with it? */
INLINE __local real *keep_place(__local real *scratch);
INLINE real_bits set_shares(real_bits v, bool begins, __local real *kept, __local real *scratch);
INLINE real_bits shares_most(real_bits v, __local real *scratch);
INLINE void set_wait(void);
INLINE bool sets_any(bool v, __local real *scratch);

/* A loop in which lanes agree, written out where that takes no barriers. */
#if LANES_BY == LANES_LOCAL
#define EACH_TURN for
#else
#define EACH_TURN UNROLL for
#endif

static void keep_start(struct keep *keep, struct row row)
{
}

/* Everybody's maximum, and the threshold for what follows; -inf is below any. Equal ones of several
 * shares are told apart by their last bits, without which the threshold is a little lower. */
INLINE real keep_threshold(struct keep *keep, real most, bool begins, __local real *kept,
                           __local real *scratch)
{
    const real_bits last = SHARES - 1, none = ordered((real)(-INFINITY));
    real_bits share = set_shares(ordered(most), begins, kept, scratch);
    real_bits max = shares_most(share, scratch);
    share = (share & ~last) | (get_local_id(0) & last);
    real_bits least = shares_most(share, scratch);
    EACH_TURN (uint j = 1; j < PLACES; j++) {
        share = share == least ? (real_bits)0 : share;
        least = shares_most(share, scratch);
    }
    keep->threshold = of_ordered(larger_bits(least & ~last, none + 1));
    keep->packs = 0;
    keep->kept = kept;
    return of_ordered(max);
}

static bool keep_wants(const struct keep *keep, real v)
{
    return !(v < keep->threshold); /* NaN, too */
}

static void keep_add(struct keep *keep, struct row row, struct element e)
{
    if (!keep_wants(keep, e.x))
        return;
    uint at = atomic_inc((volatile __local uint *)keep->kept);
    if (at < CANDIDATES)
        top_put(top_at(ranked(row, e.x, e.c), e.c), keep->kept + CANDIDATES_AT + at, CANDIDATES);
}

static bool is_above(struct top a, struct top b)
{
    bool above = a.part[TOP_PARTS - 1] > b.part[TOP_PARTS - 1];
    return TOP_PARTS == 1 ? above : a.part[0] > b.part[0] || (a.part[0] == b.part[0] && above);
}

INLINE void write_candidates(struct row row, struct result r, const __local real *all, uint n,
                             uint first)
{
    for (uint i = first; i < n; i += WORKERS) {
        struct top mine = top_get(all + i, CANDIDATES);
        uint place = 0;
        _Pragma("unroll 4") for (uint j = 0; j < n; j++)
            place += is_above(top_get(all + j, CANDIDATES), mine) ? 1 : 0;
        uint column = top_column(mine);
        if (place < PLACES && row.inside)
            put_place(row, place, place_result(row, r, place, top_value(mine), column), column);
    }
    for (uint j = n + first; j < PLACES && row.inside; j += WORKERS)
        put_place(row, j, place_result(row, r, j, (real)0, NO_COLUMN), NO_COLUMN);
}

INLINE void op_write(struct row row, struct result r, struct keep *keep, uint first, uint step,
                     __local real *scratch)
{
    set_wait();
    uint n = *(__local uint *)keep->kept;
    bool listed = n > CANDIDATES;
#if FORMS /* a logit that is made again may be below the threshold that it gave */
    listed |= n < PLACES;
#endif
    if (!sets_any(listed, scratch)) {
        write_candidates(row, r, keep->kept + CANDIDATES_AT, n, first);
        return;
    }
    LANES_ALONE real max = r.max, scale = r.scale;
    r.max = max, r.scale = scale;
    struct list list;
    list_start(&list);
    for (uint i = 0; i < worker_columns(row, first, step); i++) {
        uint c = worker_column(row, first, step, i);
        if (c < row.end)
            list_add(&list, ranked(row, row_logit(row, c), c), c);
    }
    write_listed(row, r, &list, first, step, scratch);
}
