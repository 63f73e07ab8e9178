/* SPDX-License-Identifier: MIT */
/* The part of the traits that concerns lanes. */
#ifndef CLSM_LANES_H
#define CLSM_LANES_H

#include "traits.h"

/* Set t's lanes to what the device claims. */
clsm_status clsm_lanes_claim(cl_device_id device, const char *extensions, struct traits *t);

/* Lanes cannot exchange anything. */
void clsm_lanes_off(struct traits *t);

/* Follow CLSM_SUBGROUPS=off|local, where it is set. */
clsm_status clsm_lanes_override(struct traits *t);

#endif
