/* SPDX-License-Identifier: MIT */
/*
 * A row's candidates, where its mapping knows each worker's largest element, of all or of those so
 * far, before any is kept. The workers have SHARES of the row, and each share has one element that
 * is its largest: of these, number PLACES from above is a threshold that the PLACES largest of the
 * row reach, and hardly more than those. What does goes to local memory in any order, and each
 * one's place is how many of them are larger. Where there are more than there is room for, such as
 * many equal ones, those that have found room tell a higher threshold, and the row is read again.
 */
/* Behind how many there are; four and four, so that they are read together. */
enum { LEAST_AT = 1, SHARES_AT = 4, CANDIDATES_AT = SHARES_AT + (SHARES + 3) / 4 * 4 };
#define KEEP_REALS (CANDIDATES_AT + CANDIDATES * TOP_PARTS)
#define KEEP_ALIGNED __attribute__((aligned(16)))
#define PART_RECORDS (1 + PLACES)

#if defined PARTS && PARTS > 1 /* workers that choose together */
#define CHOOSERS WG
#else
#define CHOOSERS WORKERS
#endif

struct keep {
    real threshold;
    uint packs; /* a bit for each that reaches it */
    __local real *kept;
};

/* Of the shares' numbers the largest, and number PLACES from above, equal ones told apart. */
struct shares {
    real_bits most, least;
};

/* A mapping defines, for its set of workers:
 *     keep_place  its part of local memory, of KEEP_REALS, behind scratch
 *     set_shares  everybody gets the shares' largest and least, of everybody's numbers; where a row
 *                 begins, `kept` has 0 in front from then on
 *     set_wait    until all see what each left in local memory
 *     set_summed  the same behind a sum
 *     sets_any    does something hold in this set, or in one that goes on together with it? */
INLINE __local real *keep_place(__local real *scratch);
INLINE struct shares set_shares(real_bits v, bool begins, __local real *kept,
                                __local real *scratch);
INLINE void set_wait(void);
INLINE void set_summed(void);
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

/* Equal ones of several shares are told apart by their last bits, without which the threshold is
 * a little lower. */
#define LAST_BITS ((real_bits)(SHARES - 1))
INLINE real_bits share_apart(real_bits v, uint share)
{
    return (v & ~LAST_BITS) | (share & LAST_BITS);
}

/* Of shares that are neighbouring lanes', of `lanes` that have a row together. */
INLINE struct shares lanes_shares(real_bits v, uint lanes, __local real *scratch)
{
    real_bits share = share_apart(v, get_local_id(0));
    struct shares all = {cluster_most(v, lanes, scratch), (real_bits)0};
    if (MOST_AT_ONCE && lanes == LANES) {
        EACH_TURN (uint j = 0; j < PLACES; j++) {
            share = j > 0 && share == all.least ? (real_bits)0 : share;
            all.least = cluster_most(share, lanes, scratch);
        }
        return all;
    }
    uint above = 0; /* each is compared with all the others */
    EACH_TURN (uint d = 1; d < SHARES; d++)
        above += AS_BITS(lanes_swap(AS_REAL(share), d, scratch)) > share ? 1 : 0;
    all.least = cluster_most(above == PLACES - 1 ? share : (real_bits)0, lanes, scratch);
    return all;
}

/* Everybody's maximum, and the threshold for what follows; -inf is below any. */
INLINE real keep_threshold(struct keep *keep, real most, bool begins, __local real *kept,
                           __local real *scratch)
{
    const real_bits none = ordered((real)(-INFINITY));
    struct shares all = set_shares(ordered(most), begins, kept, scratch);
    keep->threshold = of_ordered(larger_bits(all.least & ~LAST_BITS, none + 1));
    keep->packs = 0;
    keep->kept = kept;
    return of_ordered(all.most);
}

/* The same where a row is seen in turns: anew once there have been twice as many. */
INLINE void keep_turn(struct keep *keep, real most, uint turn, __local real *scratch)
{
    keep->packs = 0;
    if ((turn & (turn - 1)) == 0)
        keep_threshold(keep, most, turn == 0, keep_place(scratch), scratch);
}

static bool keep_wants(const struct keep *keep, real v)
{
    return !(v < keep->threshold); /* NaN, too */
}

/* Are there more than there is room for? How many does not matter then. */
INLINE bool is_crowded(const struct keep *keep)
{
    return *(const volatile __local uint *)keep->kept > CANDIDATES;
}

/* Takes room for n, and says where. */
INLINE uint keep_room(const struct keep *keep, uint n)
{
    return atomic_add((volatile __local uint *)keep->kept, n);
}

INLINE void keep_top(const struct keep *keep, struct top top, uint at)
{
    if (at < CANDIDATES)
        top_put(top, keep->kept + CANDIDATES_AT + at, CANDIDATES);
}

INLINE void keep_put(const struct keep *keep, struct row row, struct element e, uint at)
{
    keep_top(keep, top_at(ranked(row, e.x, e.c), e.c), at);
}

static void keep_add(struct keep *keep, struct row row, struct element e)
{
    if (keep_wants(keep, e.x))
        keep_put(keep, row, e, keep_room(keep, 1));
}

static bool is_above(struct top a, struct top b)
{
    bool above = a.part[TOP_PARTS - 1] > b.part[TOP_PARTS - 1];
    return TOP_PARTS == 1 ? above : a.part[0] > b.part[0] || (a.part[0] == b.part[0] && above);
}

/* The place of one among n, or how many of every `step`-th four from number 4 * first on are above
 * it. */
INLINE uint place_among(const __local real *all, uint n, uint first, uint step, struct top mine)
{
    uint place = 0;
    _Pragma("unroll 4") for (uint j = 4 * first; j < n; j += 4 * step)
        UNROLL for (uint k = 0; k < 4; k++)
            place += (j + k < n) & is_above(top_get(all + j + k, CANDIDATES), mine) ? 1 : 0;
    return place;
}

/* Workers that compare one candidate, each with some of the others, where there are enough. */
enum {
    FOR_ONE = PLACES > 8 && CHOOSERS > LANES ? CHOOSERS / (2 * PLACES) : 1,
    COMPARERS = FOR_ONE >= 8 ? 8 : FOR_ONE >= 4 ? 4 : FOR_ONE >= 2 ? 2 : 1,
    AT_A_TIME = CHOOSERS / COMPARERS
};

/* One of the n candidates from number `base` on, and its place; is it for this worker to put
 * there? All call. */
INLINE bool candidate_has_place(const __local real *all, uint n, uint base, uint first,
                                struct top *mine, uint *place, __local real *scratch)
{
    const uint i = base + first / COMPARERS, at = first % COMPARERS;
    const bool any = base + first / LANES * LANES / COMPARERS < n; /* in this set of lanes? */
    *mine = top_get(all + min(i, n - 1), CANDIDATES);
    real_bits above = place_among(all, any ? n : 0, at, COMPARERS, *mine);
    UNROLL for (uint d = COMPARERS / 2; d > 0; d /= 2)
        above += AS_BITS(lanes_swap(AS_REAL(above), d, scratch));
    *place = (uint)above;
    return i < n && at == 0 && above < PLACES;
}

/* What reaches a threshold, with equal ones told apart by their columns, as long as there is room;
 * and this worker's largest of all. Many loads depend on no condition. */
INLINE struct top candidates_from(struct top least, struct row row, const struct keep *keep,
                                  uint first)
{
    enum { TOGETHER = 8 };
    const uint n = row.end - row.begin, least_column = top_column(least);
    const real least_value = top_value(least);
    struct element most = {NO_COLUMN, (real)(-INFINITY), (real)0};
    for (uint i = first; i < n; i += TOGETHER * CHOOSERS) {
        struct element e[TOGETHER];
        bool reaches[TOGETHER];
        uint all = 0;
        UNROLL for (uint k = 0; k < TOGETHER; k++)
        {
            uint at = i + k * CHOOSERS;
            e[k] = row_element(row, row.begin + min(at, n - 1));
            e[k].x = at < n ? ranked(row, e[k].x, e[k].c) : (real)(-INFINITY);
            if (e[k].x > most.x) /* equal ones come after it */
                most = e[k];
            reaches[k] = e[k].x > least_value || (e[k].x == least_value && e[k].c <= least_column);
            all += reaches[k] ? 1 : 0;
        }
        if (!all || is_crowded(keep))
            continue;
        uint room = keep_room(keep, all);
        UNROLL for (uint k = 0; k < TOGETHER; k++)
            if (reaches[k])
                keep_put(keep, row, e[k], room++);
    }
    struct top top = top_at(most.x, most.c), none = {{0}};
    return most.c == NO_COLUMN ? none : top;
}

/* Of everybody's, number PLACES from above. */
INLINE struct top set_least(struct top mine, __local real *scratch)
{
    struct top least = {{0}};
    for (uint j = 0; j < PLACES; j++) {
        least = set_top(mine, PLACES - 1 - j, scratch);
        bool taken = !is_above(least, mine);
        EACH_PART (p)
            mine.part[p] = taken ? (real_bits)0 : mine.part[p];
    }
    return least;
}

/* How many candidates there are once there is room for all, and no fewer than places if there
 * can be as many. Where there is none, number PLACES from above of those that have found room is a
 * higher threshold, and among what all workers have seen may be one that is higher still. */
INLINE uint enough_candidates(struct row row, const struct keep *keep, uint first,
                              __local real *scratch)
{
    /* so many tell the higher threshold, more than there are places */
    enum { FEW = PLACES <= 32 ? 64 : 2 * PLACES, SOME = CANDIDATES < FEW ? CANDIDATES : FEW };
    __local real *kept = keep->kept, *all = kept + CANDIDATES_AT;
    struct top least = top_from(keep->threshold);
    uint n = *(__local uint *)kept;
    bool again = is_crowded(keep);
#if FORMS || CHOOSERS < WORKERS
    /* a logit that is made again may be below the threshold that it gave; a part may have had
     * too many */
    if (n < PLACES) {
        least = top_from(of_ordered(ordered((real)(-INFINITY)) + 1));
        again = true;
    }
#endif
    while (sets_any(again, scratch)) {
        const bool raises = again && is_crowded(keep);
        for (uint i = first; raises && i < SOME; i += CHOOSERS)
            if (place_among(all, SOME, 0, 1, top_get(all + i, CANDIDATES)) == PLACES - 1)
                top_put(top_get(all + i, CANDIDATES), kept + SHARES_AT, 1);
        set_wait();
        if (raises)
            least = top_of(least, top_get(kept + SHARES_AT, 1));
        if (again && first == 0)
            *(__local uint *)kept = 0;
        set_wait();
        struct top most = {{0}};
        if (again)
            most = candidates_from(least, row, keep, first);
        least = top_of(least, set_least(most, scratch));
        set_wait();
        n = *(__local uint *)kept;
        again = n > CANDIDATES;
    }
    return n;
}

/* Of the n, those that reach the last threshold, where a row is seen in turns and the earlier ones
 * have let many more in. */
INLINE uint best_candidates(const struct keep *keep, uint n, uint first)
{
#if !(FORMS || defined PARTS) && CHOOSERS > LANES
    enum { MANY = 2 * PLACES + 32 };
    const struct top least = top_from(keep->threshold);
    const __local real *all = keep->kept + CANDIDATES_AT;
    const bool fewer = n > MANY;
    for (uint base = 0; fewer && base < n; base += CHOOSERS) {
        const uint i = base + first;
        struct top mine = top_get(all + min(i, n - 1), CANDIDATES);
        set_wait();
        if (base == 0 && first == 0)
            *(__local uint *)keep->kept = 0;
        set_wait();
        if (i < n && !is_above(least, mine))
            keep_top(keep, mine, keep_room(keep, 1));
    }
    if (fewer) {
        set_wait();
        n = *(__local uint *)keep->kept;
    }
#endif
    return n;
}

INLINE void op_write(struct row row, struct result r, struct keep *keep, uint first, uint step,
                     __local real *scratch)
{
    set_summed();
    const uint n = best_candidates(keep, enough_candidates(row, keep, first, scratch), first);
    const __local real *all = keep->kept + CANDIDATES_AT;
    for (uint base = 0; base < n; base += AT_A_TIME) {
        struct top mine;
        uint place;
        if (candidate_has_place(all, n, base, first, &mine, &place, scratch) && row.inside) {
            uint column = top_column(mine);
            put_place(row, place, place_result(row, r, place, top_value(mine), column), column);
        }
    }
    for (uint j = n + first; j < PLACES && row.inside; j += CHOOSERS)
        put_place(row, j, place_result(row, r, j, (real)0, NO_COLUMN), NO_COLUMN);
}
