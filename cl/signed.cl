/* SPDX-License-Identifier: MIT */
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

INLINE volatile __global ulong2 *signed_at(volatile __global uint *shared, size_t number)
{
    return (volatile __global ulong2 *)((volatile __global char *)shared + SIGNED_AT) +
           number * (PART_RECORDS * STATE_PIECES);
}

INLINE volatile __global ulong2 *signed_of(volatile __global uint *shared,
                                           struct shape shape, size_t r, uint part)
{
    return signed_at(shared, (r - shape.first_row) * shape.parts + part);
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

/* Are both words of a piece there? */
INLINE bool is_signed(ulong2 piece, uint sign)
{
    return ((uint)(piece.x >> 32) == sign) & ((uint)(piece.y >> 32) == sign);
}

/* Waits for it; `late`: it most likely is not there yet. The pieces have names because NVIDIA's
 * compiler kept an array of them in memory. */
INLINE struct state signed_read(volatile __global ulong2 *from, uint sign, bool late)
{
    ulong2 a = 0, b = 0, c = 0;
    SCALAR number[3] = {0, 0, 0};
    if (late)
        ptx_pause();
    for (bool there = false; !there;) {
        a = ptx_look(from);
        if (STATE_PIECES > 1)
            b = ptx_look(from + 1);
        if (STATE_PIECES > 2)
            c = ptx_look(from + 2);
        there = is_signed(a, sign) & (STATE_PIECES < 2 || is_signed(b, sign)) &
                (STATE_PIECES < 3 || is_signed(c, sign));
        if (!there)
            ptx_pause();
    }
#if REAL_IS_F64
    number[0] = as_double((uint2)((uint)a.x, (uint)a.y));
    number[1] = as_double((uint2)((uint)b.x, (uint)b.y));
    number[2] = NUMBERS > 2 ? as_double((uint2)((uint)c.x, (uint)c.y)) : 0;
#else
    number[0] = as_float((uint)a.x);
    number[1] = as_float((uint)a.y);
    number[2] = NUMBERS > 2 ? as_float((uint)b.x) : 0;
#endif
    return state_of(number[0], number[1], number[2]);
}

/* What the piece says that was found there, once it is signed; nothing if it is not wanted. */
INLINE struct state signed_piece(volatile __global ulong2 *from, ulong2 piece, uint sign,
                                 bool wanted)
{
    struct state s = state_empty();
    while (wanted && !is_signed(piece, sign)) {
        ptx_pause();
        piece = ptx_look(from);
    }
    s.max = wanted ? (real)as_float((uint)piece.x) : (real)(-INFINITY);
    s.sum.hi = wanted ? (real)as_float((uint)piece.y) : (real)0;
    return s;
}
