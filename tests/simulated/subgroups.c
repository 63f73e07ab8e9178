/* SPDX-License-Identifier: MIT */
/* Subgroups of cl_khr_subgroups and cl_intel_subgroups, by the names that clang gives
 * their functions: lanes of machine.c, which all have to come to each exchange. */
#include "machine.h"

#include <math.h>
#include <string.h>

#define NAMED(name) __asm__(name)
float ptx_swap(float v, unsigned distance);
unsigned long get_local_id(unsigned dimension) NAMED("_Z12get_local_idj");
unsigned long get_local_size(unsigned dimension) NAMED("_Z14get_local_sizej");
unsigned get_sub_group_size(void) NAMED("_Z28simulated_get_sub_group_sizev");
unsigned get_sub_group_local_id(void) NAMED("_Z32simulated_get_sub_group_local_idv");
unsigned get_sub_group_id(void) NAMED("_Z26simulated_get_sub_group_idv");
unsigned get_num_sub_groups(void) NAMED("_Z28simulated_get_num_sub_groupsv");
void sub_group_barrier(unsigned flags) NAMED("_Z27simulated_sub_group_barrierj");
float sub_group_reduce_max_float(float v) NAMED("_Z30simulated_sub_group_reduce_maxf");
float sub_group_reduce_add_float(float v) NAMED("_Z30simulated_sub_group_reduce_addf");
unsigned sub_group_reduce_max_uint(unsigned v)
    NAMED("_Z30simulated_sub_group_reduce_maxj");
float shuffle_xor(float v, unsigned mask)
    NAMED("_Z37simulated_intel_sub_group_shuffle_xorfj");

unsigned get_sub_group_size(void)
{
    return LANES;
}

unsigned get_sub_group_local_id(void)
{
    return (unsigned)get_local_id(0) % LANES;
}

unsigned get_sub_group_id(void)
{
    return (unsigned)get_local_id(0) / LANES;
}

unsigned get_num_sub_groups(void)
{
    return (unsigned)get_local_size(0) / LANES;
}

void sub_group_barrier(unsigned flags)
{
    (void)flags;
    ptx_swap(0, 0);
}

float sub_group_reduce_max_float(float v)
{
    for (unsigned d = LANES / 2; d > 0; d /= 2)
        v = fmaxf(v, ptx_swap(v, d));
    return v;
}

/* In an order of its own: another one than the lanes' neighbours first. */
float sub_group_reduce_add_float(float v)
{
    for (unsigned d = 1; d < LANES; d *= 2)
        v += ptx_swap(v, d);
    return v;
}

unsigned sub_group_reduce_max_uint(unsigned v)
{
    for (unsigned d = LANES / 2; d > 0; d /= 2) {
        float other;
        unsigned bits;
        memcpy(&other, &v, sizeof other);
        other = ptx_swap(other, d);
        memcpy(&bits, &other, sizeof bits);
        v = bits > v ? bits : v;
    }
    return v;
}

float shuffle_xor(float v, unsigned mask)
{
    return ptx_swap(v, mask);
}
