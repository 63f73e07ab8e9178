/* SPDX-License-Identifier: MIT */
/*
 * A running maximum that does not move each time a row rises a little, since to raise a state each
 * time would round its sum as often. Once the sum is so large that no element stands out, `max`
 * stays until it is FAR_BELOW the largest element, to which whoever follows it raises the state in
 * the end. A logarithm wants exactly 1 for that element as long as it is nearly all there is, so it
 * waits for a larger sum.
 */
#define FAR_BELOW 3
#define ENOUGH_TO_STAY (OP_NEEDS_REST ? 64 : 16)

/* `unit`: what a term of 1 counts in the sum. */
INLINE struct state state_follow(struct state s, real max, real unit)
{
    bool stays = s.sum.hi + s.part.hi >= (real)ENOUGH_TO_STAY * unit;
    return max > s.max + (stays ? (real)FAR_BELOW : (real)0) ? state_raise(s, max) : s;
}
