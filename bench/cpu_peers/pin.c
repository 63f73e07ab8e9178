/* SPDX-License-Identifier: MIT */
/* Linux: threads are found in /proc/self/task, whosoever started them. */
#define _GNU_SOURCE /* sched_setaffinity */
#include "pin.h"

#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/types.h>

enum { MOST = 4096 };

static cpu_set_t allowed; /* as it was when the process began */
static pid_t known[MOST];
static unsigned known_count;

unsigned pin_processors(void)
{
    if (CPU_COUNT(&allowed) == 0)
        sched_getaffinity(0, sizeof allowed, &allowed);
    return CPU_COUNT(&allowed) > 0 ? (unsigned)CPU_COUNT(&allowed) : 1;
}

/* Keep a thread, 0 being the caller, on the n-th processor that is allowed. */
static void pin(pid_t thread, unsigned n)
{
    cpu_set_t one;
    n %= pin_processors();
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && n-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(thread, sizeof one, &one);
            return;
        }
}

static bool is_known(pid_t thread)
{
    for (unsigned i = 0; i < known_count; i++)
        if (known[i] == thread)
            return true;
    return false;
}

void pin_new_threads(unsigned first)
{
    bool begin = known_count == 0;
    DIR *threads = opendir("/proc/self/task");
    if (!threads)
        return;
    for (const struct dirent *one; (one = readdir(threads));) {
        pid_t thread = (pid_t)atoi(one->d_name);
        if (thread <= 0 || is_known(thread) || known_count == MOST)
            continue;
        known[known_count++] = thread;
        if (!begin)
            pin(thread, first++);
    }
    closedir(threads);
}

void pin_self(void)
{
    pin(0, 0);
}

void pin_release(void)
{
    pin_processors();
    sched_setaffinity(0, sizeof allowed, &allowed);
}
