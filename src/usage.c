/* SPDX-License-Identifier: MIT */
/*
 * A log has a block for each function:
 *
 *     ptxas info    : Compiling entry function 'clsm_row' for 'sm_90'
 *     ptxas info    : Function properties for clsm_row
 *         16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
 *     ptxas info    : Used 40 registers, used 1 barriers, 536 bytes cmem[0]
 *
 * A stack frame holds spilled registers or arrays that are indexed: both are memory
 * where a register was meant, so it is counted with the stores and loads.
 */
#include "usage.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The number that stands before `words`, with one space between; 0 without one. */
static uint64_t number_before(const char *start, const char *words)
{
    const char *at = words;
    while (at > start && isdigit((unsigned char)at[-1]))
        at--;
    return at < words ? strtoull(at, NULL, 10) : 0;
}

/* All that is said of `words`, a phrase that begins with a space, summed or the most.
 */
static uint64_t told(const char *log, const char *words, int most)
{
    uint64_t all = 0;
    for (const char *at = strstr(log, words); at; at = strstr(at + 1, words)) {
        uint64_t n = number_before(log, at);
        all = most ? (n > all ? n : all) : all + n;
    }
    return all;
}

struct usage clsm_usage_of(const char *log)
{
    static const char *const memory[] = {" bytes stack frame", " bytes spill stores",
                                         " bytes spill loads"};
    struct usage usage = {0};
    if (!log || !strstr(log, "Used "))
        return usage;
    usage.registers = (unsigned)told(log, " registers", 1);
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        usage.spill_bytes += told(log, memory[i], 0);
    return usage;
}
