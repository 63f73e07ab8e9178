/* SPDX-License-Identifier: MIT */
/*
 * A row's state and how work-items bring their parts of it together. A mapping defines,
 * before it includes a pass, the two functions of its set of work-items:
 *
 *     real set_max(real, __local real *)               everybody gets the maximum
 *     struct pair set_sum(struct pair, __local real *) everybody gets the sum
 */

/* A sum as two numbers: hi, and lo, which collects what rounding took from hi. It keeps
 * sums of any length within a few 2^-24, and a sum that is barely above 1 exact enough for
 * log1p. Source: Knuth, The Art of Computer Programming 2, 4.2.2 (TwoSum). */
struct pair {
    real hi, lo;
};

struct state {
    real max;
    struct pair sum; /* of exp(x - max) or whatever the operation adds */
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
    struct state s = {(real)(-INFINITY), {(real)0, (real)0}};
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

/* The same state seen from a maximum that is at least its own. */
static struct state state_raise(struct state s, real max)
{
    real scale = exp_nonpositive(below_max(s.max, max));
    s.max = max;
    s.sum.hi *= scale;
    s.sum.lo *= scale;
    return s;
}
