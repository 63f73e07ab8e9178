/* SPDX-License-Identifier: MIT */
/*
 * A row's packs from memory to where they are held: all loads are on their way before the first
 * is waited for. Then masks and bounds make -inf of what they leave out.
 */
#if HAS_PTX && OP_KEEPS
#define ASK() ptx_ask()
#else
#define ASK()
#endif

/* Is there anything of pack j to be read? Both are asked, so that there is one branch. */
INLINE bool pack_is_read(struct row row, struct cut cut, uint first, uint j)
{
    return pack_is_there(cut, first, j) & pack_is_seen(row, pack_column(cut, first, j));
}

/* Are all of `count` packs from number `base` on to be read? Without PTX a compiler may make a
 * branch of each load on a condition, and wait there for what it brings. */
INLINE bool packs_are_read(struct row row, struct cut cut, uint first, uint base, uint count,
                           uint end)
{
    bool all = !HAS_PTX & (base + count <= end);
    UNROLL for (uint j = 0; j < count && !HAS_PTX; j++)
        all = all & pack_is_read(row, cut, first, base + j);
    return all;
}

/* `count` packs of a tensor from pack `base` on, but none from `end` on, n words each. The
 * cases stand apart, so that no branch keeps one pack's loads from being on their way with the
 * others'. */
#define HOLD_PACKS_OF(name, room)                                                        \
    INLINE void hold_##name(uint (*w)[room], uint n, const __global mem_##name *start,   \
                            size_t step, bool fits, struct row row, struct cut cut,      \
                            uint first, uint base, uint count, uint end)                 \
    {                                                                                    \
        const uint next = SIDE * PACK;                                                   \
        if (fits && packs_are_read(row, cut, first, base, count, end)) {                 \
            UNROLL for (uint j = 0; j < count; j++)                                      \
                words_load(w[j], n, start + (size_t)((base + j) * next));                \
            return;                                                                      \
        }                                                                                \
        if (fits) {                                                                      \
            UNROLL for (uint j = 0; j < count; j++)                                      \
                if (base + j < end && pack_is_read(row, cut, first, base + j))           \
                    words_load(w[j], n, start + (size_t)((base + j) * next));            \
            return;                                                                      \
        }                                                                                \
        UNROLL for (uint j = 0; j < count; j++)                                          \
            if (base + j < end && pack_is_read(row, cut, first, base + j))               \
                words_gather(w[j], sizeof(mem_##name),                                   \
                             start + (base + j) * next * step,                           \
                             step * sizeof(mem_##name));                                 \
    }
HOLD_PACKS_OF(x, X_WORDS)
#if HAS_DY
HOLD_PACKS_OF(dy, DY_WORDS)
#endif
#if HAS_MASK
HOLD_PACKS_OF(mask, MASK_WORDS + 1)
#endif

#include "copies.cl"
#include "stock.cl"
#include "planes.cl"

/* The columns of a pack that do not take part, as FILL. */
INLINE void forget_columns(uint *w, const bool *stays)
{
    UNROLL for (uint i = 0; i < X_WORDS; i++)
    {
        uint low = i * PACK / X_WORDS, high = (i * PACK + PACK - 1) / X_WORDS;
        uint a = stays[low] ? w[i] : FILL_WORD(i);
        uint b = stays[high] ? w[i] : FILL_WORD(i);
        w[i] = low == high ? a : (a & 0xffffu) | (b & 0xffff0000u);
    }
}

/* Does the row begin or end inside the pack from column c on? */
INLINE bool pack_is_cut(struct row row, uint c)
{
    bool begins = WINDOW & (c < row.begin) & (c + PACK > row.begin);
    return BOUNDED & (begins | ((c < row.end) & (c + PACK > row.end)));
}

INLINE void forget_unseen(uint *w, struct row row, uint c)
{
    bool stays[PACK];
    UNROLL for (uint k = 0; k < PACK; k++)
        stays[k] = is_seen(row, c + k);
    forget_columns(w, stays);
}

#if HAS_MASK
/* The columns of a pack that a mask of booleans leaves out, as FILL. */
INLINE void forget_masked(uint *w, const uint *mask)
{
#if HAS_PTX && MASK_IS_BOOL && WORD_MAX
    UNROLL for (uint i = 0; i < X_WORDS; i++)
    {
        uint m = mask[i / 2], not_zero = ((m & 0x7f7f7f7fu) + 0x7f7f7f7fu) | m;
        uint stays = i % 2 ? ptx_signs(not_zero, 0xbbaa) : ptx_signs(not_zero, 0x9988);
        w[i] = (w[i] & stays) | (FILL_WORD(i) & ~stays);
    }
#else
    bool stays[PACK];
    UNROLL for (uint k = 0; k < PACK; k++)
        stays[k] = CAT(word_, MASK)(mask, k) != 0;
    forget_columns(w, stays);
#endif
}
#endif

/* Is anything made of all packs, or of some? */
#if HAS_MASK || LOGITS_READY
#define REMAKES_ALL 1
#else
#define REMAKES_ALL 0
#endif
#define REMAKES (REMAKES_ALL || BOUNDED)

/* Element k of a pack's masks. */
#if MASKS_STAY
#define MASK_OF(mask, k) as_float((mask)[k])
#elif HAS_MASK
#define MASK_OF(mask, k) CAT(word_, MASK)(mask, k)
#else
#define MASK_OF(mask, k) (real)0
#endif

/* Is a logit of FILL -inf as well? */
#if SETTLED && OP_NEEDS_MAX && !(LIMIT || HAS_SCALE || HAS_TEMPERATURE || HAS_SOFTCAP || HAS_SLOPES)
#define FILL_STAYS 1
#else
#define FILL_STAYS 0
#endif

/* What the mask, the bounds and the rest make of the words that were read of a pack. */
INLINE void make_logits(struct pack *pack, struct row row, struct cut cut, uint first, uint j,
                        const uint *mask)
{
    uint c = pack_column(cut, first, j);
#if LOGITS_READY
    bool there = FILL_STAYS || pack_is_there(cut, first, j);
    real logit[PACK];
    UNROLL for (uint k = 0; k < PACK; k++)
    {
        logit[k] = FILL;
        if (there && is_seen(row, c + k))
            logit[k] = masked_logit(row, c + k, CAT(word_, X)(pack->x, k), MASK_OF(mask, k));
    }
    pack_set(pack, logit);
#else
#if HAS_MASK
    forget_masked(pack->x, mask);
#endif
    if (pack_is_cut(row, c))
        forget_unseen(pack->x, row, c);
#endif
}

/* The masks of GROUP packs from pack `base` on, but none from `end` on. */
INLINE void hold_masks(const struct held *h, uint mask[GROUP][MASK_WORDS + 1],
                       struct row row, struct cut cut, uint first, uint base, uint end)
{
#if MASKS_AHEAD
    UNROLL for (uint j = 0; j < GROUP; j++)
        UNROLL for (uint i = 0; i < MASK_WORDS && base + j < end; i++)
            mask[j][i] = *mask_place(h, base + j, i);
#elif MASKS_STAY
    UNROLL for (uint j = 0; j < GROUP && base + j < end; j++)
        settled_mask(h, cut, base + j, mask[j]);
#elif HAS_MASK
    UNROLL for (uint j = 0; j < GROUP; j++)
        UNROLL for (uint i = 0; i < MASK_WORDS; i++)
            mask[j][i] = 0;
    hold_mask(mask, MASK_WORDS, row.mask + pack_column(cut, first, 0) * row.mask_col,
              row.mask_col, cut.mask_fits, row, cut, first, base, GROUP, end);
#endif
}

INLINE void hold_logits(struct held *h, uint kept, struct row row, struct cut cut,
                        uint first)
{
    uint mask[GROUP][MASK_WORDS + 1];
    UNROLL for (uint base = 0; base < kept; base += GROUP)
    {
        hold_masks(h, mask, row, cut, first, base, kept);
        UNROLL for (uint j = 0; j < GROUP; j++)
        {
            if (base + j >= kept)
                continue;
            struct pack pack = get_kept(h, base + j);
            make_logits(&pack, row, cut, first, base + j, mask[j]);
            set_kept(h, base + j, &pack);
        }
    }
    if (kept < PACKS)
        stock_wait();
    STOCK_LOOP for (uint base = kept; base < PACKS && REMAKES; base += GROUP)
    {
        hold_masks(h, mask, row, cut, first, base, PACKS);
        UNROLL for (uint j = 0; j < GROUP; j++)
        {
            uint at = base + j;
            if (at >= PACKS || !(REMAKES_ALL || pack_is_cut(row, pack_column(cut, first, at))))
                continue;
            struct pack pack = get_stocked(h, at, 0);
            make_logits(&pack, row, cut, first, at, mask[j]);
            set_stocked(h, at, &pack);
        }
    }
}

INLINE void hold_edges(struct held *h, struct row row, struct cut cut, uint first)
{
    if (!cut.ragged)
        return;
    UNROLL for (uint i = 0; i < EDGES; i++)
    {
        uint c = edge_column(row, cut, first, i);
        h->edge_x[i] = FILL;
        h->edge_dy[i] = 0;
        if (c != NO_COLUMN && is_seen(row, c)) {
            h->edge_x[i] = row_logit(row, c);
#if HAS_DY
            h->edge_dy[i] = CAT(get_, DY)(row.dy + c);
#endif
        }
    }
}

INLINE void clear_words(struct held *h)
{
    UNROLL for (uint j = 0; j < KEPT; j++)
    {
        UNROLL for (uint i = 0; i < X_WORDS; i++)
            h->x[j][i] = FILL_WORD(i);
#if HAS_DY
        UNROLL for (uint i = 0; i < DY_WORDS; i++)
            h->dy[j][i] = 0;
#endif
    }
}

/* Sends for all of a row. */
INLINE void hold_packs(struct held *h, struct row row, struct cut cut, uint first)
{
    uint c = pack_column(cut, first, 0);
    clear_words(h);
    hold_x(h->x, X_WORDS, row.x + c, 1, X_FITS(cut), row, cut, first, 0, KEPT, KEPT);
#if HAS_DY
    hold_dy(h->dy, DY_WORDS, row.dy + c, 1, cut.dy_fits, row, cut, first, 0, KEPT, KEPT);
#endif
    stock_packs(h, row, cut, first);
    hold_edges(h, row, cut, first);
}

INLINE void hold_row(struct held *h, struct row row, struct cut cut, uint first)
{
    hold_packs(h, row, cut, first);
    hold_logits(h, KEPT, row, cut, first);
}

/* Is a target asked for before x, and waited for with it? Where there is no barrier, NVIDIA's
 * compiler puts its load off until it is used, by which time all of x has come. */
#if HAS_TARGETS && HAS_PTX && defined CLUSTER
#define TARGET_FIRST 1
#else
#define TARGET_FIRST 0
#endif

/* With what the operation reads of a row first, such as a target and then the logit there: before
 * anything is waited for, and but for a target after all else was asked for. */
INLINE void hold_started(struct held *h, struct row row, struct cut cut, uint first,
                         struct keep *keep)
{
#if TARGET_FIRST
    TARGET label = *row.target;
    hold_packs(h, row, cut, first);
    ASK();
    h->x[0][0] |= (uint)label & row.zero;
    keep_target(keep, row, label, target_x(row, label));
#else
    hold_packs(h, row, cut, first);
    ASK();
    keep_start(keep, row);
#endif
    ASK();
    hold_logits(h, KEPT, row, cut, first);
}

#if AHEAD
/* What was made of packs in local memory, to registers. */
INLINE void hold_stocked(struct held *h, const struct held *from)
{
    UNROLL for (uint j = 0; j < PACKS; j++)
    {
        struct pack pack = get_stocked(from, j, 0);
        set_kept(h, j, &pack);
    }
    UNROLL for (uint i = 0; i < EDGES; i++)
        h->edge_x[i] = from->edge_x[i], h->edge_dy[i] = from->edge_dy[i];
#if ONE_PASS
    UNROLL for (uint b = 0; b < BUNCHES; b++)
        h->bunch_max[b] = from->bunch_max[b];
#endif
}
#endif
