/* SPDX-License-Identifier: MIT */
/*
 * A row of COLS elements in local memory between CLUSTER workers, in runs of RUN neighbours each,
 * which move up to 16 bytes at once: from words in registers and back.
 */
/* What a worker holds in runs of n; the longest runs with which nobody holds more, but one number
 * more is less than what half a word at a time takes. */
#define HELD_IN(n) ((COLS + (n)*CLUSTER - 1) / ((n)*CLUSTER) * (n))
#define MORE_IN(n) ((n) == 2 && sizeof(mem_x) == 2 ? 1 : 0)
#define RUNS_OF(n) (COLS % (n) == 0 && (n) <= PACK && HELD_IN(n) <= HELD_IN(1) + MORE_IN(n))
#define LOWEST_BIT(n) ((n) & -(n))
#define LEAST(a, b) ((a) < (b) ? (a) : (b))

enum {
    RUN = RUNS_OF(8) ? 8 : RUNS_OF(4) ? 4 : RUNS_OF(2) ? 2 : 1,
    HELD = HELD_IN(RUN),
    RUNS = HELD / RUN
};

/* A block of a tensor in local memory. */
struct staged {
    __local uint4 *at;
    uint phase;
    bool whole; /* do runs stand at multiples of their size, or of 16 bytes? */
};

static struct staged staged_at(__local uint4 *at, uint phase, uint unit)
{
    struct staged s = {at, phase, phase * unit % LEAST(16, RUN * unit) == 0};
    return s;
}

static __local uchar *staged_element(struct staged s, uint e, uint unit)
{
    return (__local uchar *)s.at + (s.phase + e) * unit;
}

/* A run as words, and back. */
INLINE void run_get(uint *w, const __local uchar *p, uint unit, bool whole)
{
    const uint bytes = RUN * unit;
    if (bytes == 2)
        w[0] = *(const __local ushort *)p;
    else if (unit == 2 && !whole)
        UNROLL for (uint i = 0; i < bytes / 4; i++)
            w[i] = ((const __local ushort *)p)[2 * i] |
                   (uint)((const __local ushort *)p)[2 * i + 1] << 16;
    else if (bytes == 8 && whole) {
        uint2 v = *(const __local uint2 *)p;
        w[0] = v.x, w[1] = v.y;
    } else if (bytes < 16 || !whole)
        UNROLL for (uint i = 0; i < bytes / 4; i++)
            w[i] = ((const __local uint *)p)[i];
    else
        UNROLL for (uint i = 0; i < bytes / 4; i += 4)
        {
            uint4 v = ((const __local uint4 *)p)[i / 4];
            w[i] = v.x, w[i + 1] = v.y, w[i + 2] = v.z, w[i + 3] = v.w;
        }
}

INLINE void run_put(const uint *w, __local uchar *p, uint unit, bool whole)
{
    const uint bytes = RUN * unit;
    if (bytes == 2)
        *(__local ushort *)p = (ushort)w[0];
    else if (unit == 2 && !whole)
        UNROLL for (uint i = 0; i < bytes / 2; i++)
            ((__local ushort *)p)[i] = (ushort)(w[i / 2] >> (16 * (i % 2)));
    else if (bytes == 8 && whole)
        *(__local uint2 *)p = (uint2)(w[0], w[1]);
    else if (bytes < 16 || !whole)
        UNROLL for (uint i = 0; i < bytes / 4; i++)
            ((__local uint *)p)[i] = w[i];
    else
        UNROLL for (uint i = 0; i < bytes / 4; i += 4)
            ((__local uint4 *)p)[i / 4] = (uint4)(w[i], w[i + 1], w[i + 2], w[i + 3]);
}

/* One element, as the first of these words, and back. */
INLINE void element_get(uint *w, const __local uchar *p, uint unit)
{
    if (unit == 2)
        w[0] = *(const __local ushort *)p;
    else
        UNROLL for (uint i = 0; i < unit / 4; i++)
            w[i] = ((const __local uint *)p)[i];
}

INLINE void element_put(const uint *w, __local uchar *p, uint unit)
{
    if (unit == 2)
        *(__local ushort *)p = (ushort)w[0];
    else
        UNROLL for (uint i = 0; i < unit / 4; i++)
            ((__local uint *)p)[i] = w[i];
}

/* The column of what worker `first` holds as i. */
static uint taken_column(uint first, uint i)
{
    return (i / RUN * CLUSTER + first) * RUN + i % RUN;
}

static bool run_is_there(uint first, uint j)
{
    return HELD * CLUSTER == COLS || taken_column(first, j * RUN) < COLS;
}

/* A worker's runs, n words of room each, of the row whose first element is number `at`:
 * all of them read before the first is waited for. They stand constants apart, which cost no
 * instruction where only the first one's place is computed. */
#define EACH_RUN(each, whole)                                                            \
    UNROLL for (uint j = 0; j < RUNS; j++)                                               \
    {                                                                                    \
        if (run_is_there(first, j))                                                      \
            each(w + j * n, p + (size_t)(j * CLUSTER * RUN * unit), unit, whole);        \
    }

INLINE void runs_get(uint *w, uint n, struct staged s, uint at, uint first, uint unit)
{
    __local uchar *p = staged_element(s, at + taken_column(first, 0), unit);
    if (s.whole) {
        EACH_RUN(run_get, true)
    } else {
        EACH_RUN(run_get, false)
    }
}

INLINE void runs_put(const uint *w, uint n, struct staged s, uint at, uint first,
                     uint unit)
{
    __local uchar *p = staged_element(s, at + taken_column(first, 0), unit);
    if (s.whole) {
        EACH_RUN(run_put, true)
    } else {
        EACH_RUN(run_put, false)
    }
}
