/* SPDX-License-Identifier: MIT */
/* Linux's schedstat of each thread: nanoseconds run, nanoseconds waited, turns. */
#include "waiting.h"

#include <dirent.h>
#include <stdio.h>

static double waited_by(const char *thread)
{
    char path[300];
    unsigned long long ran, waited = 0;
    snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", thread);
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    int n = fscanf(f, "%llu %llu", &ran, &waited);
    fclose(f);
    return n == 2 ? (double)waited * 1e-9 : 0;
}

double waiting_seconds(void)
{
    double sum = 0;
    DIR *threads = opendir("/proc/self/task");
    if (!threads)
        return 0;
    for (const struct dirent *one; (one = readdir(threads));)
        sum += one->d_name[0] != '.' ? waited_by(one->d_name) : 0;
    closedir(threads);
    return sum;
}
