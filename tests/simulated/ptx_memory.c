/* SPDX-License-Identifier: MIT */
/* In the place of the functions of cl/ptx_memory.cl: messages, copies that arrive when
 * they are waited for, loads and stores that the device would refuse at wrong
 * addresses. */
#include "machine.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t pair __attribute__((vector_size(16)));
typedef uint32_t words __attribute__((vector_size(16)));
typedef uint32_t two_words __attribute__((vector_size(8)));
pair ptx_look(volatile pair *p);
void ptx_send(volatile pair *p, unsigned low, unsigned high, unsigned sign);
void ptx_copy_16(void *to, const void *from);
void ptx_copy_8(void *to, const void *from);
void ptx_copy_4(void *to, const void *from);
void ptx_copy_or_fill(void *to, const void *from, bool there, words fill);
void ptx_wait_copies(void);
void ptx_store_16(void *p, words v, bool there, bool fits, unsigned unit);
words ptx_load_16(const words *p);
two_words ptx_load_8(const two_words *p);

pair ptx_look(volatile pair *p)
{
    if (machine_by_chance(4))
        machine_others();
    return *p;
}

void ptx_send(volatile pair *p, unsigned low, unsigned high, unsigned sign)
{
    if (machine_by_chance(4))
        machine_others();
    uint64_t above = (uint64_t)sign << 32;
    *p = (pair){above | low, above | high};
}

static void send_copy(void *to, const void *from, unsigned bytes)
{
    struct copies *copies = machine_copies();
    if (copies->count == MOST_COPIES)
        abort();
    struct copy *copy = &copies->of[copies->count++];
    copy->to = to;
    copy->bytes = bytes;
    memcpy(copy->from, from, bytes);
}

void ptx_copy_16(void *to, const void *from)
{
    send_copy(to, from, 16);
}

void ptx_copy_8(void *to, const void *from)
{
    send_copy(to, from, 8);
}

void ptx_copy_4(void *to, const void *from)
{
    send_copy(to, from, 4);
}

void ptx_copy_or_fill(void *to, const void *from, bool there, words fill)
{
    if (there)
        send_copy(to, from, 16);
    else
        memcpy(to, &fill, 16);
}

void ptx_wait_copies(void)
{
    struct copies *copies = machine_copies();
    for (unsigned i = 0; i < copies->count; i++)
        memcpy(copies->of[i].to, copies->of[i].from, copies->of[i].bytes);
    copies->count = 0;
}

void ptx_store_16(void *p, words v, bool there, bool fits, unsigned unit)
{
    if (there && (uintptr_t)p % (fits ? 16 : unit))
        abort(); /* as the device would */
    if (there)
        memcpy(p, &v, 16);
}

words ptx_load_16(const words *p)
{
    return *p;
}

two_words ptx_load_8(const two_words *p)
{
    return *p;
}
