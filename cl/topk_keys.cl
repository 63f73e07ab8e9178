/* SPDX-License-Identifier: MIT */
/*
 * A number and its column as one whole number. A 16-bit number is a real whose last KEY_BITS are
 * zero. With bits turned so that it is a whole number in the same order, and its column there,
 * from the last to the first, a key tells both, and is the larger one where the number is or where
 * numbers are equal and the column is lower.
 */
#define SPARE ((real_u32)((1 << KEY_BITS) - 1))
#define KEY_NONE ((real_u32)0x007fffffu) /* -inf, which no number beats that is no larger */

static real_u32 key_of(real v, real_u32 c)
{
    return (ordered(v) & ~SPARE) | (SPARE - c);
}

static struct top top_at(real v, real_u32 c)
{
    struct top top = {{key_of(v, c)}};
    return top;
}

/* The least that a number can be, in whatever column. */
static struct top top_from(real v)
{
    struct top top = {{ordered(v) & ~SPARE}};
    return top;
}

static real top_value(struct top top)
{
    real v = of_ordered(top.part[0]); /* with bits of the column behind the number's */
    return AS_F32(AS_U32(v) & ~SPARE);
}

static real_u32 top_column(struct top top)
{
    real_u32 key = top.part[0];
    return key == KEY_NONE ? (real_u32)NO_COLUMN : SPARE - (key & SPARE);
}
