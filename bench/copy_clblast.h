/* SPDX-License-Identifier: MIT */
/* CLBlast's tuned SCOPY as one more yardstick for the copy bandwidth, where it is
 * there. */
#ifndef COPY_CLBLAST_H
#define COPY_CLBLAST_H

#include "session.h"

/* One line with its GB/s on 256 MiB; nothing without CLBlast. */
void print_clblast_copy(const struct session *s);

#endif
