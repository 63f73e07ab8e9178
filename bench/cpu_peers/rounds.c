/* SPDX-License-Identifier: MIT */
/* Rounds of all candidates, by the host's clock. */
#include "rounds.h"

#include "measure.h"

#include <string.h>
#include <time.h>

static const double CALM = 0.8;       /* of the copy's median speed: undisturbed */
static const double MOST_SECONDS = 8; /* of one case, once there are LEAST_ROUNDS */
enum { LEAST_ROUNDS = 3, NAPS = 100 };

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* OpenMP's and XNNPACK's threads spin on for milliseconds when they have nothing to do:
 * wait until this process uses no time. */
static void come_to_rest(void)
{
    const struct timespec nap = {.tv_nsec = 300000};
    for (int i = 0; i < NAPS; i++) {
        double before = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        nanosleep(&nap, NULL);
        if (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - before < 1e-4)
            return;
    }
}

/* The second of two runs on different sets: the first one wakes the candidate's
 * threads, which can take as long as the work itself. */
static bool time_one(struct candidate *c, unsigned turn, double *seconds)
{
    unsigned sets = c->stage->sets;
    come_to_rest();
    bool good = c->run(c, turn % sets);
    double start = seconds_of(CLOCK_MONOTONIC);
    good = good && c->run(c, (turn + 1) % sets);
    *seconds = seconds_of(CLOCK_MONOTONIC) - start;
    return good;
}

static double median_of(const double *times, unsigned n)
{
    double v[MOST_ROUNDS];
    memcpy(v, times, n * sizeof *v);
    return median(v, n);
}

static void set_medians(struct candidates *all, unsigned n)
{
    for (unsigned i = 0; i < all->count; i++)
        all->of[i].seconds = median_of(all->of[i].times, n);
}

/* Move the rounds that count to the front; how many they are. */
static unsigned keep_calm_rounds(struct candidates *all, unsigned n)
{
    const struct candidate *copy = fastest(all, ROLE_COPY);
    unsigned calm[MOST_ROUNDS], kept = 0;
    for (unsigned r = 0; copy && r < n; r++)
        if (copy->times[r] * CALM <= copy->seconds)
            calm[kept++] = r;
    if (kept < (n + 1) / 2)
        return n;
    for (unsigned i = 0; i < all->count; i++)
        for (unsigned k = 0; k < kept; k++)
            all->of[i].times[k] = all->of[i].times[calm[k]];
    return kept;
}

/* Every candidate once; `turn` counts the runs of all rounds. */
static bool one_round(struct candidates *all, unsigned round, unsigned *turn,
                      const char **failed)
{
    for (unsigned i = 0; i < all->count; i++, *turn += 2) {
        struct candidate *c = &all->of[i];
        if (!time_one(c, round + *turn, &c->times[round])) {
            *failed = c->name;
            return false;
        }
    }
    return true;
}

bool rounds_run(struct candidates *all, unsigned rounds, unsigned *dropped,
                const char **failed)
{
    unsigned turn = 0, n = 0;
    if (!one_round(all, 0, &turn, failed)) /* to warm up: the next one overwrites it */
        return false;
    double start = seconds_of(CLOCK_MONOTONIC), spent = 0;
    for (; n < rounds && n < MOST_ROUNDS && (n < LEAST_ROUNDS || spent < MOST_SECONDS);
         n++, spent = seconds_of(CLOCK_MONOTONIC) - start)
        if (!one_round(all, n, &turn, failed))
            return false;
    set_medians(all, n);
    unsigned kept = keep_calm_rounds(all, n);
    set_medians(all, kept);
    *dropped = n - kept;
    return true;
}
