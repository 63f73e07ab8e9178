/* SPDX-License-Identifier: MIT */
/* Whole lines of y are stored past the caches, the widest vectors that there are; what
 * is left at both ends is copied plainly. x may stand anywhere. */
#include "stream.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LINE = 64 };

struct way {
    const char *name;
    void (*lines)(char *y, const char *x, size_t lines, size_t ahead);
};

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* Into the second level: the first one would lose what is in use. */
static inline void ask(const char *x, size_t ahead)
{
    if (ahead)
        _mm_prefetch(x + ahead, _MM_HINT_T1);
}

__attribute__((target("avx512f"))) static void avx512_lines(char *y, const char *x,
                                                            size_t lines, size_t ahead)
{
    for (size_t i = 0; i < lines; i++, x += LINE, y += LINE) {
        ask(x, ahead);
        _mm512_stream_si512((__m512i *)(void *)y, _mm512_loadu_si512((const void *)x));
    }
    _mm_sfence();
}

__attribute__((target("avx2"))) static void avx2_lines(char *y, const char *x,
                                                       size_t lines, size_t ahead)
{
    for (size_t i = 0; i < lines; i++, x += LINE, y += LINE) {
        const __m256i *from = (const __m256i *)(const void *)x;
        __m256i *to = (__m256i *)(void *)y;
        ask(x, ahead);
        __m256i a = _mm256_loadu_si256(from), b = _mm256_loadu_si256(from + 1);
        _mm256_stream_si256(to, a);
        _mm256_stream_si256(to + 1, b);
    }
    _mm_sfence();
}

static void sse2_lines(char *y, const char *x, size_t lines, size_t ahead)
{
    for (size_t i = 0; i < lines; i++, x += LINE, y += LINE) {
        ask(x, ahead);
        for (int k = 0; k < LINE / 16; k++)
            _mm_stream_si128((__m128i *)(void *)y + k,
                             _mm_loadu_si128((const __m128i *)(const void *)x + k));
    }
    _mm_sfence();
}

static struct way best_way(void)
{
    if (__builtin_cpu_supports("avx512f"))
        return (struct way){"AVX-512", avx512_lines};
    if (__builtin_cpu_supports("avx2"))
        return (struct way){"AVX2", avx2_lines};
    return (struct way){"SSE2", sse2_lines};
}
#else
static void plain_lines(char *y, const char *x, size_t lines, size_t ahead)
{
    for (size_t i = 0; i < lines; i++, x += LINE, y += LINE) {
        if (ahead)
            __builtin_prefetch(x + ahead, 0, 2);
        memcpy(y, x, LINE);
    }
}

static struct way best_way(void)
{
    return (struct way){"plain stores", plain_lines};
}
#endif

const char *stream_name(void)
{
    return best_way().name;
}

void stream_copy(char *y, const char *x, size_t bytes, size_t ahead)
{
    size_t head = (LINE - (uintptr_t)y % LINE) % LINE;
    head = head < bytes ? head : bytes;
    size_t lines = (bytes - head) / LINE, end = head + lines * LINE;
    memcpy(y, x, head);
    best_way().lines(y + head, x + head, lines, ahead);
    memcpy(y + end, x + end, bytes - end);
}
