/* SPDX-License-Identifier: MIT */
/* A row that is held in registers and local memory from memory to memory, for any operation. */
#include "held.cl"
#include "hold.cl"
#include "held_sum.cl"
#include "held_once.cl"
#include "held_write.cl"

/* Maximum and sum of what is held, as this worker sees them, with those of before, of which the
 * largest was `most`; it stays held as it is. */
INLINE struct state held_state(struct held *held, struct row row, struct cut cut,
                               uint first, struct state s, real *most, struct keep *keep,
                               __local real *scratch)
{
    real max = -INFINITY;
#if OP_NEEDS_MAX
    max = held_max(held, KEPT, row, cut, first);
    *most = real_max(*most, max);
    keep_turn(keep, *most, cut.base / (PACKS * WG), scratch);
    s = state_follow(s, *most, (real)1);
    if (!MAX_OF_WORDS)
        held_forget(held, KEPT, row);
#endif
    struct pair sum = held_sum(held, KEPT, row, cut, first, s.max, max, keep);
    s.sum = pair_merge(s.sum, sum);
    return s;
}

/* Everybody's of these as one. */
INLINE struct state held_states_end(struct state s, real most, struct keep *keep,
                                    __local real *scratch)
{
#if HAS_CANDIDATES
    s = state_raise(s, keep_threshold(keep, most, false, keep_place(scratch), scratch));
    s.sum = set_sum(s.sum, scratch);
    return s;
#elif OP_NEEDS_MAX
    s = state_raise(s, most);
#endif
    return set_state(s, scratch);
}

#if SHARP_LATER
/* A sum of less is made again, with what rounding took from differences from the maximum: beside
 * more, terms far below it do not count. */
#define ENOUGH 5
#if REAL_IS_F64
#define anew ptx_anew_f64
#else
#define anew ptx_anew
#endif
INLINE bool is_made_again(struct row *row, struct pair sum, __local real *scratch)
{
    row->sharp = SHARP && sum.hi < ENOUGH;
    return SHARP && set_again(row->sharp, scratch);
}
#else
#define is_made_again(row, sum, scratch) false
#define anew(v) (v)
#endif

/* Maximum and sum of what all workers of a set hold, `kept` packs of it in registers and the
 * others in local memory. With everybody's maximum first: no state is raised. */
INLINE struct state held_set_state(struct held *held, uint kept, struct row row,
                                   struct cut cut, uint first, struct keep *keep,
                                   __local real *scratch)
{
    struct state s = given_state(row);
#if !OP_GIVEN
    real most = -INFINITY;
#if OP_NEEDS_MAX
    most = held_max(held, kept, row, cut, first);
#if HAS_CANDIDATES
    s.max = keep_threshold(keep, most, true, keep_place(scratch), scratch);
#else
    s.max = set_max(most, scratch);
#endif
    if (TAMED && s.max == (real)INFINITY)
        held_tame(held, kept);
    if (!MAX_OF_WORDS)
        held_forget(held, kept, row);
#endif
    bool again = false;
    do {
        real max = anew(s.max);
        s.sum = set_sum(held_sum(held, kept, row, cut, first, max, most, keep), scratch);
        again = !again && is_made_again(&row, s.sum, scratch);
    } while (again);
    s.sum = sum_with_tiny(s.sum, row, first, s.max, scratch);
#endif
    return s;
}

/* One row from memory to memory, by worker `worker`. No function, since a compiler would go over
 * all of it there before it did so once more in the kernel. */
#define HELD_ROW(a_row, worker, scratch, stock_of_all)                                   \
    {                                                                                    \
        struct row row = a_row;                                                          \
        struct cut cut = cut_row(row);                                                   \
        struct held held;                                                                \
        struct keep keep;                                                                \
        const uint first = worker;                                                       \
        held.stock = stock_of_all + get_local_id(0);                                     \
        hold_started(&held, row, cut, first, &keep);                                     \
        struct state s = held_set_state(&held, KEPT, row, cut, first, &keep, scratch);   \
        struct writing as = held_close(row, first, s, s.max, &keep, scratch);            \
        held_write(&held, KEPT, row, cut, first, as);                                    \
    }
