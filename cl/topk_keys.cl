/* SPDX-License-Identifier: MIT */
/*
 * Sorted lists of keys, one for each lane of a vector. A 16-bit number is a real whose last
 * KEY_BITS are zero. With bits turned so that it is a whole number in the same order, and its
 * column there, from the last to the first, a key tells both, and is the larger one where the
 * number is or where numbers are equal and the column is lower.
 */
#define SPARE ((real_u32)((1 << KEY_BITS) - 1))
#define KEY_NONE ((real_u32)0x007fffffu) /* -inf, which no number beats that is no larger */

struct keep {
    real_u32 key[LIST];
};

static real_u32 key_of(real v, real_u32 c)
{
    return (ordered(v) & ~SPARE) | (SPARE - c);
}

static struct top place_top(const struct keep *keep, uint j)
{
    struct top top = {{keep->key[j]}};
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

static void place_clear(struct keep *keep, uint j)
{
    keep->key[j] = KEY_NONE;
}

/* In the lanes of m. */
static void place_copy(struct keep *keep, uint to, const struct keep *from, uint j, places_bool m)
{
    keep->key[to] = m ? from->key[j] : keep->key[to];
}

static void list_add(struct keep *keep, real v, real_u32 c)
{
    real_u32 key = key_of(v, c);
    if (!ANY_OF(key > keep->key[LIST - 1]))
        return;
    EACH_PLACE (uint j = LIST - 1; j > 0; j--) {
        real_u32 above = keep->key[j - 1], larger = key > keep->key[j] ? key : keep->key[j];
        keep->key[j] = larger < above ? larger : above;
    }
    keep->key[0] = key > keep->key[0] ? key : keep->key[0];
}
