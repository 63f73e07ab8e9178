/* SPDX-License-Identifier: MIT */
/*
 * Sorted lists of keys, one for each lane: place j of lane d at j VEC + d. A 16-bit number is a
 * real whose last KEY_BITS are zero. With bits turned so that it is a whole number in the same
 * order, and its column there, from the last to the first, a key tells both, and is the larger
 * one where the number is or where numbers are equal and the column is lower.
 */
enum {
    SPARE = (1 << KEY_BITS) - 1,
    SIGN = 1 << 31,
    KEY_NONE = 0x007fffff /* -inf, which no number beats that is no larger */
};

struct keep {
    uint key[LIST * VEC];
};

static uint key_of(SCALAR v, uint c)
{
    uint bits = as_uint(v == 0 ? (SCALAR)0 : v); /* -0 is no less than 0 */
    bits ^= (uint)((int)bits >> 31) | (uint)SIGN;
    return (bits & ~(uint)SPARE) | (SPARE - c);
}

static SCALAR place_value(const struct keep *keep, uint at)
{
    uint bits = keep->key[at];
    bits ^= bits & (uint)SIGN ? (uint)SIGN : ~0u;
    return as_float(bits & ~(uint)SPARE);
}

static uint place_column(const struct keep *keep, uint at)
{
    return keep->key[at] == KEY_NONE ? NO_COLUMN : SPARE - (keep->key[at] & SPARE);
}

static void place_clear(struct keep *keep, uint at)
{
    keep->key[at] = KEY_NONE;
}

static void place_copy(struct keep *keep, uint to, uint from)
{
    keep->key[to] = keep->key[from];
}

static void list_add(struct keep *keep, uint d, SCALAR v, uint c)
{
    uint key = key_of(v, c);
    if (key <= keep->key[(LIST - 1) * VEC + d])
        return;
    EACH_PLACE (uint j = LIST - 1; j > 0; j--) {
        uint at = j * VEC + d;
        keep->key[at] = min(max(key, keep->key[at]), keep->key[at - VEC]);
    }
    keep->key[d] = max(key, keep->key[d]);
}
