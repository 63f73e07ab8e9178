/* SPDX-License-Identifier: MIT */
/* How long this process was kept from running by others. */
#ifndef CPU_PEERS_WAITING_H
#define CPU_PEERS_WAITING_H

/* Seconds that its threads could have run and had no processor, summed over them since
 * they were started; 0 where the system does not tell. */
double waiting_seconds(void);

#endif
