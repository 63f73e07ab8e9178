/* SPDX-License-Identifier: MIT */
/*
 * Results of rows without gaps between them leave in whole lines, whatever a row's length and
 * address: they wait in local memory, which is congruent to where they go.
 */
#include "stream.cl"

/* Results that wait for their line to be full: from element `before` of that line on, up to
 * but not including element `count`. */
struct lines {
    __local word_y *waiting; /* at a line's start */
    __global word_y *to;
    uint before, count;
};

/* Those that are no whole line. */
INLINE void lines_edge(struct lines *l, uint end)
{
    for (uint k = l->before; k < end; k++)
        l->to[k] = l->waiting[k];
    l->before = 0;
}

/* Whole lines leave, the rest moves to the front. */
INLINE void lines_flush(struct lines *l, bool past)
{
    uint at = 0;
    if (l->before && l->count >= Y_LINE) {
        lines_edge(l, Y_LINE);
        at = Y_LINE;
    }
    uint whole = l->count / Y_LINE * Y_LINE;
    if (at < whole)
        lines_move((const __local uint16 *)(l->waiting + at),
                   (__global uint16 *)(l->to + at), (whole - at) / Y_LINE, past);
    at = max(at, whole);
    l->to += at;
    l->count -= at;
    __local uint16 *front = (__local uint16 *)l->waiting;
    front[0] = front[at / Y_LINE];
}

/* None yet, of rows that start at `to`. */
INLINE struct lines lines_start(__local word_y *waiting, __global word_y *to)
{
    uint before = (uint)((size_t)to % LINE_BYTES / sizeof(mem_y));
    struct lines lines = {waiting, to - before, before, before};
    return lines;
}
