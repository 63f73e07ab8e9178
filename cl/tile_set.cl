/* SPDX-License-Identifier: MIT */
/*
 * A work-group as TILE sets of DEPTH workers: work-item i is worker i / TILE of set i % TILE, so
 * that the workers of one rank are neighbours and each set has a softmax of its own. A set's
 * values go through local memory in a tree, four to one; the last few everybody brings
 * together, in the same order. Plain OpenCL C 1.2.
 */
enum { DEPTH = WG / TILE };
#define SCRATCH_REALS (2 * WG)

/* How many values of a set are left once four have become one as often as that goes. */
#define TILE_FEW(n) ((n) > 4 ? (n) / 4 : (n))
enum { LAST_FEW = TILE_FEW(TILE_FEW(TILE_FEW(TILE_FEW(DEPTH)))) };

INLINE real set_max(real v, __local real *scratch)
{
    uint i = get_local_id(0), lane = i % TILE;
    scratch[i] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (uint n = WG / 4; n >= 2 * TILE; n /= 4) /* as DEPTH / 4 >= 2 */
    {
        if (i < n) {
            UNROLL for (uint k = 1; k < 4; k++)
                v = real_max(v, scratch[i + k * n]);
            scratch[i] = v;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    v = scratch[lane];
    UNROLL for (uint k = 1; k < LAST_FEW; k++)
        v = real_max(v, scratch[lane + k * TILE]);
    barrier(CLK_LOCAL_MEM_FENCE); /* everybody has read before scratch is used again */
    return v;
}

static struct pair pair_at(const __local real *scratch, uint i)
{
    struct pair s = {scratch[i], scratch[WG + i]};
    return s;
}

INLINE struct pair set_sum(struct pair s, __local real *scratch)
{
    uint i = get_local_id(0), lane = i % TILE;
    scratch[i] = s.hi;
    scratch[WG + i] = s.lo;
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (uint n = WG / 4; n >= 2 * TILE; n /= 4)
    {
        if (i < n) {
            UNROLL for (uint k = 1; k < 4; k++)
                s = pair_merge(s, pair_at(scratch, i + k * n));
            scratch[i] = s.hi;
            scratch[WG + i] = s.lo;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    s = pair_at(scratch, lane);
    UNROLL for (uint k = 1; k < LAST_FEW; k++)
        s = pair_merge(s, pair_at(scratch, lane + k * TILE));
    barrier(CLK_LOCAL_MEM_FENCE);
    return s;
}
