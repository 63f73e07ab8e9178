/* SPDX-License-Identifier: MIT */
/*
 * Reductions of as many vectors as there are lanes, each of another row, to one that has the
 * k-th one's result in lane k: two vectors are halved together by the instructions that halve
 * one. The same bits as those of lanes_max, lanes_add and lanes_sum. Of fewer rows, MOST_ROWS,
 * a vector without another is halved alone.
 */
/* Lanes of vector k, or of k + d where the lane's number has bit d; and what each meets, from d
 * lanes away. */
#define HAS_BIT(d) ((TO(int, LANE_IDS) & (d)) != 0)
#define OTHER(v, k, d) (v)[(k) + (d) < MOST_ROWS ? (k) + (d) : (k)]
#define STAYS(v, k, d) (HAS_BIT(d) ? OTHER(v, k, d) : (v)[k])
#define MEETS(v, k, d) SWAP_##d(HAS_BIT(d) ? (v)[k] : OTHER(v, k, d))
#define EACH_OF(n) UNROLL for (uint k = 0; k < (n) && k < MOST_ROWS; k++)

INLINE void rows_take(const real *from, real *v)
{
    EACH_OF(VEC)
        v[k] = from[k];
}

INLINE real rows_max(const real *from)
{
    real v[VEC];
    rows_take(from, v);
#define STEP(d)                                                                          \
    EACH_OF(d)                                                                           \
        v[k] = real_max(STAYS(v, k, d), MEETS(v, k, d));
    EACH_SWAP(STEP)
#undef STEP
    return v[0];
}

/* Of sums as pairs where the last digits count, else of their upper numbers alone. */
#if OP_NEEDS_REST
INLINE struct pair rows_sum(const real *from_hi, const real *from_lo)
{
    real hi[VEC], lo[VEC];
    rows_take(from_hi, hi);
    rows_take(from_lo, lo);
#define STEP(d)                                                                          \
    EACH_OF(d)                                                                           \
    {                                                                                    \
        struct pair s = {STAYS(hi, k, d), STAYS(lo, k, d)};                              \
        struct pair other = {MEETS(hi, k, d), MEETS(lo, k, d)};                          \
        s = lanes_sum_of(s, other);                                                      \
        hi[k] = s.hi;                                                                    \
        lo[k] = s.lo;                                                                    \
    }
    EACH_SWAP(STEP)
#undef STEP
    struct pair sum = {hi[0], lo[0]};
    return sum;
}
#else
INLINE struct pair rows_sum(const real *hi, const real *lo)
{
    real v[VEC];
    rows_take(hi, v);
#define STEP(d)                                                                          \
    EACH_OF(d)                                                                           \
        v[k] = STAYS(v, k, d) + MEETS(v, k, d);
    EACH_SWAP(STEP)
#undef STEP
    struct pair sum = {v[0], (real)0};
    return sum;
}
#endif

/* Lane i of an array of vectors, in all lanes of one. */
#define LANE_OF(v, i) ((real)(((const SCALAR *)(v))[i]))
