/* SPDX-License-Identifier: MIT */
/* Rows that several work-groups share: each leaves its part's state in device memory. */

/* Plain records: good for who is launched later. */
typedef __global SCALAR *record;

static record record_of(volatile __global uint *shared, struct shape shape, size_t r,
                        uint part)
{
    size_t number = (r - shape.first_row) * shape.parts + part;
    return (record)((__global char *)shared + PLAIN_AT) + 3 * number;
}

static void record_write(record to, struct state s)
{
    to[0] = s.max;
    to[1] = s.sum.hi;
    to[2] = s.sum.lo;
}

static struct state record_read(record from)
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
 * needed. */
enum { STATE_WORDS = 3 * sizeof(SCALAR) / 4 };

static uint sign_of(struct shape shape, size_t r)
{
    return (uint)(shape.epoch + (r - shape.first_row)) + 1;
}

static volatile __global ulong *signed_of(volatile __global uint *shared, struct shape shape,
                                          size_t r, uint part)
{
    size_t number = (r - shape.first_row) * shape.parts + part;
    return (volatile __global ulong *)((volatile __global char *)shared + SIGNED_AT) +
           number * STATE_WORDS;
}

static void signed_write(volatile __global ulong *to, struct state s, uint sign)
{
    SCALAR numbers[3] = {s.max, s.sum.hi, s.sum.lo};
    const uint *word = (const uint *)numbers;
    UNROLL for (uint i = 0; i < STATE_WORDS; i++)
        ptx_send(to + i, word[i], sign);
}

/* Waits for it. */
static struct state signed_read(volatile __global ulong *from, uint sign)
{
    SCALAR numbers[3];
    uint *word = (uint *)numbers;
    UNROLL for (uint i = 0; i < STATE_WORDS; i++)
        word[i] = ptx_receive(from + i, sign);
    struct state s = state_empty();
    s.max = numbers[0];
    s.sum.hi = numbers[1];
    s.sum.lo = numbers[2];
    return s;
}
#endif
