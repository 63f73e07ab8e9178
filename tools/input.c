/* SPDX-License-Identifier: MIT */
/* Random numbers and the kinds of rows made of them. */
#include "input.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

const char *input_kind_name(enum input_kind kind)
{
    static const char *const names[] = {
#define NAME(name, text) text,
        INPUT_KINDS(NAME)
#undef NAME
    };
    return names[kind];
}

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* In (0, 1]. */
static double random_unit(uint64_t *state)
{
    return ((double)(random_next(state) >> 11) + 1) * 0x1p-53;
}

double random_normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(random_unit(state)));
    return radius * cos(2 * PI * random_unit(state));
}

/* What of a row is drawn once. */
struct draw {
    size_t place;   /* of the special element */
    size_t special; /* how many there are */
    double level;
};

static double denormal(clsm_type type, double unit)
{
    double smallest_normal = type == CLSM_F64   ? DBL_MIN
                             : type == CLSM_F16 ? 0x1p-14
                                                : FLT_MIN;
    return (unit - 0.5) * smallest_normal;
}

/* Of two numbers `distance` apart, a power of 2, and 15/16 of half a unit in the last
 * place more, the larger. */
static double rounded_away(clsm_type type, double distance)
{
    return 0.25 + 15 * distance * (type == CLSM_F64 ? 0x1p-57 : 0x1p-28);
}

/* So far below a maximum that `others` terms of them add up to a normal number. */
static double tiny_level(clsm_type type, size_t others)
{
    double smallest_normal = type == CLSM_F64 ? DBL_MIN : FLT_MIN;
    return log(smallest_normal) - 0.1 - 0.7 * log((double)others);
}

/* Of all bits, as memory may hold it that was filled with ones. */
static double full_nan(void)
{
    const uint64_t ones = UINT64_MAX;
    double nan;
    memcpy(&nan, &ones, sizeof nan);
    return nan;
}

static double element(enum input_kind kind, const struct draw *d, size_t c, size_t cols,
                      clsm_type type, uint64_t *state)
{
    double v = random_normal(state), distance;
    switch (kind) {
    case INPUT_WIDE_RANGE:
        return 30 * v;
    case INPUT_ONE_HUGE:
        return c == d->place ? 60 + v : v;
    case INPUT_DOMINANT:
        return c == d->place ? 0 : -12 - fabs(d->level);
    case INPUT_DISTANT:
        distance = cols < 1 << 16 ? 8 : 16; /* where the others' sum is still small */
        return c == d->place ? rounded_away(type, distance) : 0.25 - distance;
    case INPUT_TINY_TERMS:
        return c == d->place ? 0 : tiny_level(type, cols - 1);
    case INPUT_EQUAL:
        return d->level;
    case INPUT_MASKED:
        return type == CLSM_F16 ? -6e4 : -1e30;
    case INPUT_TIES:
        return c % 3 == 0 ? 4.0 : fmin(v, 4.0);
    case INPUT_RISING:
        return -10 + 20 * (double)c / (double)cols;
    case INPUT_STEPS:
        return (double)(c * 3 / cols) * (d->special == 1 ? 42 : 50) + v / 8;
    case INPUT_BANDS:
        return (double)(c / 4 % 256) / 4;
    case INPUT_CROWDED:
        return c % 256 == d->place % 256 ? 40 + v : v;
    case INPUT_ZEROS:
        return d->special % 2 == c % 2 ? -fabs(v) : v < 0 ? -0.0 : 0.0;
    case INPUT_DENORMAL:
        return denormal(type, random_unit(state));
    case INPUT_MINUS_INF:
        return c != d->place && random_next(state) % 5 ? -INFINITY : v;
    case INPUT_PLUS_INF:
        return (c + cols - d->place) % cols < d->special ? INFINITY : v;
    case INPUT_SOME_NAN:
        return c != d->place ? v : d->special == 1 ? full_nan() : NAN;
    case INPUT_ALL_MINUS_INF:
        return -INFINITY;
    default:
        return v;
    }
}

void input_fill(enum input_kind kind, uint64_t seed, clsm_type type, void *x, size_t at,
                size_t stride, size_t cols)
{
    uint64_t state = seed * 2 + 1;
    if (!cols)
        return;
    struct draw d = {.place = (size_t)(random_next(&state) % cols),
                     .special = 1 + (size_t)(random_next(&state) % 3),
                     .level = 10 * random_normal(&state)};
    for (size_t c = 0; c < cols; c++) {
        double v = element(kind, &d, c, cols, type, &state);
        char *place = (char *)x + (at + c * stride) * clsm_type_bytes(type);
        clsm_convert(CLSM_F64, &v, type, place, 1);
    }
}

void input_put(clsm_type type, void *data, size_t at, double v)
{
    clsm_convert(CLSM_F64, &v, type, (char *)data + at * clsm_type_bytes(type), 1);
}
