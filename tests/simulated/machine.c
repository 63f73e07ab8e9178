/* SPDX-License-Identifier: MIT */
/* Work-items are coroutines: each runs until it waits for others. */
#include "machine.h"

#include "input.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { STACK_BYTES = 128 << 10, MOST_TURNS = 1 << 20 };

struct item {
    ucontext_t context;
    void *stack;
    bool done;
    unsigned long barriers, exchanges; /* so far */
    struct copies copies;
};

struct lanes {
    float value[2][LANES]; /* in turn: nobody is two exchanges ahead */
    unsigned long arrived;
};

static struct machine {
    ucontext_t scheduler;
    struct item *items;
    struct lanes *lanes;
    unsigned long *arrived; /* at a group's barriers, in all */
    unsigned groups, group_items, current;
    uint64_t random;
    work *work;
    void *const *arguments;
} m;

static struct item *self(void)
{
    return m.items + m.current;
}

void machine_others(void)
{
    swapcontext(&self()->context, &m.scheduler);
}

bool machine_by_chance(unsigned of)
{
    return random_next(&m.random) % of == 0;
}

struct copies *machine_copies(void)
{
    return &self()->copies;
}

static void enter(void)
{
    m.work(m.arguments[m.current / m.group_items]);
    self()->done = true;
    machine_others();
}

/* One turn of a work-group, its work-items one after another from anywhere on, up or
 * down, but those of slow warps; how many of it are done by then. */
static unsigned group_turn(unsigned group)
{
    const unsigned n = m.group_items, from = (unsigned)(random_next(&m.random) % n);
    const bool down = machine_by_chance(2);
    const uint64_t pace =
        machine_by_chance(3) ? 0 : random_next(&m.random); /* 2 bits a warp */
    unsigned done = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned at = (from + i) % n, item = down ? n - 1 - at : at;
        bool slow = !(pace >> item / LANES * 2 & 3);
        m.current = group * n + item;
        if (!slow && !self()->done)
            swapcontext(&m.scheduler, &self()->context);
        done += self()->done;
    }
    return done;
}

static int run_all(void)
{
    for (unsigned long turn = 0; turn < MOST_TURNS; turn++) {
        unsigned done = 0;
        for (unsigned g = 0; g < m.groups; g++)
            done += group_turn(g);
        if (done == m.groups * m.group_items)
            return 1;
    }
    return 0;
}

int machine_run(work *work, void *const *arguments, unsigned groups, unsigned items,
                unsigned long seed)
{
    unsigned n = groups * items;
    m = (struct machine){.items = calloc(n, sizeof *m.items),
                         .lanes = calloc(n / LANES, sizeof *m.lanes),
                         .arrived = calloc(groups, sizeof *m.arrived),
                         .groups = groups,
                         .group_items = items,
                         .random = seed,
                         .work = work,
                         .arguments = arguments};
    for (unsigned i = 0; i < n; i++) {
        struct item *item = m.items + i;
        item->stack = malloc(STACK_BYTES);
        getcontext(&item->context);
        item->context.uc_stack.ss_sp = item->stack;
        item->context.uc_stack.ss_size = STACK_BYTES;
        makecontext(&item->context, enter, 0);
        /* it is made; AddressSanitizer would clear as much at each turn */
        item->context.uc_stack.ss_size = 0;
    }
    int ended = run_all();
    for (unsigned i = 0; i < n; i++)
        free(m.items[i].stack);
    free(m.items);
    free(m.lanes);
    free(m.arrived);
    return ended;
}

/* A kernel calls these by the names of OpenCL C's functions for their types. */
#define NAMED(name) __asm__(name)
unsigned long get_local_id(unsigned dimension) NAMED("_Z12get_local_idj");
unsigned long get_group_id(unsigned dimension) NAMED("_Z12get_group_idj");
unsigned long get_local_size(unsigned dimension) NAMED("_Z14get_local_sizej");
unsigned long get_num_groups(unsigned dimension) NAMED("_Z14get_num_groupsj");
unsigned long get_global_id(unsigned dimension) NAMED("_Z13get_global_idj");
unsigned long get_global_size(unsigned dimension) NAMED("_Z15get_global_sizej");
void barrier(unsigned flags) NAMED("_Z7barrierj");
unsigned atomic_inc(volatile unsigned *p) NAMED("_Z10atomic_incPU8CLglobalVj");
unsigned atomic_xchg(volatile unsigned *p, unsigned v)
    NAMED("_Z11atomic_xchgPU8CLglobalVjj");
unsigned atomic_add(volatile unsigned *p, unsigned v)
    NAMED("_Z10atomic_addPU7CLlocalVjj");

unsigned long get_group_id(unsigned dimension)
{
    (void)dimension;
    return m.current / m.group_items;
}

unsigned long get_local_id(unsigned dimension)
{
    (void)dimension;
    return m.current % m.group_items;
}

unsigned long get_local_size(unsigned dimension)
{
    (void)dimension;
    return m.group_items;
}

unsigned long get_num_groups(unsigned dimension)
{
    (void)dimension;
    return m.groups;
}

unsigned long get_global_id(unsigned dimension)
{
    (void)dimension;
    return m.current;
}

unsigned long get_global_size(unsigned dimension)
{
    (void)dimension;
    return (unsigned long)m.groups * m.group_items;
}

void barrier(unsigned flags)
{
    (void)flags;
    unsigned long *arrived = m.arrived + m.current / m.group_items;
    unsigned long all = ++self()->barriers * m.group_items;
    for (++*arrived; *arrived < all;)
        machine_others();
}

unsigned atomic_inc(volatile unsigned *p)
{
    return (*p)++;
}

unsigned atomic_xchg(volatile unsigned *p, unsigned v)
{
    unsigned before = *p;
    *p = v;
    return before;
}

unsigned atomic_add(volatile unsigned *p, unsigned v)
{
    unsigned before = *p;
    *p += v;
    return before;
}

/* And these in the place of the functions of cl/ptx.cl that concern lanes, and of
 * lanes.cl's exchange. */
float ptx_swap(float v, unsigned distance);
void ptx_lanes_wait(void);
void ptx_pause(void);
bool ptx_any(bool v);
unsigned ptx_most(unsigned v);

float ptx_swap(float v, unsigned distance)
{
    struct lanes *lanes = m.lanes + m.current / LANES;
    unsigned lane = m.current % LANES;
    unsigned long number = self()->exchanges++;
    lanes->value[number % 2][lane] = v;
    for (lanes->arrived++; lanes->arrived < (number + 1) * LANES;)
        machine_others();
    return lanes->value[number % 2][lane ^ distance];
}

/* Have all lanes that go on come to this exchange? */
static bool all_came(unsigned long number)
{
    const struct item *first = m.items + m.current / LANES * LANES;
    for (unsigned i = 0; i < LANES; i++)
        if (!first[i].done && first[i].exchanges <= number)
            return false;
    return true;
}

void ptx_lanes_wait(void)
{
    unsigned long number = self()->exchanges++;
    for (m.lanes[m.current / LANES].arrived++; !all_came(number);)
        machine_others();
}

bool ptx_any(bool v)
{
    float any = v;
    for (unsigned d = LANES / 2; d > 0; d /= 2)
        any = fmaxf(any, ptx_swap(any, d));
    return any > 0;
}

unsigned ptx_most(unsigned v)
{
    for (unsigned d = LANES / 2; d > 0; d /= 2) {
        float other;
        memcpy(&other, &v, sizeof other);
        other = ptx_swap(other, d);
        unsigned bits;
        memcpy(&bits, &other, sizeof bits);
        v = bits > v ? bits : v;
    }
    return v;
}

void ptx_pause(void)
{
    machine_others();
}
