/* SPDX-License-Identifier: MIT */
/* Random test input, with the outliers that weak tests leave out. */
#ifndef INPUT_H
#define INPUT_H

#include "clsoftmax.h"

/* Kinds of rows: name, what stands in them. */
#define INPUT_KINDS(X)                                                                 \
    X(NORMAL, "normal")         /* N(0, 1) */                                          \
    X(WIDE_RANGE, "wide-range") /* N(0, 30) */                                         \
    X(ONE_HUGE, "one-huge")     /* N(0, 1), one element far above, place at random */  \
    X(DOMINANT, "dominant")     /* 0, and all others one value far below */            \
    X(DISTANT, "distant")       /* the same, but their difference is rounded badly */  \
    X(TINY_TERMS, "tiny-terms") /* so far that only the sum of terms is normal */      \
    X(EQUAL, "equal")           /* one value */                                        \
    X(MASKED, "masked")         /* one value so far below as masks leave it */         \
    X(TIES, "ties-at-max")      /* N(0, 1), every third element the maximum */         \
    X(RISING, "rising")         /* each element above the last: the maximum moves */   \
    X(STEPS, "steps")           /* thirds, each far above the last */                  \
    X(BANDS, "bands")           /* 0 to 63.75, four of each: rising with the worker */ \
    X(CROWDED, "crowded")       /* N(0, 1), every 256th far above: one worker's */     \
    X(ZEROS, "zeros")           /* 0 and -0, others of N(0, 1) below */                \
    X(DENORMAL, "denormal")     /* subnormal numbers of the type */                    \
    X(MINUS_INF, "minus-inf")   /* N(0, 1), four fifths -inf */                        \
    X(PLUS_INF, "plus-inf")     /* N(0, 1), one to three elements +inf */              \
    X(SOME_NAN, "nan")          /* N(0, 1), one NaN */                                 \
    X(ALL_MINUS_INF, "all-minus-inf")

enum input_kind {
#define INPUT_ENUM(name, text) INPUT_##name,
    INPUT_KINDS(INPUT_ENUM)
#undef INPUT_ENUM
        INPUT_KIND_COUNT
};

const char *input_kind_name(enum input_kind kind);

/* Fill one softmax's cols elements, `stride` apart from x[at] on; the seed says it all.
 */
void input_fill(enum input_kind kind, uint64_t seed, clsm_type type, void *x, size_t at,
                size_t stride, size_t cols);

/* An element, rounded to its type. */
void input_put(clsm_type type, void *data, size_t at, double v);

/* The next of a stream of random numbers; any seed but 0. Source: Steele, Lea, Flood,
 * Fast splittable pseudorandom number generators, OOPSLA 2014 (SplitMix64). */
uint64_t random_next(uint64_t *state);

/* From the normal distribution N(0, 1). */
double random_normal(uint64_t *state);

#endif
