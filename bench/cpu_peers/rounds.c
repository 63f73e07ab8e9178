/* SPDX-License-Identifier: MIT */
/* Rounds of all candidates, by the host's clock. */
#include "rounds.h"

#include "measure.h"
#include "waiting.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double SLOW = 0.8;       /* of the copy's median speed */
static const double DISTURBED = 0.05; /* of a run, that threads had no processor */
static const double WAKING = 1e-4;    /* seconds that threads take to be woken */
static const double MOST_SECONDS = 6; /* of one case, once there are LEAST_ROUNDS */
enum { LEAST_ROUNDS = 3, MOST_TIMES = 4 /* as many as wanted */, NAPS = 500 };

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* OpenMP's threads spin on for milliseconds when they have nothing to do: wait until
 * this process uses no time. */
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
static bool time_one(struct candidate *c, unsigned turn, unsigned round)
{
    unsigned sets = c->stage->sets;
    come_to_rest();
    bool good = c->run(c, turn % sets);
    double waited = waiting_seconds(), start = seconds_of(CLOCK_MONOTONIC);
    good = good && c->run(c, (turn + 1) % sets);
    double seconds = seconds_of(CLOCK_MONOTONIC) - start;
    waited = waiting_seconds() - waited - WAKING;
    c->times[round] = (struct timing){seconds, waited > 0 ? waited / seconds : 0};
    if (c->peer && c->peer->rest)
        c->peer->rest();
    return good;
}

static int by_disturbance(const void *a, const void *b)
{
    double p = ((const struct timing *)a)->disturbed;
    double q = ((const struct timing *)b)->disturbed;
    return (p > q) - (p < q);
}

/* Of the calm timings, and of the calmest quarter at least; how many are not calm. */
static unsigned set_median(struct candidate *c, unsigned n)
{
    struct timing sorted[MOST_ROUNDS];
    double v[MOST_ROUNDS];
    unsigned least = n / 4 > LEAST_ROUNDS ? n / 4 : LEAST_ROUNDS, calm = 0, used = 0;
    memcpy(sorted, c->times, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_disturbance);
    for (; used < n && (sorted[used].disturbed <= DISTURBED || used < least); used++) {
        calm += sorted[used].disturbed <= DISTURBED;
        v[used] = sorted[used].seconds;
    }
    c->seconds = median(v, used);
    return n - calm;
}

static unsigned set_medians(struct candidates *all, unsigned n)
{
    unsigned disturbed = 0;
    for (unsigned i = 0; i < all->count; i++)
        disturbed += set_median(&all->of[i], n);
    return disturbed;
}

/* A round in which the best copy was slow is disturbed for all. */
static void mark_slow_rounds(struct candidates *all, unsigned n)
{
    const struct candidate *copy = fastest(all, ROLE_COPY);
    for (unsigned r = 0; copy && r < n; r++)
        if (copy->times[r].seconds * SLOW > copy->seconds)
            for (unsigned i = 0; i < all->count; i++)
                all->of[i].times[r].disturbed += 1;
}

/* Every candidate; `turn` counts the runs of all rounds. NULL, or who failed. */
static const char *one_round(struct candidates *all, unsigned round, unsigned *turn)
{
    for (unsigned i = 0; i < all->count; i++, *turn += 2)
        if (!time_one(&all->of[i], round + *turn, round))
            return all->of[i].name;
    return NULL;
}

/* Of the candidate that has the fewest. */
static unsigned least_calm(const struct candidates *all, unsigned n)
{
    unsigned least = n;
    for (unsigned i = 0; i < all->count; i++) {
        unsigned calm = 0;
        for (unsigned r = 0; r < n; r++)
            calm += all->of[i].times[r].disturbed <= DISTURBED;
        least = calm < least ? calm : least;
    }
    return least;
}

/* After n rounds and so many seconds: are there enough, or no more to be had? */
static bool is_enough(const struct candidates *all, unsigned n, unsigned wanted,
                      double spent)
{
    if (n == MOST_ROUNDS || (n >= LEAST_ROUNDS && spent > MOST_SECONDS))
        return true;
    return n >= wanted && (least_calm(all, n) > wanted / 2 || n >= MOST_TIMES * wanted);
}

struct rounds rounds_run(struct candidates *all, unsigned wanted)
{
    unsigned turn = 0, n = 0;
    struct rounds done = {0};
    done.failed = one_round(all, 0, &turn); /* to warm up: the next one overwrites it */
    double start = seconds_of(CLOCK_MONOTONIC), spent = 0;
    while (!done.failed && !is_enough(all, n, wanted, spent)) {
        done.failed = one_round(all, n++, &turn);
        spent = seconds_of(CLOCK_MONOTONIC) - start;
    }
    if (done.failed)
        return done;
    set_medians(all, n);
    mark_slow_rounds(all, n);
    done.timings = n * all->count;
    done.disturbed = set_medians(all, n);
    return done;
}
