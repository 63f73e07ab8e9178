/* SPDX-License-Identifier: MIT */
/*
 * ahead: as `joined`, but a work-group has two parts: while one waits in registers for the
 * maximum and the sum of its row, the next one comes to local memory, and what it brings to its own
 * row is told before anybody waits for the first. So the wait is over before it begins.
 *
 * A work-group takes its next ticket only after that wait, so that it has told all it has while
 * it waits. Those that wait have two parts each, so all parts of the first unfinished row are
 * told, once half of PARTS work-groups run at all.
 */
#ifndef WG
#define WG 128
#endif
#include "drawn.cl"
#include "two_parts.cl"
