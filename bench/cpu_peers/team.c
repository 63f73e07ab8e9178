/* SPDX-License-Identifier: MIT */
/* Workers sleep between jobs, so that they take nothing from the next candidate; the
 * caller does a part of its own and then spins, as what is left takes no longer. */
#include "team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static struct {
    pthread_t threads[MOST_THREADS];
    unsigned ranks[MOST_THREADS];
    unsigned size; /* the caller included */
    pthread_mutex_t lock;
    pthread_cond_t new_turn;
    unsigned long turn; /* jobs so far */
    bool over;
    void (*part)(void *context, unsigned i, unsigned of);
    void *context;
    atomic_uint done;
} team = {.lock = PTHREAD_MUTEX_INITIALIZER, .new_turn = PTHREAD_COND_INITIALIZER};

static bool wait_for_turn(unsigned long *seen)
{
    pthread_mutex_lock(&team.lock);
    while (team.turn == *seen && !team.over)
        pthread_cond_wait(&team.new_turn, &team.lock);
    *seen = team.turn;
    bool go_on = !team.over;
    pthread_mutex_unlock(&team.lock);
    return go_on;
}

static void *work(void *rank)
{
    unsigned i = *(unsigned *)rank;
    for (unsigned long seen = 0; wait_for_turn(&seen);) {
        team.part(team.context, i, team.size);
        atomic_fetch_add(&team.done, 1);
    }
    return NULL;
}

static void wake(void)
{
    pthread_mutex_lock(&team.lock);
    team.turn++;
    pthread_cond_broadcast(&team.new_turn);
    pthread_mutex_unlock(&team.lock);
}

bool team_open(unsigned threads)
{
    team.over = false;
    team.turn = 0;
    for (team.size = 1; team.size < threads; team.size++) {
        unsigned *rank = &team.ranks[team.size];
        *rank = team.size;
        if (pthread_create(&team.threads[*rank], NULL, work, rank) != 0)
            return false;
    }
    return true;
}

void team_close(void)
{
    team.over = true;
    wake();
    for (; team.size > 1; team.size--)
        pthread_join(team.threads[team.size - 1], NULL);
}

void team_run(void (*part)(void *context, unsigned i, unsigned of), void *context)
{
    team.part = part;
    team.context = context;
    atomic_store(&team.done, 0);
    wake();
    part(context, 0, team.size);
    while (atomic_load(&team.done) + 1 < team.size)
        sched_yield();
}
