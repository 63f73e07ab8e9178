/* SPDX-License-Identifier: MIT */
/*
 * A row's state, and how its parts are brought together.
 */

/* A sum as two numbers: hi, and lo, which collects what rounding took from hi. Source:
 * Knuth, The Art of Computer Programming 2, 4.2.2 (TwoSum). */
struct pair {
    real hi, lo;
};

/* lo is a plain sum, so it must not get too many terms: where one element dominates, all
 * others go there, and log-softmax needs their sum to the last digits. So the latest SPAN
 * elements have a pair of their own, and lo itself has its losses collected. That keeps
 * sums of 2^24 elements as exact as short ones, and one barely above 1 fit for log1p. */
#define SPAN 32

struct state {
    real max;
    struct pair part; /* the sum of the latest elements, at most SPAN */
    struct pair sum;  /* the sum of those before */
    real lost;        /* what rounding took from sum.lo */
    real log_sum;     /* LOG_KNOWN: the logarithm of the sum */
};

static struct pair pair_add(struct pair s, real v)
{
    real hi = s.hi + v;
    real z = hi - s.hi;
    s.lo += (s.hi - (hi - z)) + (v - z);
    s.hi = hi;
    return s;
}

static struct pair pair_merge(struct pair a, struct pair b)
{
    a = pair_add(a, b.hi);
    a.lo += b.lo;
    return a;
}

static struct state state_empty(void)
{
    struct state s = {(real)(-INFINITY), {(real)0, (real)0}, {(real)0, (real)0}, (real)0};
    return s;
}

INLINE struct state state_of(real max, real hi, real lo)
{
    struct state s = state_empty();
    s.max = max;
    s.sum.hi = hi;
    s.sum.lo = lo;
    return s;
}

/* Move the latest elements' sum to the others'. */
static struct state state_settle(struct state s)
{
    struct pair rounded = {s.sum.hi, (real)0};
    rounded = pair_add(rounded, s.part.hi);
    struct pair low = {s.sum.lo, s.lost};
    low = pair_add(low, rounded.lo + s.part.lo);
    s.sum.hi = rounded.hi;
    s.sum.lo = low.hi + low.lo; /* takes back what has become large enough for it */
    s.lost = low.lo - (s.sum.lo - low.hi);
    s.part.hi = s.part.lo = (real)0;
    return s;
}

/* All elements are in: everything into s.sum. */
static struct state state_close(struct state s)
{
    s = state_settle(s);
    s.sum.lo += s.lost;
    s.lost = (real)0;
    return s;
}

/* x - max, with the two cases in which that would be inf - inf: nothing but -inf so far
 * (x - 0 is right: exp gives 0), and, by the limit policy, x and max both +inf (0). */
static real below_max(real x, real max)
{
    real m = max == (real)(-INFINITY) ? (real)0 : max;
#if LIMIT
    return x == m ? (real)0 : x - m;
#else
    return x - m;
#endif
}

/* e = exp(d) with d = a - b as if d were not rounded. Source: Knuth (TwoSum). */
static real sharpened(real e, real d, real a, real b)
{
    real z = d - a;
    real lost = (a - (d - z)) - (b + z);
    return FMA(e, lost == lost ? lost : (real)0, e); /* infinities lose nothing */
}

/* The same state seen from a maximum that is at least its own. All of its terms share what the
 * difference loses, so that is put back. */
static struct state state_raise(struct state s, real max)
{
    real d = below_max(s.max, max);
    struct factors scale = exp_factors(d);
    scale.first = sharpened(scale.first, d, s.max, max);
    s.max = max;
    s.part.hi = s.part.hi * scale.first * scale.second;
    s.part.lo = s.part.lo * scale.first * scale.second;
    s.sum.hi = s.sum.hi * scale.first * scale.second;
    s.sum.lo = s.sum.lo * scale.first * scale.second;
    s.lost = s.lost * scale.first * scale.second;
    return s;
}

/* A complete state's sum. Only both numbers together tell it: a NaN may stand in either. */
static real state_sum(struct state s)
{
    return s.sum.hi + s.sum.lo;
}

/* log(sum(exp)) of a complete state. The maximum itself adds exactly 1 to the sum, so log1p
 * of the rest keeps its digits where one element dominates. */
static real state_log_sum(struct state s)
{
    real rest = (s.sum.hi - (real)1) + s.sum.lo;
#ifdef HAS_LOG1P_SHORT
    return log1p_short(rest);
#elif LIFT /* a driver's own may halve what has no half in the normal range */
    return rest * rest < (real)0x1p-50f ? rest : log1p(rest);
#else
    return log1p(rest);
#endif
}
