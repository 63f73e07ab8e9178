/* SPDX-License-Identifier: MIT */
/*
 * packed: a work-item takes 16 bytes of x at a time, which are several whole rows, and writes them
 * as it read them; EACH such packs are on their way at once. Reads x once, writes y once. Wins on
 * the shortest rows where COLS divides what 16 bytes hold. Rows with gaps, packs that do not start
 * at whole addresses and the last few rows are taken one by one, as item does.
 */
#ifndef WG
#define WG 128
#endif
#include "words.cl"
#include "blocks.cl"

enum { IN_PACK = PACK / COLS, EACH = ROWS / (WG * IN_PACK), TERMS = COLS };
#include "term_sum.cl"
#include "alone_set.cl"

/* Are results made of the terms? */
#define HOLDS_TERMS (TERMS_SERVE && !MAX_MOVES)

/* A term, and what of it is left for the sum if ones are counted. */
INLINE real term_beside(struct row row, struct element e, real max, real *ones, real *beside)
{
#if COUNTS_ONES
    bool one = e.x == ones_at(max);
    real term = op_other_term(row, e, max);
    *ones += one ? (real)1 : (real)0;
    *beside = one ? (real)0 : term;
    return LIMIT && one ? (real)1 : term; /* exp(0) is 1, and exp(inf - inf) is not */
#else
    return *beside = op_term(row, e, max);
#endif
}

/* The sum of what is left and of the ones. */
INLINE struct pair sum_of_both(struct pair beside, real ones, real max)
{
#if COUNTS_ONES
    beside.hi = unbiased(beside.hi, max);
    beside.lo = unbiased(beside.lo, max);
    return pair_add(beside, ones);
#else
    return beside;
#endif
}

INLINE struct state packed_state(struct row row, const struct element *e, real *all,
                                 struct keep *keep)
{
    struct state s = state_empty();
    real term[COLS];
#if OP_GIVEN
    s.max = row.from_max;
    s.sum.hi = row.from_sum;
    return s;
#endif
#if OP_NEEDS_MAX
    UNROLL for (uint c = 0; c < COLS; c++)
        s.max = real_max(s.max, e[c].x);
#endif
    real ones = (real)0;
    UNROLL for (uint c = 0; c < COLS; c++)
    {
        all[c] = term_beside(row, e[c], s.max, &ones, term + c);
    }
    s.sum = sum_of_both(add_terms(s.sum, term, !COUNTS_ONES), ones, s.max);
    s.sum = sum_with_tiny(s.sum, row, 0, s.max, 0);
    return s;
}

/* The row whose elements are number k on of a pack, and their values. */
INLINE void packed_row(struct row row, const uint *x, const uint *dy, uint k, real *value)
{
    struct element e[COLS];
    struct keep keep;
#if HAS_TARGETS
    UNROLL for (uint c = 0; c < COLS; c++)
        if (c == target_column(row, row.label))
            row.label_x = CAT(word_, X)(x, k + c);
#endif
    keep_start(&keep, row);
    UNROLL for (uint c = 0; c < COLS; c++)
    {
        e[c].c = c;
        e[c].x = is_seen(row, c) ? logit_of(row, c, CAT(word_, X)(x, k + c)) : (real)FILL;
        e[c].dy = 0;
#if HAS_DY
        e[c].dy = CAT(word_, DY)(dy, k + c);
#endif
    }
    real all[COLS];
    struct state s = packed_state(row, e, all, &keep);
    struct result result = result_of_terms(close_row(row, s, &keep, 0, 0), s.max);
#if OP_VANISHES
    UNROLL for (uint c = 0; c < COLS; c++)
        all[c] = op_vanishes(result) ? (real)0 : all[c];
#endif
#if OP_WRITES == WRITES_ROW
    UNROLL for (uint c = 0; c < COLS; c++)
#if HOLDS_TERMS && OP_SPOT
        value[k + c] = c == op_spot(result) ? op_at_spot(row, result)
                                            : op_from_term(row, c, all[c], result);
#elif HOLDS_TERMS
        value[k + c] = op_from_term(row, c, all[c], result);
#else
        value[k + c] = op_value(row, e[c], result);
#endif
#endif
}

/* Is a tensor one piece of memory, in which packs start at whole addresses? */
INLINE bool is_packed(const __global void *p, struct place place, struct shape shape,
                      uint unit)
{
    return has_no_gaps(place, shape, COLS) &&
           ((size_t)p + place.offset * unit) % min(PACK * unit, 16u) == 0;
}

__kernel WORK_GROUP(WG) void
clsm_row(TENSORS)
{
    const size_t step = WG * IN_PACK; /* rows from a work-item's pack to its next */
    bool whole = is_packed(x, shape.x, shape, sizeof(mem_x));
#if OP_WRITES == WRITES_ROW
    whole = whole && is_packed(y, shape.y, shape, sizeof(mem_y));
#endif
#if HAS_DY
    whole = whole && is_packed(dy, shape.dy, shape, sizeof(mem_dy));
#endif
    for (size_t at = get_group_id(0) * (size_t)ROWS; at < shape.rows;
         at += get_num_groups(0) * (size_t)ROWS) {
        size_t r = at + get_local_id(0) * IN_PACK;
        uint in[EACH][X_WORDS], beside[EACH][DY_WORDS];
#if HAS_TARGETS
        TARGET label[EACH][IN_PACK];
#endif
        UNROLL for (uint i = 0; i < EACH; i++)
            if (whole && r + i * step + IN_PACK <= shape.rows) {
                size_t first = (r + i * step) * COLS;
                words_load(in[i], X_WORDS, x + shape.x.offset + first);
#if HAS_DY
                words_load(beside[i], DY_WORDS, dy + shape.dy.offset + first);
#endif
#if HAS_TARGETS
                UNROLL for (uint k = 0; k < IN_PACK; k++)
                    label[i][k] = targets[shape.at_targets + r + i * step + k];
#endif
            }
        UNROLL for (uint i = 0; i < EACH; i++)
            if (whole && r + i * step + IN_PACK <= shape.rows) {
                size_t row = r + i * step;
                real value[PACK];
                uint out[Y_WORDS];
                UNROLL for (uint k = 0; k < PACK; k += COLS)
                {
                    struct row one = ROW_AT(row + k / COLS);
#if HAS_TARGETS
                    one.label = label[i][k / COLS];
#endif
                    packed_row(one, in[i], beside[i], k, value);
                }
#if OP_WRITES == WRITES_ROW
                CAT(words_from_, Y)(out, value);
                words_store(out, Y_WORDS, y + shape.y.offset + row * COLS);
#endif
            }
        size_t end = min(at + ROWS, shape.rows), begin = whole ? end - end % IN_PACK : at;
        for (size_t row = begin + get_local_id(0); row < end; row += WG) { /* in no whole pack */
            struct row one = ROW_AT(row);
#if HAS_TARGETS
            one = with_target(one);
#endif
            three_passes(one, 0, 1, 0);
        }
    }
}
