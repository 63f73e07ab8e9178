/* SPDX-License-Identifier: MIT */
/* A processor for each thread: left to themselves, two that should run beside each
 * other are now and then woken on one processor and run one after the other. */
#ifndef CPU_PEERS_PIN_H
#define CPU_PEERS_PIN_H

/* Processors that this process may use. */
unsigned pin_processors(void);

/* Give the threads that have come since the last call a processor each, from `first`
 * on; the first call finds only the caller's, and leaves it alone. */
void pin_new_threads(unsigned first);

/* Keep the caller on the first processor, as the last of all: threads inherit it. */
void pin_self(void);

/* Let the caller, and what it starts, go anywhere again. */
void pin_release(void);

#endif
