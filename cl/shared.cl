/* SPDX-License-Identifier: MIT */
/* Rows that several work-groups share: each leaves its part's state in device memory. */

/* Plain records: good for who is launched later. */
typedef __global SCALAR *record;

INLINE record record_at(volatile __global uint *shared, size_t number)
{
    return (record)((__global char *)shared + PLAIN_AT) + 3 * number;
}

INLINE record record_of(volatile __global uint *shared, struct shape shape, size_t r,
                        uint part)
{
    return record_at(shared, (r - shape.first_row) * shape.parts + part);
}

INLINE void record_write(record to, struct state s)
{
    to[0] = FIRST(s.max);
    to[1] = FIRST(s.sum.hi);
    to[2] = FIRST(s.sum.lo);
}

INLINE struct state record_read(record from)
{
    struct state s = state_empty();
    s.max = from[0];
    s.sum.hi = from[1];
    s.sum.lo = from[2];
    return s;
}

#if HAS_PTX
/* Signed records: each 32-bit word of the state goes with the row's sign in 64 bits that are
 * written and read as one, so that a word is good as soon as its sign is, and no fence is
 * needed. Two such pairs are moved at once. */
enum {
    NUMBERS = OP_NEEDS_REST ? 3 : 2, /* max, sum.hi and sum.lo; or max and the sum */
    STATE_WORDS = NUMBERS * sizeof(SCALAR) / 4,
    STATE_PIECES = (STATE_WORDS + 1) / 2
};

INLINE uint sign_of(struct shape shape, size_t r)
{
    return (uint)(shape.epoch + (r - shape.first_row)) + 1;
}

INLINE volatile __global ulong2 *signed_of(volatile __global uint *shared,
                                           struct shape shape, size_t r, uint part)
{
    size_t number = (r - shape.first_row) * shape.parts + part;
    return (volatile __global ulong2 *)((volatile __global char *)shared + SIGNED_AT) +
           number * STATE_PIECES;
}

INLINE void signed_write(volatile __global ulong2 *to, struct state s, uint sign)
{
    uint word[2 * STATE_PIECES] = {0};
    SCALAR number[3] = {s.max, s.sum.hi, s.sum.lo};
    number[1] = OP_NEEDS_REST ? s.sum.hi : s.sum.hi + s.sum.lo;
    UNROLL for (uint i = 0; i < NUMBERS; i++)
#if REAL_IS_F64
    {
        uint2 halves = as_uint2(number[i]);
        word[2 * i] = halves.x, word[2 * i + 1] = halves.y;
    }
#else
        word[i] = as_uint(number[i]);
#endif
    UNROLL for (uint i = 0; i < STATE_PIECES; i++)
        ptx_send(to + i, word[2 * i], word[2 * i + 1], sign);
}

/* Waits for it. */
INLINE struct state signed_read(volatile __global ulong2 *from, uint sign)
{
    ulong2 piece[STATE_PIECES];
    SCALAR number[3] = {0, 0, 0};
    for (bool there = false; !there;) {
        ptx_pause();
        there = true;
        UNROLL for (uint i = 0; i < STATE_PIECES; i++)
            piece[i] = ptx_look(from + i);
        UNROLL for (uint i = 0; i < STATE_PIECES; i++)
            there = there && (uint)(piece[i].x >> 32) == sign &&
                    (uint)(piece[i].y >> 32) == sign;
    }
    UNROLL for (uint i = 0; i < NUMBERS; i++)
#if REAL_IS_F64
        number[i] = as_double((uint2)((uint)piece[i].x, (uint)piece[i].y));
#else
        number[i] = as_float((uint)(i % 2 ? piece[i / 2].y : piece[i / 2].x));
#endif
    struct state s = state_empty();
    s.max = number[0];
    s.sum.hi = number[1];
    s.sum.lo = number[2];
    return s;
}
#endif
