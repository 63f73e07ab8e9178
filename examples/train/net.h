/* SPDX-License-Identifier: MIT */
/* A classifier of two layers: linear, ReLU, linear; trained with Adam. */
#ifndef TRAIN_NET_H
#define TRAIN_NET_H

#include "output.h"

#include <stdint.h>

struct net {
    const struct device *device;
    cl_uint inputs, hidden, classes;
    /* Parameters lie in one buffer, one after the other, and so do their gradients. */
    cl_uint bias1, weights2, bias2,
        parameters; /* where they begin; how many they are */
    cl_mem values, gradient, mean, square;
    cl_mem h, dh, logits; /* of a batch; the logits become their gradient */
    struct output output;
    int steps;
};

/* A net with random weights for batches of at most max_rows rows. */
void net_create(struct net *net, const struct device *d, size_t inputs, size_t hidden,
                size_t classes, size_t max_rows, uint64_t seed);
void net_destroy(struct net *net);

/* One step of Adam; returns the batch's mean loss before it. */
double net_train(struct net *net, const struct batch *b, float rate);

double net_loss(struct net *net, const struct batch *b);

/* The class that the net takes each row for. */
void net_classify(struct net *net, const struct batch *b, cl_int *classes);

#endif
